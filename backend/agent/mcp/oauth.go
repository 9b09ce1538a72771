package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"
)

// Login is what the authorization server of an MCP server gave to Goalpost when the user logged in.
type Login struct {
	ClientID     string           `json:"client_id"`
	ClientSecret string           `json:"client_secret,omitempty"`
	TokenURL     string           `json:"token_url"`
	AuthStyle    oauth2.AuthStyle `json:"auth_style,omitempty"`
	Token        *oauth2.Token    `json:"token"`
}

// Logins stores the logins of servers. Its methods may be called concurrently.
type Logins interface {
	// Get returns the login of a server, nil if there is none.
	Get(ctx context.Context, s Server) (*Login, error)
	Put(ctx context.Context, s Server, l Login) error
}

// loginTimeout bounds one request to an authorization server.
const loginTimeout = 30 * time.Second

// loginClient reaches authorization servers: in the name of the user, not of a goal.
func loginClient() *http.Client { return &http.Client{Timeout: loginTimeout} }

// errLogin is the reason why a server cannot be used before the user logs in.
var errLogin = errors.New("it asks for a login, which is missing or no longer valid: log in to it in the settings " +
	"(MCP servers), or with the command mcp servers login")

// savedLogin lets a connection use the stored login of its server. It never asks the user.
type savedLogin struct {
	server Server
	logins Logins

	mu     sync.Mutex
	source oauth2.TokenSource
}

var _ auth.OAuthHandler = (*savedLogin)(nil)

// TokenSource implements auth.OAuthHandler.
func (s *savedLogin) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.source != nil {
		return s.source, nil
	}
	login, err := s.logins.Get(ctx, s.server)
	if err != nil || login == nil {
		return nil, err
	}
	ctx = context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, loginClient())
	s.source = newLoginSource(ctx, s.server, s.logins, login.config(), login.Token)
	return s.source, nil
}

// Authorize implements auth.OAuthHandler: it is called when the server refuses the login.
func (s *savedLogin) Authorize(_ context.Context, _ *http.Request, r *http.Response) error {
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 1<<16))
	_ = r.Body.Close()
	if r.StatusCode == http.StatusForbidden {
		return fmt.Errorf("%w; it refuses what this login allows (403)", errLogin)
	}
	return errLogin
}

func (l Login) config() *oauth2.Config {
	return &oauth2.Config{
		ClientID:     l.ClientID,
		ClientSecret: l.ClientSecret,
		Endpoint:     oauth2.Endpoint{TokenURL: l.TokenURL, AuthStyle: l.AuthStyle},
	}
}

// loginSource stores the login again whenever its token was refreshed.
type loginSource struct {
	ctx    context.Context //nolint:containedctx // oauth2 gives no other
	server Server
	logins Logins
	config *oauth2.Config
	next   oauth2.TokenSource

	mu     sync.Mutex
	stored string // the access token that is stored
}

func newLoginSource(
	ctx context.Context, s Server, logins Logins, config *oauth2.Config, token *oauth2.Token,
) *loginSource {
	return &loginSource{
		ctx: ctx, server: s, logins: logins, config: config, next: config.TokenSource(ctx, token),
		stored: token.AccessToken,
	}
}

// Token implements oauth2.TokenSource.
func (l *loginSource) Token() (*oauth2.Token, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	token, err := l.next.Token()
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return nil, errLogin
	}
	if err != nil {
		return nil, fmt.Errorf("refreshing the login of the server %s: %w", l.server.Name, err)
	}
	if token.AccessToken != l.stored {
		if err := l.save(token); err != nil {
			return nil, err
		}
		l.stored = token.AccessToken
	}
	return token, nil
}

func (l *loginSource) save(token *oauth2.Token) error {
	return l.logins.Put(l.ctx, l.server, Login{
		ClientID:     l.config.ClientID,
		ClientSecret: l.config.ClientSecret,
		TokenURL:     l.config.Endpoint.TokenURL,
		AuthStyle:    l.config.Endpoint.AuthStyle,
		Token:        token,
	})
}
