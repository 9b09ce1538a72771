package model

import (
	"fmt"
	"slices"
	"strings"
)

// Protocol is the protocol of a server, named by a provider's kind.
type Protocol string

// The protocols.
const (
	ProtocolOpenAI    Protocol = "openai"
	ProtocolResponses Protocol = "openai-responses"
	ProtocolAnthropic Protocol = "anthropic"
)

func (p Protocol) String() string {
	return map[Protocol]string{
		ProtocolOpenAI:    "OpenAI",
		ProtocolResponses: "OpenAI Responses",
		ProtocolAnthropic: "Anthropic",
	}[p]
}

// Efforts are the protocol's names for the reasoning effort of a model, lowest first. A server refuses those that the
// model does not support. An unknown protocol has none.
func (p Protocol) Efforts() []string {
	switch p {
	case ProtocolOpenAI, ProtocolResponses:
		return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
	case ProtocolAnthropic:
		return []string{"low", "medium", "high", "xhigh", "max"}
	}
	return []string{}
}

// validateEffort refuses an effort that the protocol does not define.
func (p Protocol) validateEffort(effort string) error {
	if effort == "" || slices.Contains(p.Efforts(), effort) {
		return nil
	}
	return &Error{
		Kind: BadRequest, Message: fmt.Sprintf("the %s protocol does not support the effort %q", p, effort),
		Hint: "use one of " + strings.Join(p.Efforts(), ", ") + ", or leave it out",
	}
}
