package model

import (
	"cmp"

	"goalpost/backend/domain/goal"
)

// estimateTokens estimates the token counts that a server did not report from the length of the text, so that limits
// work with such servers, too.
func (b *baseClient) estimateTokens(t goal.Turn, reply *goal.Reply) {
	in, out := len(t.System), len(reply.Text)+callBytes(reply.Calls)+reply.Reasoning.Bytes()
	for _, m := range t.Messages {
		in += len(m.Text) + callBytes(m.Calls) + m.Reasoning.Bytes()
	}
	for _, tool := range t.Tools {
		in += len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	u := &reply.Usage
	if u.TokensIn > 0 && (u.TokensOut > 0 || out == 0) {
		return
	}
	used := tokenCount{in: cmp.Or(u.TokensIn, tokensFromBytes(in)), out: cmp.Or(u.TokensOut, tokensFromBytes(out))}
	*u = used.usage(b.cost(t.Model, used))
	u.Guessed = true
}

func callBytes(calls []goal.Call) (n int) {
	for _, c := range calls {
		n += len(c.Tool) + len(c.Arguments)
	}
	return n
}

// tokensFromBytes returns three tenths of the bytes, which is typical of English and code.
func tokensFromBytes(bytes int) int64 { return (int64(bytes)*3 + 9) / 10 }
