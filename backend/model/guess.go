package model

import (
	"cmp"

	"goalpost/backend/goal"
)

// guess puts what a server did not say of a turn's tokens at what the length makes
// likely: a limit must hold there, too.
func (s *server) guess(t goal.Turn, reply *goal.Reply) {
	in, out := len(t.System), len(reply.Text)+calledBytes(reply.Calls)
	for _, m := range t.Messages {
		in += len(m.Text) + calledBytes(m.Calls)
	}
	for _, tool := range t.Tools {
		in += len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	u := &reply.Usage
	if u.TokensIn > 0 && (u.TokensOut > 0 || out == 0) {
		return
	}
	used := tally{in: cmp.Or(u.TokensIn, guessed(in)), out: cmp.Or(u.TokensOut, guessed(out))}
	*u = used.usage(s.cost(t.Model, used))
	u.Guessed = true
}

func calledBytes(calls []goal.Call) (n int) {
	for _, c := range calls {
		n += len(c.Tool) + len(c.Arguments)
	}
	return n
}

// guessed is three tenths of the bytes, as in English and code.
func guessed(bytes int) int64 { return (int64(bytes)*3 + 9) / 10 }
