package session

import (
	"fmt"

	"goalpost/backend/agent/tools"
	"goalpost/backend/core/runner/startfacts"
	"goalpost/backend/storage/library"
)

// goalSkills gives the tools of one goal the skills that the user wrote or trusts.
type goalSkills struct {
	library *library.Library
	dir     string
}

func (g goalSkills) Load(name, file string) (tools.Skill, error) {
	found, err := g.library.LoadSkill(name, file, g.dir)
	if err != nil {
		return tools.Skill{}, fmt.Errorf("load a skill: %w", err)
	}
	return tools.Skill{File: found.Path, Text: found.Text, Files: found.Files}, nil
}

// skillTool returns the skills for the tools of a goal in a folder, nil if there are none.
func (reg *Registry) skillTool(dir string) tools.Skills {
	if len(reg.listSkills(dir)) == 0 {
		return nil
	}
	return goalSkills{reg.Library, dir}
}

// listSkills lists what an agent in a folder learns of the skills before it loads one.
func (reg *Registry) listSkills(dir string) []startfacts.Skill {
	list, err := reg.Library.Usable(library.Skills, dir)
	if err != nil {
		reg.Log.Warn("the skills cannot be listed", "error", err)
	}
	skills := make([]startfacts.Skill, 0, len(list))
	for _, e := range list {
		skills = append(skills, startfacts.Skill{Name: e.Name, Description: e.Description})
	}
	return skills
}
