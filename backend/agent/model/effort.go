package model

import (
	"fmt"
	"slices"
	"strings"
)

// Protocol is the protocol of a server; its values are the kinds of providers in the settings.
type Protocol string

// The supported protocols.
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

// Efforts returns the protocol's names for reasoning efforts, lowest first; an unknown protocol has none. A server
// rejects those that the model does not support.
func (p Protocol) Efforts() []string {
	switch p {
	case ProtocolOpenAI, ProtocolResponses:
		return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
	case ProtocolAnthropic:
		return []string{"low", "medium", "high", "xhigh", "max"}
	}
	return []string{}
}

// validateEffort returns an error for an effort that the protocol does not define.
func (p Protocol) validateEffort(effort string) error {
	if effort == "" || slices.Contains(p.Efforts(), effort) {
		return nil
	}
	return &Error{
		Kind:    BadRequest,
		Message: fmt.Sprintf("the %s protocol does not support the effort %q", p, effort),
		Hint:    "use one of " + strings.Join(p.Efforts(), ", ") + ", or leave it out",
	}
}
