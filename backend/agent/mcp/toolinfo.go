package mcp

import (
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

const (
	maxDescription = 6000     // in bytes: 2,000 characters of any script
	maxSchema      = 64 << 10 // in bytes
	maxName        = 64       // of server__tool: the limit of providers
)

// NameSeparator separates the names of a server and of its tool.
const NameSeparator = "__"

// toolInfoFrom converts a server's description of a tool.
func toolInfoFrom(t *sdk.Tool) (ToolInfo, error) {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return ToolInfo{}, fmt.Errorf("the schema of its tool %s: %w", text.SanitizeLine(t.Name, maxName), err)
	}
	return ToolInfo{Name: t.Name, Description: t.Description, Schema: schema, Annotations: t.Annotations}, nil
}

func effectOf(s Server, a *sdk.ToolAnnotations) policy.Effect {
	if s.Risk != "" {
		return policy.Effect{Risk: s.Risk, Reason: "the user's setting for the server " + s.Name}
	}
	if s.URL != "" && s.IsLocal() {
		wipes := a != nil && !a.ReadOnlyHint && a.DestructiveHint != nil && *a.DestructiveHint
		return policy.Effect{
			Risk:         policy.NetworkWrite,
			Irreversible: wipes,
			Reason: "the server " + s.Name + " runs on this machine without a sandbox, so its annotations are not " +
				"trusted; the risk level of its tools can be set in the settings",
		}
	}
	if a == nil {
		return policy.UnknownEffect("the server " + s.Name + " does not say what the tool does")
	}
	open := a.OpenWorldHint == nil || *a.OpenWorldHint
	destructive := a.DestructiveHint == nil || *a.DestructiveHint
	says := "the server " + s.Name + " says that it "
	switch {
	case a.ReadOnlyHint && open:
		return policy.Effect{Risk: policy.NetworkGet, Reason: says + "reads from outside"}
	case a.ReadOnlyHint:
		return policy.Effect{Risk: policy.ReadOnly, Reason: says + "only reads"}
	case open:
		return policy.Effect{
			Risk:         policy.NetworkWrite,
			Irreversible: a.DestructiveHint != nil && destructive,
			Reason:       says + "changes something outside",
		}
	}
	return policy.Effect{Risk: policy.WriteLocal, Irreversible: destructive, Reason: says + "changes something here"}
}

// ToolInfo is one tool as its server described it.
type ToolInfo struct {
	Name        string               `json:"name"`
	Description string               `json:"description"`
	Schema      json.RawMessage      `json:"schema"`
	Annotations *sdk.ToolAnnotations `json:"annotations,omitempty"`
}

// hash returns a fingerprint of everything in the description that a model or a user relies on.
func (t ToolInfo) hash() string { return hashTools(t) }

func hashTools(v any) string {
	b, err := json.Marshal(v)
	if err != nil { // cannot happen: only strings, numbers and parsed JSON
		return ""
	}
	return fileio.Hash(b)
}
