package mcpservers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"goalpost/backend/agent/mcp"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
)

// logins stores the user's logins to servers as secrets that only the server's host may get.
type logins struct{ servers *Servers }

var _ mcp.Logins = logins{}

func loginName(server string) string { return "mcp-login-" + server }

// Get implements mcp.Logins.
func (l logins) Get(ctx context.Context, s mcp.Server) (*mcp.Login, error) {
	meta, err := l.servers.Secrets.Find(loginName(s.Name))
	if errors.Is(err, secret.ErrUnknown) || err == nil && !isSecretAllowed(meta, s) {
		return nil, nil //nolint:nilnil // documented: there is none
	}
	value, err := l.servers.Secrets.Get(ctx, loginName(s.Name))
	if err != nil {
		return nil, fmt.Errorf("the login of the server %s: %w", s.Name, err)
	}
	var login mcp.Login
	if err := json.Unmarshal([]byte(value), &login); err != nil || login.Token == nil {
		return nil, nil //nolint:nilnil,nilerr // an unreadable login is replaced by the next
	}
	l.hide(s, login)
	return &login, nil
}

// Put implements mcp.Logins. A keyring takes short values only: an access token that does not fit is asked for again
// with the refresh token.
func (l logins) Put(ctx context.Context, s mcp.Server, login mcp.Login) error {
	l.hide(s, login)
	host, _ := s.Host()
	value, err := json.Marshal(login)
	if err == nil && len(value) > secret.MaxValue && login.Token.RefreshToken != "" {
		short := *login.Token
		short.AccessToken = ""
		login.Token = &short
		value, err = json.Marshal(login)
	}
	if err == nil {
		_, err = l.servers.Secrets.Set(ctx, loginName(s.Name), string(value), []string{host})
	}
	if err != nil {
		return fmt.Errorf("storing the login of the server %s: %w", s.Name, err)
	}
	return nil
}

// hide masks the tokens wherever they would be shown.
func (l logins) hide(s mcp.Server, login mcp.Login) {
	for _, token := range []string{login.Token.AccessToken, login.Token.RefreshToken, login.ClientSecret} {
		if token != "" {
			l.servers.Mask.Add(loginName(s.Name), token)
		}
	}
}

func (l logins) remove(ctx context.Context, server string) error {
	if err := l.servers.Secrets.Remove(ctx, loginName(server)); err != nil && !errors.Is(err, secret.ErrUnknown) {
		return fmt.Errorf("removing its login: %w", err)
	}
	return nil
}

// LogIn waits until the user has logged in to a server with the browser, and caches its tools. MCPServers shows the
// address to open meanwhile.
func (se *Servers) LogIn(ctx context.Context, name string) (api.MCPServer, error) {
	c, err := se.find(name)
	if err != nil {
		return api.MCPServer{}, err
	}
	if c.URL == "" {
		return api.MCPServer{}, fault.Invalid("name", "the MCP server "+name+" is a program, which has no login",
			"give its key in an environment variable")
	}
	for header := range c.Headers {
		if strings.EqualFold(header, "Authorization") {
			return api.MCPServer{}, fault.Invalid("headers", "the MCP server "+name+" already gets a key in its headers",
				"remove the header Authorization first")
		}
	}
	defer se.loginAddresses.Delete(name)
	se.startFailures.Delete(name)
	return se.testServer(ctx, c, func(address string) { se.loginAddresses.Store(name, address) })
}

// loginAddress returns the address at which the user logs in to a server now, "" if no login is under way.
func (se *Servers) loginAddress(name string) string {
	found, _ := se.loginAddresses.Load(name)
	address, _ := found.(string)
	return address
}

func (se *Servers) find(name string) (config.MCPServer, error) {
	for _, c := range se.Config.MCPServers() {
		if c.Name == name {
			return c, nil
		}
	}
	return config.MCPServer{}, &fault.Error{
		Code:    fault.NotFound,
		Message: fmt.Sprintf("there is no MCP server %q", name),
		Hint:    "add it first",
		Field:   "name",
	}
}
