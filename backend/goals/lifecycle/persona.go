package lifecycle

import (
	"cmp"
	"fmt"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/models"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/library"
)

// takePersona gives a goal its persona: the one that the user chose, or the one that its objective says. What the
// persona sets counts where the user set nothing.
func (it *Intake) takePersona(g *goal.Goal) error {
	dir := ""
	if g.Dir != "" {
		var err error
		if dir, err = it.access.ValidateExistingDir(g.Dir); err != nil {
			return err
		}
	}
	found, isInferred, err := it.persona(g.Persona, g.Objective, dir)
	if err != nil {
		return fmt.Errorf("take a persona: %w", err)
	}
	p := found.Persona()
	g.PersonaCopy = &goal.PersonaCopy{
		Name:     found.Name,
		Prompt:   p.Prompt,
		Owner:    string(found.Owner),
		Word:     found.Word,
		Inferred: isInferred,
	}
	g.Limits = g.Limits.Or(p.Limits)
	if g.Provider != models.DemoProvider {
		g.Effort = cmp.Or(g.Effort, p.Effort)
	}
	if g.Provider == "" {
		g.Model = cmp.Or(g.Model, p.Model)
	}
	if len(g.AllowTools) == 0 {
		g.AllowTools = p.Tools
	}
	return nil
}

// persona finds a persona by its name, or infers it from an objective if there is no name.
func (it *Intake) persona(name, objective, dir string) (found library.Inferred, isInferred bool, err error) {
	if name != "" {
		found.Entry, err = it.library.Find(library.Personas, name, dir)
		if err == nil {
			return found, false, nil
		}
		if e := fault.Of(err); e.Code == fault.NotFound {
			err = fault.Invalid("persona", e.Message, e.Hint)
		}
		return found, false, err
	}
	found, err = it.library.Infer(objective, dir)
	return found, true, err
}

// childPersona returns the persona that a goal's children get by name: one that is known in every folder, and that the
// user chose. Others are inferred for each child.
func childPersona(g goal.Goal) string {
	if g.PersonaCopy != nil && library.Owner(g.PersonaCopy.Owner) == library.OwnerProject {
		return ""
	}
	return g.Options.Persona
}
