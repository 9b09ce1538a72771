package toolbox

import (
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// groupsByTool lists the groups that calls of a core tool add.
var groupsByTool = map[string][]goal.ToolGroup{
	"browser_open":  {goal.BrowserTools},
	"terminal_open": {goal.PaneTools},
	"terminal_run":  {goal.PaneTools},
	"start_goal":    {goal.GoalTools},
}

// builtIn lists the groups of built-in tools. Each joins when a call of find_tools contains one of its words, and some
// when the objective does.
var builtIn = []struct {
	name  goal.ToolGroup
	words *text.Pattern
}{
	{goal.BrowserTools, text.NewPattern(
		`(?i)https?://|\b(browsers?|(web ?)?pages?|web ?sites?|urls?|localhost|127\.0\.0\.1|click(s|ing)?)\b`)},
	{goal.PaneTools, text.NewPattern(`(?i)\b(panes?|tabs?|keys?|keyboard|ctrl|terminals?|waits?|waiting)\b`)},
	{goal.GoalTools, text.NewPattern(`(?i)\b(sub-?goals?|child goals?|goals|parallel|delegate)\b`)},
	{goal.RecipeTools, text.NewPattern(`(?i)\brecipes?\b`)},
	{goal.LoginTools, text.NewPattern(`(?i)\b(log ?ins?|logged in|sign(ed|ing)? in)\b`)},
	{goal.VisionTools, text.NewPattern(`(?i)\b(pictures?|screenshots?|images?|charts?|visual(ly)?|vision)\b`)},
	{goal.StepTools, text.NewPattern(`(?i)\b(step protocol|steps)\b`)},
}

func isBuiltIn(name goal.ToolGroup) bool { return groupIndex(name) < len(builtIn) }

// groupIndex returns the index of a group in builtIn, its length for the group of an MCP server.
func groupIndex(name goal.ToolGroup) int {
	for i, one := range builtIn {
		if one.name == name {
			return i
		}
	}
	return len(builtIn)
}

// neededGroups returns the groups that a goal needs from the start: those of tools that its user named, and those
// that its objective or a check needs.
func neededGroups(g goal.Goal, byTool map[string]goal.ToolGroup) []goal.ToolGroup {
	need := map[goal.ToolGroup]bool{
		goal.StepTools: g.Policy.RequireSteps,
		goal.PaneTools: len(g.Options.Panes) > 0,
	}
	for _, name := range g.Policy.AllowTools {
		need[byTool[name]] = true
	}
	for _, pane := range g.Options.Panes {
		if strings.HasPrefix(pane, "b") {
			need[goal.BrowserTools] = true
		}
	}
	for _, c := range g.Criterion.Checks {
		if c.Type == goal.Visual { // only a page can be looked at
			need[goal.BrowserTools], need[goal.VisionTools] = true, true
		}
	}
	for _, one := range builtIn {
		// Objectives mention addresses, terminals, steps and goals without needing those tools. The first call of
		// browser_open adds those for pages.
		named := one.name == goal.RecipeTools || one.name == goal.LoginTools || one.name == goal.VisionTools
		if named && one.words.MatchString(g.Objective) {
			need[one.name] = true
		}
	}
	for _, word := range strings.FieldsFunc(g.Objective, isNoNameLetter) {
		if in, ok := byTool[word]; ok {
			need[in] = true
		}
	}
	var list []goal.ToolGroup
	for _, one := range builtIn {
		if need[one.name] {
			list = append(list, one.name)
		}
	}
	return list
}

// matchingGroups returns the groups that a need names: by their own name, by a tool, or by one of their words.
func (t *Toolbox) matchingGroups(need string) []group {
	words := strings.FieldsFunc(strings.ToLower(need), isNoNameLetter)
	var list []group
	for _, one := range t.groups {
		match := slices.Contains(words, strings.ToLower(string(one.name)))
		for _, s := range one.specs {
			match = match || slices.Contains(words, strings.ToLower(s.Name))
		}
		for _, group := range builtIn {
			match = match || group.name == one.name && group.words.MatchString(need)
		}
		if !match && !isBuiltIn(one.name) {
			match = slices.ContainsFunc(one.specs, func(s goal.ToolSpec) bool { return hasWord(s.Name, words) })
		}
		if match {
			list = append(list, one)
		}
	}
	return list
}

// hasWord reports whether a part of the name of a server's tool is one of the words.
func hasWord(name string, words []string) bool {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' })
	return slices.ContainsFunc(parts, func(part string) bool { return len(part) > 2 && slices.Contains(words, part) })
}

func isNoNameLetter(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}
