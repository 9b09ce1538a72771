package model

import (
	"goalpost/backend/goal"
	"goalpost/backend/model/catalog"
)

// modelInfo is what is known about a model by its name.
type modelInfo struct {
	output  int  // the longest reply that it accepts, in tokens; 0 unknown
	blind   bool // does not accept images
	thinks  bool // can think before it answers
	isKnown bool
}

// lookupModel is what is known about a model, the zero value if nothing is.
func lookupModel(model string) modelInfo {
	m, ok := catalog.FindName(model)
	return modelInfo{output: m.Output, blind: ok && !m.Images, thinks: m.Reasons, isKnown: ok}
}

// thinkingTokens is the output that a model gets for thinking before a reply of bounded length.
const thinkingTokens = 16_000

// boundOutput is the limit of output in tokens for a turn whose reply has a bound. It is more than the bound unless the
// model is known not to think: thinking counts as output, and a reply without space for it would be empty.
func boundOutput(t goal.Turn) int {
	limit, m := t.ReplyTokens, lookupModel(t.Model)
	if m.thinks || !m.isKnown {
		limit += thinkingTokens
	}
	if m.output > 0 {
		limit = min(limit, m.output)
	}
	return limit
}

// DefaultContextWindow is the assumed window of unknown models, in tokens.
const DefaultContextWindow = 32_768

// ContextWindow is the context window in tokens of a model of the server at baseURL. isKnown is false if it is
// DefaultContextWindow because nothing is known.
func ContextWindow(baseURL, model string) (tokens int, isKnown bool) {
	if m, ok := catalog.Find(baseURL, model); ok && m.Window > 0 {
		return m.Window, true
	}
	if m, ok := catalog.FindName(model); ok && m.Window > 0 {
		return m.Window, true
	}
	return DefaultContextWindow, false
}

// SupportsImages reports whether a model accepts images. For an unknown model it returns true: such a model answers
// with an error if it does not.
func SupportsImages(model string) bool { return !lookupModel(model).blind }
