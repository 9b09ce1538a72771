package prompt

import "goalpost/backend/domain/goal"

// defaultPersona is the way of working of goals that were created before a goal kept its persona.
const defaultPersona = "You work as a careful engineer: read before you change, make the smallest change that " +
	"reaches the goal, and test what you made."

// describePersona returns the text of the goal's persona. All other rules are the same for all personas.
func describePersona(g goal.Goal) string {
	if g.PersonaCopy == nil {
		return defaultPersona
	}
	return g.PersonaCopy.Prompt
}
