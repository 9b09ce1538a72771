package api

import (
	"cmp"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// Door explains errors to those who use Goalpost through another program. A hint that names flags or commands of the
// command line is no use to them.
type Door struct {
	Hints map[string]string // by the field of an error
	Other string            // for all other errors
}

var commandLineWords = text.NewPattern("(^|[^-a-z0-9])--[a-z]|\\bgoalctl |`[a-z]+ (list|add|set)`")

// Explain returns the message of an error with a hint for this door.
func (d Door) Explain(err error) string {
	problem := ToProblem(err)
	if !commandLineWords.MatchString(problem.Hint) {
		return problem.MessageWithHint()
	}
	own := fault.Error{Message: problem.Message, Hint: cmp.Or(d.Hints[problem.Field], d.Other)}
	return own.MessageWithHint()
}
