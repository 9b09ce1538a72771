package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
	"goalpost/backend/lib/toolschema"
)

// Tool is one tool of a server that a goal can call.
type Tool struct {
	link   *client
	offer  ToolInfo
	spec   goal.ToolSpec
	schema *toolschema.Schema
}

// newTool makes a tool from its description, with a name that every provider accepts; the error says why the goal
// cannot have it.
func newTool(l *client, o ToolInfo, name string) (*Tool, error) {
	schema, err := toolschema.Parse(o.Schema)
	if err != nil || len(o.Schema) > maxSchema {
		return nil, fmt.Errorf("the tool %s has no usable schema", text.SanitizeLine(o.Name, maxName))
	}
	t := &Tool{link: l, offer: o, schema: schema}
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
	if err := t.schema.Check(t.spec.Name, string(raw)); err != nil {
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

// Do calls the tool. It starts the server if it is not running.
func (t *Tool) Do(ctx context.Context, raw json.RawMessage) goal.Result {
	if err := t.schema.Check(t.spec.Name, string(raw)); err != nil {
		return failedResult("%s", err)
	}
	s, err := t.link.currentSession(ctx)
	if err != nil {
		if ctx.Err() == nil {
			t.link.warn(err.Error())
		}
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
	switch {
	case err == nil:
		return toResult(name, result)
	case ctx.Err() == nil && limited.Err() != nil:
		limit := goal.FormatDuration(t.link.server.timeout())
		t.link.warn(fmt.Sprintf("%s did not answer within %s", text.SanitizeLine(t.offer.Name, maxName), limit))
		return failedResult("the server %s did not answer within %s. It is unknown whether it did something. %s", name,
			limit, s.checkAlive(ctx))
	}
	return t.describeFailure(ctx, s, err)
}

// describeFailure returns the result of a call that a server did not answer, for another reason than time.
func (t *Tool) describeFailure(ctx context.Context, s *session, err error) goal.Result {
	name := t.link.server.Name
	var rpcError *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return failedResult("the call of the server %s was interrupted and may have had an effect", name)
	case errors.As(err, &rpcError):
		return failedResult("the server %s refused the call:\n%s", name,
			text.WrapUntrusted("the server "+name, rpcError.Error()))
	case s.awaitExit():
		t.link.warn("it ended during a call of " + text.SanitizeLine(t.offer.Name, maxName))
		return failedResult(
			"the server %s ended during the call, so it is unknown whether it did something: %s. The next call "+
				"starts it again.", name, s.wrapError(err))
	}
	return failedResult("the call of the server %s failed: %s", name, text.SanitizeLine(err.Error(), 1000))
}
