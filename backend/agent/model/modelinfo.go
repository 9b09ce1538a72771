package model

import (
	"goalpost/backend/agent/model/catalog"
	"goalpost/backend/domain/goal"
)

// modelInfo describes a model, found by its name.
type modelInfo struct {
	output  int  // the longest reply that it accepts, in tokens; 0 unknown
	blind   bool // does not accept images
	thinks  bool // can think before it answers
	isKnown bool
}

// lookupModel returns what the catalog has about a model, the zero value if it is unknown.
func lookupModel(model string) modelInfo {
	m, ok := catalog.FindName(model)
	return modelInfo{output: m.Output, blind: ok && !m.Images, thinks: m.Reasons, isKnown: ok}
}

// thinkingTokens is added to the output limit of a bounded reply, for thinking.
const thinkingTokens = 16_000

// boundOutput returns the output limit in tokens for a turn with a bounded reply. It is higher than the bound unless
// the model is known not to think, because thinking is part of the output and could use up the bound.
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

// DefaultContextWindow is assumed for unknown models, in tokens.
const DefaultContextWindow = 32_768

// ContextWindow returns the context window in tokens of a model of the server at baseURL. For an unknown model, it
// returns DefaultContextWindow and false.
func ContextWindow(baseURL, model string) (tokens int, isKnown bool) {
	if m, ok := catalog.Find(baseURL, model); ok && m.Window > 0 {
		return m.Window, true
	}
	if m, ok := catalog.FindName(model); ok && m.Window > 0 {
		return m.Window, true
	}
	return DefaultContextWindow, false
}

// SupportsImages reports whether a model accepts images. It returns true for an unknown model, because the server
// returns an error if it does not.
func SupportsImages(model string) bool { return !lookupModel(model).blind }
