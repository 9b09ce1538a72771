package prompt

import (
	"maps"
	"slices"

	"goalpost/backend/domain/goal"
)

// personas are the texts about a way of working. All other rules are the same.
var personas = map[string]string{
	"engineer": "You work as a careful engineer: read before you change, make the smallest change that reaches the " +
		"goal, and test what you made.",
	"researcher": "You work as a careful researcher: look at several sources, tell what you saw from what you " +
		"conclude, and name where each fact comes from.",
	"tester": "You work as a tester: try what a user would try, look for what breaks, and write down how to repeat it.",
	"writer": "You work as a writer: say what matters first, in plain words, and read your text again before you claim.",
}

// defaultPersona is the persona of a goal for which the user chose none.
const defaultPersona = "engineer"

// Personas returns the names of all personas, sorted.
func Personas() []string { return slices.Sorted(maps.Keys(personas)) }

func personaText(g goal.Goal) string {
	if _, ok := personas[g.Options.Persona]; ok {
		return g.Options.Persona
	}
	return defaultPersona
}
