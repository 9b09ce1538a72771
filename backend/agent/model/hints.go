package model

import (
	"cmp"
	"fmt"
)

// reword is the hint for a refusal of what the conversation says.
const reword = "describe the goal in other words, or choose another model"

// hintFor returns what the user can do about an error: about its cause if that is known, otherwise about its kind.
func (b *baseClient) hintFor(e *Error) string {
	return cmp.Or(b.causeHint(e.cause), b.kindHint(e.Kind))
}

// causeHint returns "" if the cause has no hint of its own.
func (b *baseClient) causeHint(c cause) string {
	if c == otherAPI && b.protocol == ProtocolResponses {
		return "choose another model: the server does not offer this one over the Responses API"
	}
	return map[cause]string{
		noCredit:      "check the credit and the restrictions of your account at the provider",
		contentFilter: reword,
		wrongRegion:   "choose a provider that serves your country, or the base URL of another region",
		unverified:    "verify the organisation at the provider as the message says, or choose another model",
		noModel:       "check the model's name and the base URL, which usually looks like " + b.usualURL,
		noTools:       "choose a model that can call tools, or enable tool calls in the server",
		otherAPI: "choose the kind " + string(ProtocolResponses) + " (OpenAI Responses API) for the provider: the server " +
			"offers the model only there",
		refusedParameter: "the model does not accept a parameter of the request: choose another model or effort",
		refusedSchema: "the model does not accept the arguments of a tool: choose another model, or switch off the MCP " +
			"server that offers the tool",
		refusedForm: fmt.Sprintf("the server expects requests in another form than the %s protocol: check the provider's "+
			"kind and base URL, or choose another model", b.protocol),
		lostReasoning: "the server does not accept the reasoning of earlier turns: start the goal again, or choose another " +
			"model",
		nativeOllama: "end the base URL with /v1, where Ollama speaks the OpenAI protocol",
	}[c]
}

func (b *baseClient) kindHint(k Kind) string {
	switch k {
	case Unreachable:
		if !b.isLoopback() {
			return "is this computer online, and does the server run at " + b.publicURL() + "?"
		}
		return "is the server running at " + b.publicURL() + "?"
	case Auth:
		return b.keyHint()
	case RateLimited, Overloaded:
		return "wait, or choose another provider"
	case Truncated:
		return "this is usually temporary"
	case InvalidReply:
		return fmt.Sprintf("does %s speak the %s protocol? The base URL usually looks like %s", b.publicURL(), b.protocol,
			b.usualURL)
	case Refused:
		return "check the restrictions of your account at the provider"
	case BadRequest:
		return "if the message does not say what to change, choose another model, or another kind of provider"
	case TooLong:
		return "choose a model with a larger context window, or configure a larger one in the server"
	case NoVision:
		return "choose a model that accepts images"
	case Silent, Untrusted: // they have one
	case Mistaken:
		return "choose a lower effort, or a model that is better at calling tools"
	}
	return ""
}

func (b *baseClient) keyHint() string {
	switch {
	case b.o.KeyName == "":
		return "enter the environment variable of the key in the provider's settings"
	case b.o.APIKey == "":
		return "set " + b.o.KeyName
	}
	return "check the key in " + b.o.KeyName
}
