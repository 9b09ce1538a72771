package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	sdk "github.com/coder/acp-go-sdk"
)

// Open initializes the connection. in and out are the agent's standard input and output. The session begins with
// NewSession or LoadSession.
func Open(
	ctx context.Context, version, dir string, h Handler, server MCPServer, in io.Writer, out io.Reader,
) (*Conn, error) {
	c := &Conn{handler: h, dir: dir, calls: map[string]ToolCall{}}
	c.mcp = []sdk.McpServer{{Http: &sdk.McpServerHttpInline{
		Type:    "http",
		Name:    server.Name,
		Url:     server.URL,
		Headers: []sdk.HttpHeader{{Name: "Authorization", Value: "Bearer " + server.Token}},
	}}}
	locked, k := &lockedWriter{w: in}, &client{c}
	filtered, to := io.Pipe()
	c.sdk = sdk.NewClientSideConnection(k, locked, filtered)
	go filter{c, k, locked}.run(out, to) //nolint:contextcheck // it lives as long as out
	// the SDK logs whole messages of the agent
	c.sdk.SetLogger(slog.New(slog.DiscardHandler))
	got, err := c.sdk.Initialize(ctx, sdk.InitializeRequest{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		ClientInfo:      &sdk.Implementation{Name: "goalpost", Version: version},
	})
	if err != nil {
		return nil, describeError("start the protocol", err)
	}
	if got.ProtocolVersion != sdk.ProtocolVersionNumber {
		return nil, fmt.Errorf("the agent speaks version %d of the protocol; Goalpost speaks version %d",
			got.ProtocolVersion, sdk.ProtocolVersionNumber)
	}
	if !got.AgentCapabilities.McpCapabilities.Http {
		return nil, errors.New("the agent cannot use MCP servers over HTTP, so it could not claim that the goal is reached")
	}
	if got.AgentInfo != nil {
		c.Agent = truncate(got.AgentInfo.Name+" "+got.AgentInfo.Version, 100)
	}
	c.canLoad = got.AgentCapabilities.LoadSession
	c.resumes = got.AgentCapabilities.SessionCapabilities.Resume != nil
	return c, nil
}
