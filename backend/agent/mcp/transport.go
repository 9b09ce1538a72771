package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/domain/process"
)

// newTransport starts the server's program, or returns the transport for its address.
func (c *client) newTransport(ctx context.Context, s *session) (sdk.Transport, error) {
	if c.server.URL != "" {
		headers, err := c.fillSecrets(ctx, c.server.Headers)
		if err != nil {
			return nil, err
		}
		return &sdk.StreamableClientTransport{
			OAuthHandler: c.loginHandler(headers),
			Endpoint:     c.server.URL,
			HTTPClient:   withHeaders(c.env.HTTP, headers),
			MaxRetries:   -1,
			MaxEventSize: maxFrame,
		}, nil
	}
	vars, err := c.fillSecrets(ctx, c.server.Env)
	if err != nil {
		return nil, err
	}
	env := append([]string{}, c.env.Env...)
	for k, v := range vars {
		env = append(env, k+"="+v)
	}
	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}
	argv := append([]string{c.server.Command}, c.server.Args...)
	s.program, err = c.env.Launcher.Start(ctx, process.Command{
		Argv:  argv,
		Env:   env,
		Dir:   c.env.Dir,
		Files: pipes.remote[:],
	})
	pipes.closeRemote()
	if err != nil {
		pipes.end()
		return nil, err
	}
	s.stderrReader = pipes.stderr
	c.work.Go(func() { s.stderr.fill(pipes.stderr) })
	return &sdk.IOTransport{
		Reader:        newMessageReader(pipes.out, s.skipped),
		Writer:        pipes.in,
		MaxLineLength: maxFrame,
	}, nil
}

// loginHandler returns what adds the user's login to requests, nil for a server that gets its key in a header.
func (c *client) loginHandler(headers map[string]string) auth.OAuthHandler {
	for name := range headers {
		if strings.EqualFold(name, "Authorization") {
			return nil
		}
	}
	switch {
	case c.env.login != nil:
		return c.env.login
	case c.env.Logins != nil:
		return &savedLogin{server: c.server, logins: c.env.Logins}
	}
	return nil
}

// maxFrame limits one message of a server, in bytes.
const maxFrame = 16 << 20

func (c *client) fillSecrets(ctx context.Context, values map[string]string) (map[string]string, error) {
	out := make(map[string]string, len(values))
	for k, v := range values {
		if c.env.Fill != nil {
			var err error
			if v, err = c.env.Fill(ctx, c.server, v); err != nil {
				return nil, fmt.Errorf("%s: %w", k, err)
			}
		}
		out[k] = v
	}
	return out, nil
}
