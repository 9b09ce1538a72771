package runner

import (
	"goalpost/backend/core/runner/conversation"
	"goalpost/backend/domain/goal"
)

// criticShare is the part of a goal's tokens that the critic may use, in percent.
const criticShare = 10

// minReplyTokens is the expected minimum size of a critic's reply.
const minReplyTokens = 500

// criticCost is the cost of the critic over all runs of the goal.
type criticCost struct {
	tokens       int64   // in and out
	longestReply int64   // in tokens
	perByte      float64 // tokens per byte of a request, the most that was measured
}

func (c *criticCost) add(u goal.Usage, sentBytes int) {
	c.tokens += u.TokensIn + u.TokensOut
	c.longestReply = max(c.longestReply, u.TokensOut)
	c.perByte = max(c.perByte, float64(u.TokensIn)/float64(max(1, sentBytes)))
}

// bytesLeft returns how long a request may be so that it and its reply stay within the critic's share. A reply that is
// longer than all earlier ones delays the next request.
func (c *criticCost) bytesLeft(spend goal.Spend) int {
	tokensLeft := (spend.TokensIn+spend.TokensOut)*criticShare/100 - c.tokens - max(minReplyTokens, c.longestReply)
	if tokensLeft <= 0 {
		return 0
	}
	bytes := conversation.BytesForTokens(int(tokensLeft))
	if c.perByte > 0 {
		bytes = min(bytes, int(float64(tokensLeft)/c.perByte))
	}
	return bytes
}
