package runner

import (
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/core/runner/conversation"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// Limits of one request to the critic, in bytes.
const (
	maxCriticBytes       = 96 << 10
	maxFirstRequestBytes = 32 << 10 // the first request of a conversation; the rest is for later steps
	minCriticBytes       = 4 << 10  // less does not show enough of the steps
)

// criticConversation is the critic's own conversation about a goal. Each request repeats the previous one and adds the
// steps since, so that a provider can cache the beginning.
type criticConversation struct {
	messages []goal.Message
	lastStep int // the newest step among them
}

// next returns the messages of the next request: the conversation with the steps since or, if that exceeds the
// given bytes, a new conversation with the newest steps that fit. It changes nothing.
func (c *criticConversation) next(opening string, steps []goal.Step, bytes int) []goal.Message {
	if len(c.messages) > 0 {
		start := 1 + slices.IndexFunc(steps, func(s goal.Step) bool { return s.N == c.lastStep })
		since := steps[start:]
		text := fmt.Sprintf("The %s since:\n%s", goal.FormatCount(len(since), "step"),
			strings.Join(formatSteps(since, maxCriticBytes), ""))
		if messageBytes(c.messages)+len(text) <= bytes && start > 0 {
			return append(slices.Clone(c.messages), goal.Message{Role: goal.User, Text: text})
		}
	}
	lines := formatSteps(steps, min(bytes, maxFirstRequestBytes)-len(opening)-len(stepsHeading)-20)
	text := fmt.Sprintf("%s\n\n"+stepsHeading, opening, goal.FormatCount(len(lines), "step"), strings.Join(lines, ""))
	return []goal.Message{{Role: goal.User, Text: text}}
}

const stepsHeading = "The last %s:\n%s"

// keep stores a request and its reply as the beginning of the next request.
func (c *criticConversation) keep(sent []goal.Message, reply string, step int) {
	c.messages = append(sent, goal.Message{Role: goal.Assistant, Text: text.Truncate(reply, maxJudgedChars)})
	c.lastStep = step
}

// opening returns the first message of each conversation with the critic.
func (c *critic) opening() string {
	return fmt.Sprintf("The goal: %s\nThe host decides by this: %s", c.goal.Objective, c.goal.Criterion.Describe())
}

// formatSteps formats the newest steps that fit into the given bytes, oldest first. If none fits, it returns the
// newest, shortened.
func formatSteps(steps []goal.Step, bytes int) []string {
	var lines []string
	for _, s := range slices.Backward(steps) {
		text := formatStep(s, maxJudgedChars)
		if len(lines) == 0 {
			for limit := maxJudgedChars; len(text) > bytes && limit > 100; limit /= 2 {
				text = formatStep(s, limit/2)
			}
		}
		if bytes -= len(text); bytes < 0 && len(lines) > 0 {
			break
		}
		lines = append(lines, text)
	}
	slices.Reverse(lines)
	return lines
}

// formatStep formats a step, with its arguments and result marked as data.
func formatStep(s goal.Step, limit int) string {
	return fmt.Sprintf("\nStep %d: %s, %s\n%s\n%s\n", s.N, text.Truncate(s.Tool, 100), s.Outcome,
		text.WrapUntrusted("arguments", text.Truncate(s.Arguments, limit)),
		text.WrapUntrusted("result", text.Truncate(s.Result, limit)))
}

func messageBytes(messages []goal.Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Text)
	}
	return n
}

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
