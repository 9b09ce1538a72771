package model

import (
	"fmt"
	"slices"
	"strings"
)

// Protocol is what a server speaks, in the word of a provider's kind.
type Protocol string

// The protocols.
const (
	ProtocolOpenAI    Protocol = "openai"
	ProtocolAnthropic Protocol = "anthropic"
)

func (p Protocol) String() string {
	return map[Protocol]string{ProtocolOpenAI: "OpenAI", ProtocolAnthropic: "Anthropic"}[p]
}

// Efforts are the protocol's words for how much a model thinks before it
// answers, from little to much. Which of them a model takes, its server says: it
// refuses the others. What is no protocol has none.
func (p Protocol) Efforts() []string {
	switch p {
	case ProtocolOpenAI:
		return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
	case ProtocolAnthropic:
		return []string{"low", "medium", "high", "xhigh", "max"}
	}
	return []string{}
}

// validateEffort refuses an effort for which the protocol has no word.
func (p Protocol) validateEffort(effort string) error {
	if effort == "" || slices.Contains(p.Efforts(), effort) {
		return nil
	}
	return &Error{
		Kind: BadRequest, Message: fmt.Sprintf("the %s protocol knows no effort %q", p, effort),
		Hint: "use one of " + strings.Join(p.Efforts(), ", ") + ", or leave it out",
	}
}
