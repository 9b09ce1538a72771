package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// Tool is one tool of a server that a goal can call.
type Tool struct {
	link   *client
	offer  ToolInfo
	spec   goal.ToolSpec
	schema *jsonschema.Resolved // nil if only the server can validate
}

var invalidNameChars = text.NewPattern(`[^A-Za-z0-9_-]`)

// newTool makes a tool from its description; the error says why the goal cannot have it.
func newTool(l *client, o ToolInfo) (*Tool, error) {
	name := l.server.Name + NameSeparator + invalidNameChars.ReplaceAllString(o.Name, "_")
	if len(name) > maxName {
		name = name[:maxName]
	}
	t := &Tool{link: l, offer: o}
	var shape struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(o.Schema, &shape); err != nil || shape.Type != "object" || len(o.Schema) > maxSchema {
		return nil, fmt.Errorf("the tool %s has no usable schema", text.SanitizeLine(o.Name, maxName))
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(o.Schema, &schema); err == nil {
		if resolved, err := schema.Resolve(nil); err == nil {
			t.schema = resolved
		}
	}
	description := fmt.Sprintf("A tool of the user's MCP server %s, described by it as: %s", l.server.Name,
		text.SanitizeLine(o.Description, maxDescription))
	t.spec = goal.ToolSpec{Name: name, Description: description, Schema: o.Schema, Group: goal.ToolGroup(l.server.Name)}
	return t, nil
}

// Spec returns the tool's description for the model.
func (t *Tool) Spec() goal.ToolSpec { return t.spec }

// Effect returns the user's risk level for the server; without one, it follows the tool's annotations. A program is
// limited by its sandbox whatever its annotations say; a server at an address of this machine is not, so its
// annotations are not trusted.
func (t *Tool) Effect(_ context.Context, raw json.RawMessage) (policy.Effect, error) {
	if err := t.validateArgs(raw); err != nil {
		return policy.Effect{}, err
	}
	e := effectOf(t.link.server, t.offer.Annotations)
	if host, port := t.link.server.Host(); host != "" && !t.link.server.IsLocal() {
		e.Hosts, e.Ports = []string{host}, []string{port}
	} else {
		e.Program = true
	}
	return e, nil
}

// validateArgs checks arguments against the schema before the server is asked.
func (t *Tool) validateArgs(raw json.RawMessage) error {
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		return fmt.Errorf("the arguments of %s are not a JSON object (%w). Its schema is %s", t.spec.Name, err, t.spec.Schema)
	}
	if t.schema == nil {
		return nil
	}
	if err := t.schema.Validate(object); err != nil {
		return fmt.Errorf("the arguments of %s do not match its schema: %w. The schema is %s", t.spec.Name, err,
			t.spec.Schema)
	}
	return nil
}

// Do calls the tool. It starts the server if it is not running.
func (t *Tool) Do(ctx context.Context, raw json.RawMessage) goal.Result {
	if err := t.validateArgs(raw); err != nil {
		return failedResult("%s", err)
	}
	s, err := t.link.currentSession(ctx)
	if err != nil {
		return failedResult("%s. The other tools still work.", err)
	}
	name := t.link.server.Name
	if now, ok := s.tools[t.offer.Name]; !ok || now.hash() != t.offer.hash() {
		return failedResult(
			"not called: the server %s has changed the description of this tool since it was listed. The user can "+
				"check it (settings, MCP servers, Test); do not use it in this run.", name)
	}
	limited, cancel := context.WithTimeout(ctx, t.link.server.timeout())
	defer cancel()
	result, err := s.client.CallTool(limited, &sdk.CallToolParams{Name: t.offer.Name, Arguments: raw})
	var rpcError *jsonrpc.Error
	switch {
	case err == nil:
		return toResult(name, result)
	case ctx.Err() == nil && limited.Err() != nil:
		return failedResult("the server %s did not answer within %s. It is unknown whether it did something.", name,
			goal.FormatDuration(t.link.server.timeout()))
	case ctx.Err() != nil:
		return failedResult("the call of the server %s was interrupted and may have had an effect", name)
	case errors.As(err, &rpcError):
		return failedResult("the server %s refused the call:\n%s", name,
			text.WrapUntrusted("the server "+name, rpcError.Error()))
	case s.awaitExit():
		return failedResult(
			"the server %s ended during the call, so it is unknown whether it did something: %s. The next call "+
				"starts it again.", name, s.wrapError(err))
	}
	return failedResult("the call of the server %s failed: %s", name, text.SanitizeLine(err.Error(), 1000))
}
