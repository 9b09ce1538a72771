package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// ServedTools describes the server that other agents see, with its tools.
type ServedTools struct {
	Version      string
	Instructions string
	Handlers     []Handler
}

// Handler is one tool of the server.
type Handler struct{ add func(*sdk.Server) }

// Hints describes a tool's behaviour to the other agent's host.
type Hints struct{ ReadOnly, Destructive, Open bool }

func (h Hints) annotations() *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{ReadOnlyHint: h.ReadOnly, DestructiveHint: &h.Destructive, OpenWorldHint: &h.Open}
}

// Progress reports the progress of a long call to the other agent. It may be called often.
type Progress func(message string, done float64)

// NewHandler makes a tool from a function whose arguments have the schema of spec. A result that is a string is sent as
// it is, any other as JSON. An error is an error of the tool, not of the protocol.
func NewHandler[A any](spec goal.ToolSpec, h Hints, do func(context.Context, A, Progress) (any, error)) Handler {
	t := &sdk.Tool{Name: spec.Name, Description: spec.Description, InputSchema: spec.Schema, Annotations: h.annotations()}
	return Handler{func(s *sdk.Server) {
		sdk.AddTool(s, t, func(ctx context.Context, r *sdk.CallToolRequest, a A) (*sdk.CallToolResult, any, error) {
			out, err := do(ctx, a, reportProgress(ctx, r))
			if err != nil {
				return nil, nil, err
			}
			text, err := textResult(out)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil, err
		})
	}}
}

func textResult(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encoding the answer: %w", err)
	}
	return string(b), nil
}

// ForwardTool serves a tool of a goal; do validates the call and decides whether it is allowed.
func ForwardTool(spec goal.ToolSpec, h Hints, do func(context.Context, json.RawMessage) goal.Result) Handler {
	t := &sdk.Tool{Name: spec.Name, Description: spec.Description, InputSchema: spec.Schema, Annotations: h.annotations()}
	return Handler{func(s *sdk.Server) {
		s.AddTool(t, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			args := r.Params.Arguments
			if len(args) == 0 {
				args = json.RawMessage("{}")
			}
			result := do(ctx, args)
			out := &sdk.CallToolResult{IsError: !result.OK, Content: []sdk.Content{&sdk.TextContent{Text: result.Envelope()}}}
			if len(result.Image) > 0 {
				out.Content = append(out.Content, &sdk.ImageContent{Data: result.Image, MIMEType: schemaKind(result.Image)})
			}
			return out, nil
		})
	}}
}

// TextTool serves a tool whose calls are executed by do, which returns text.
func TextTool(spec goal.ToolSpec, do func(ctx context.Context, arguments string) (text string, ok bool)) Handler {
	t := &sdk.Tool{Name: spec.Name, Description: spec.Description, InputSchema: spec.Schema}
	return Handler{func(s *sdk.Server) {
		s.AddTool(t, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			text, ok := do(ctx, string(r.Params.Arguments))
			return &sdk.CallToolResult{IsError: !ok, Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
		})
	}}
}

func schemaKind(image []byte) string {
	if len(image) > 1 && image[0] == 0xFF && image[1] == 0xD8 {
		return "image/jpeg"
	}
	return "image/png"
}

// reportProgress reports progress if the caller asked for it, and otherwise does nothing.
func reportProgress(ctx context.Context, r *sdk.CallToolRequest) Progress {
	token := r.Params.GetProgressToken()
	return func(message string, done float64) {
		if token == nil {
			return
		}
		// If the agent has disconnected, the end of the call reports that.
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token,
			Message:       text.SanitizeLine(message, 500),
			Progress:      done,
		})
	}
}

// Serve serves another agent on in and out until in or ctx ends. Only the protocol may be written to out.
// The end of ctx ends calls, too.
func Serve(ctx context.Context, o ServedTools, in io.Reader, out io.WriteCloser) error {
	read, write := io.Pipe() // the end of the input cancels calls; a read of in may not end
	go func() {
		_, err := io.Copy(write, in)
		_ = write.CloseWithError(err) // returns nil
	}()
	stop := context.AfterFunc(ctx, func() { _ = write.Close() }) // returns nil
	defer stop()
	err := newServer(o).Run(ctx, &sdk.IOTransport{Reader: read, Writer: out, MaxLineLength: maxFrame})
	if err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("serving MCP: %w", err)
}

func newServer(o ServedTools) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "goalpost", Version: o.Version}, &sdk.ServerOptions{
		Instructions: o.Instructions,
		Capabilities: &sdk.ServerCapabilities{},
	})
	for _, h := range o.Handlers {
		h.add(s)
	}
	return s
}

// ServeHTTP returns a handler that serves another agent over HTTP. The caller authorizes requests. Requests have no
// session, so nothing of a disconnected agent remains in memory.
func ServeHTTP(o ServedTools) http.Handler {
	s := newServer(o)
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}
