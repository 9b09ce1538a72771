package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"goalpost/backend/lib/text"
)

// maxLoginTime is how long the user may take to log in.
const maxLoginTime = 10 * time.Minute

// LogIn lets the user log in to a server that asks for it, stores the login, and caches the server's tools. show gets
// the address that the user opens in a browser; the browser returns to a port of this machine.
func LogIn(
	ctx context.Context, server Server, env Environment, cache ToolCache, now time.Time, show func(address string),
) (CachedToolList, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return CachedToolList{}, fmt.Errorf("waiting for the browser: %w", err)
	}
	r := &loginReturn{answers: make(chan *auth.AuthorizationResult, 1), problems: make(chan error, 1)}
	web := &http.Server{Handler: r, ReadHeaderTimeout: loginTimeout}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = web.Serve(listener)
	}()
	defer func() {
		_ = web.Close()
		<-ended
	}()
	here := fmt.Sprintf("http://%s/", listener.Addr())
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{
				ClientName:              "Goalpost",
				RedirectURIs:            []string{here},
				GrantTypes:              []string{"authorization_code", "refresh_token"},
				ResponseTypes:           []string{"code"},
				TokenEndpointAuthMethod: "none",
			},
		},
		RequestRefreshToken:   true,
		AcceptUnadvertisedIss: true,
		Client:                loginClient(),
		AuthorizationCodeFetcher: func(ctx context.Context, a *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			show(a.URL)
			return r.wait(ctx)
		},
		NewTokenSource: func(ctx context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			source := newLoginSource(ctx, server, env.Logins, c, t)
			return source, source.save(t)
		},
	})
	if err != nil {
		return CachedToolList{}, fmt.Errorf("the login: %w", err)
	}
	env.login, server.StartTimeout = handler, maxLoginTime
	return FetchTools(ctx, server, env, cache, now)
}

// loginReturn is where the browser returns to after the login.
type loginReturn struct {
	answers  chan *auth.AuthorizationResult
	problems chan error
}

func (l *loginReturn) wait(ctx context.Context) (*auth.AuthorizationResult, error) {
	select {
	case a := <-l.answers:
		return a, nil
	case err := <-l.problems:
		return nil, err
	case <-ctx.Done():
		return nil, errors.New("nobody logged in")
	}
}

// ServeHTTP implements http.Handler. The library compares the state, so that no other page can answer.
func (l *loginReturn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	switch {
	case q.Get("code") != "":
		select {
		case l.answers <- &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}:
		default:
		}
		_, _ = io.WriteString(w, "You can close this page. Goalpost shows whether the login worked.\n")
	case q.Get("error") != "":
		select {
		case l.problems <- fmt.Errorf("the login was refused: %s",
			text.SanitizeLine(q.Get("error")+" "+q.Get("error_description"), 300)):
		default:
		}
		_, _ = io.WriteString(w, "The login was refused. You can close this page.\n")
	default:
		http.NotFound(w, r)
	}
}
