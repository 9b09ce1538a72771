package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	sdk "github.com/coder/acp-go-sdk"

	"goalpost/backend/lib/text"
)

// Options are for the connection and its session.
type Options struct {
	Version string // of the host
	Dir     string // where the agent works, absolute
	Server  MCPServer
	Meta    map[string]any    // sent with the session as _meta
	Options map[string]string // values by the ids of the agent's options, set when the session is ready
}

// Open initializes the connection. in and out are the agent's standard input and output. The session begins with
// NewSession or LoadSession.
func Open(ctx context.Context, o Options, h Handler, in io.Writer, out io.Reader) (*Conn, error) {
	c := &Conn{handler: h, opts: o, calls: map[string]ToolCall{}}
	c.mcp = []sdk.McpServer{{Http: &sdk.McpServerHttpInline{
		Type:    "http",
		Name:    o.Server.Name,
		Url:     o.Server.URL,
		Headers: []sdk.HttpHeader{{Name: "Authorization", Value: "Bearer " + o.Server.Token}},
	}}}
	locked, k := &lockedWriter{w: in}, &client{conn: c}
	filtered, to := io.Pipe()
	c.sdk = sdk.NewClientSideConnection(k, locked, filtered)
	go filter{c, k, locked}.run(out, to) //nolint:contextcheck // ends when out is closed
	// The SDK would log whole messages of the agent.
	c.sdk.SetLogger(slog.New(slog.DiscardHandler))
	got, err := c.sdk.Initialize(ctx, sdk.InitializeRequest{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		ClientInfo:      &sdk.Implementation{Name: "goalpost", Version: o.Version},
	})
	if err != nil {
		return nil, describeError("start the protocol", err)
	}
	if got.ProtocolVersion != sdk.ProtocolVersionNumber {
		return nil, fmt.Errorf("the agent uses version %d of the protocol, but Goalpost supports version %d",
			got.ProtocolVersion, sdk.ProtocolVersionNumber)
	}
	if !got.AgentCapabilities.McpCapabilities.Http {
		return nil, errors.New("the agent cannot use MCP servers over HTTP, so it could not claim that the goal is reached")
	}
	if got.AgentInfo != nil {
		c.Agent = text.TruncateBytes(got.AgentInfo.Name+" "+got.AgentInfo.Version, 100)
	}
	c.canLoad = got.AgentCapabilities.LoadSession
	c.resumes = got.AgentCapabilities.SessionCapabilities.Resume != nil
	return c, nil
}
