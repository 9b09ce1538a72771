// Package mcpservers manages the user's MCP servers, and opens them for goals.
package mcpservers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"goalpost/backend/agent/mcp"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/access"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
)

// Servers manages the user's MCP servers. All methods may be called concurrently.
type Servers struct {
	Config    *config.Config
	Log       *slog.Logger
	Clock     runner.Clock
	Secrets   *secret.Vault
	Mask      *secret.Mask
	Access    *access.Rules
	Sandboxes *goalsandbox.Factory

	startFailures sync.Map // why servers did not start, by name
	starts        mcp.Starts

	loginAddresses sync.Map // at which the user logs in, by name
}

// toolCache returns the cache of the tools that the user's servers listed last.
func (se *Servers) toolCache() mcp.ToolCache {
	return mcp.ToolCache{Dir: filepath.Join(se.Config.State(), "mcp")}
}

// usableServers lists the servers that goals may use. It reports invalid servers with warn.
func (se *Servers) usableServers(warn func(server, why string)) []mcp.Server {
	var list []mcp.Server
	for _, c := range se.Config.MCPServers() {
		s := serverOf(c)
		if err := s.Validate(); err != nil {
			warn(c.Name, err.Error())
		} else if !c.Off {
			list = append(list, s)
		}
	}
	return list
}

func serverOf(c config.MCPServer) mcp.Server {
	return mcp.Server{
		Name: c.Name, Command: c.Command, Args: c.Args, Env: c.Env, URL: c.URL, Headers: c.Headers,
		Risk: policy.Risk(c.Risk), Timeout: time.Duration(c.TimeoutSeconds) * time.Second,
		StartTimeout: time.Duration(c.StartSeconds) * time.Second,
	}
}

// Clients are the user's MCP servers in the sandbox of one goal.
type Clients struct {
	set   *mcp.Clients
	proxy *egress.Proxy // nil if no server is remote, or the goal is unconfined
	wire  *http.Transport
	Given []policy.SecretUse // secrets in the environment of local servers
}

// ListTools asks, in parallel, the servers that have never listed their tools and that the goal may contact. This
// process does not ask a server that failed again, until the user tests it.
func (se *Servers) ListTools(ctx context.Context, p policy.Policy) error {
	rules, err := se.Access.RuleSet()
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for _, c := range se.Config.MCPServers() {
		s := serverOf(c)
		_, isListed, err := se.toolCache().Get(s)
		_, failed := se.startFailures.Load(s.Name)
		if c.Off || isListed || failed || err != nil || s.Validate() != nil || !canListWithoutAsking(rules, p, s) {
			continue
		}
		all.Go(func() {
			if _, err := se.testServer(ctx, c, nil); err != nil {
				se.startFailures.Store(s.Name, err.Error())
			}
		})
	}
	all.Wait()
	return nil
}

// Open starts the servers for a goal. Local servers run in its sandbox. Remote servers are reached through a separate
// proxy that allows only them, so that the goal's programs cannot reach them.
func (se *Servers) Open(
	ctx context.Context, e *goalsandbox.Sandbox, p policy.Policy, warn func(what, text string),
) (*Clients, error) {
	report := func(server, why string) {
		warn(event.ServerWarning, goal.EndSentence(fmt.Sprintf("MCP server %s: %s", server, why)))
	}
	refuse := func(server, why string) {
		if failed, ok := se.startFailures.Load(server); ok {
			why = fmt.Sprint(failed)
		}
		report(server, why)
	}
	servers := se.usableServers(refuse)
	g := &Clients{wire: &http.Transport{MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second}}
	if err := g.openProxy(ctx, se.Log, e, p, servers); err != nil {
		return nil, err
	}
	for _, s := range servers {
		g.Given = append(g.Given, se.secretsOfServer(s)...)
	}
	g.set = mcp.Open(mcp.Options{
		Servers: servers, Listings: se.toolCache(), Warn: refuse, Failed: report,
		Environment: mcp.Environment{
			Launcher: e.Programs,
			Env:      e.Env,
			Dir:      p.Dir,
			HTTP:     &http.Client{Transport: g.wire},
			Fill:     se.fillServerSecrets,
			Starts:   &se.starts,
			Logins:   logins{se},
		},
	})
	return g, nil
}

// canListWithoutAsking reports whether a goal may list a server's tools without the user's approval.
func canListWithoutAsking(rules policy.RuleSet, p policy.Policy, s mcp.Server) bool {
	if s.IsLocal() {
		return true
	}
	host, port := s.Host()
	effect := policy.Effect{Risk: policy.NetworkGet, Hosts: []string{host}, Ports: []string{port}}
	return rules.Decide(policy.Call{Tool: s.Name, Effect: effect}, p, nil).Answer == policy.Allow
}

// openProxy opens the proxy for the remote servers.
func (c *Clients) openProxy(
	ctx context.Context, log *slog.Logger, e *goalsandbox.Sandbox, p policy.Policy, servers []mcp.Server,
) error {
	rules := egress.Rules{Risk: policy.ReadOnly, Deny: p.DenyHosts}
	for _, s := range servers {
		switch {
		case s.URL == "":
		case s.IsLocal():
			rules.Local = append(rules.Local, s.Address())
		default:
			rules.Granted = append(rules.Granted, s.Address())
		}
	}
	if e.Proxy == nil || len(rules.Local)+len(rules.Granted) == 0 {
		return nil
	}
	c.proxy = egress.New(egress.Config{Rules: rules, OnEntry: e.OnRequest, Log: log})
	address, err := c.proxy.Listen(ctx)
	if err != nil {
		return errors.Join(err, c.Close())
	}
	u, err := url.Parse(address)
	if err != nil {
		return errors.Join(fmt.Errorf("the proxy of MCP servers: %w", err), c.Close())
	}
	c.wire.Proxy = http.ProxyURL(u)
	return nil
}

// fillServerSecrets replaces the references to secrets in a value for a server. It refuses a secret that is restricted
// to other hosts.
func (se *Servers) fillServerSecrets(ctx context.Context, s mcp.Server, value string) (string, error) {
	values := map[string]string{}
	for _, name := range secret.Refs(value) {
		meta, err := se.Secrets.Find(name)
		if err != nil {
			return "", fmt.Errorf("%w: save it with secret set %s", err, name)
		}
		if !isSecretAllowed(meta, s) {
			return "", fmt.Errorf("the secret %s may only be sent to %s, not to this server", name,
				strings.Join(meta.Hosts, ", "))
		}
		if values[name], err = se.Secrets.Get(ctx, name); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	return secret.Fill(value, func(name string) (string, bool) { v, ok := values[name]; return v, ok }), nil
}

func isSecretAllowed(value secret.Secret, s mcp.Server) bool {
	host, _ := s.Host()
	return len(value.Hosts) == 0 || slices.Contains(value.Hosts, host)
}

// secretsOfServer lists the secrets in the environment of a server. A remote server has none.
func (se *Servers) secretsOfServer(s mcp.Server) (list []policy.SecretUse) {
	if s.URL != "" {
		return nil
	}
	for _, value := range s.Env {
		for _, name := range secret.Refs(value) {
			if meta, err := se.Secrets.Find(name); err == nil && isSecretAllowed(meta, s) {
				list = append(list, policy.SecretUse{Name: name, Hosts: meta.Hosts})
			}
		}
	}
	return list
}

func (c *Clients) Tools() []runner.Tool {
	var list []runner.Tool
	for _, t := range c.set.Tools() {
		list = append(list, t)
	}
	return list
}

func (c *Clients) Close() error {
	if c == nil {
		return nil
	}
	if c.set != nil {
		c.set.Close()
	}
	c.wire.CloseIdleConnections()
	if c.proxy == nil {
		return nil
	}
	return c.proxy.Close()
}

// MCPServers lists the user's servers with their cached tools. It starts none.
func (se *Servers) MCPServers() ([]api.MCPServer, error) {
	list := []api.MCPServer{}
	for _, c := range se.Config.MCPServers() {
		v := serverView(c)
		v.Progress, v.LoginAddress = se.starts.Progress(c.Name), se.loginAddress(c.Name)
		found, ok, err := se.toolCache().Get(serverOf(c))
		if err != nil {
			return nil, fmt.Errorf("MCP servers: %w", err)
		}
		if ok {
			addCachedTools(&v, serverOf(c), found)
		}
		list = append(list, v)
	}
	return list, nil
}

func serverView(c config.MCPServer) api.MCPServer {
	v := api.MCPServer{
		Name:           c.Name,
		Command:        c.Command,
		Args:           append([]string{}, c.Args...),
		Env:            []string{},
		URL:            c.URL,
		Headers:        []string{},
		Risk:           c.Risk,
		Read:           append([]string{}, c.Read...),
		TimeoutSeconds: c.TimeoutSeconds,
		StartSeconds:   c.StartSeconds,
		Off:            c.Off,
		Notes:          []string{},
		Tools:          []api.MCPTool{},
	}
	for _, k := range slices.Sorted(maps.Keys(c.Env)) {
		v.Env = append(v.Env, k+"="+c.Env[k])
	}
	for _, k := range slices.Sorted(maps.Keys(c.Headers)) {
		v.Headers = append(v.Headers, k+": "+c.Headers[k])
	}
	return v
}

func addCachedTools(v *api.MCPServer, s mcp.Server, l mcp.CachedToolList) {
	v.Title, v.ListedAt, v.Notes = l.Title, l.At.UTC().Format(time.RFC3339), append([]string{}, l.Notes...)
	for _, t := range l.Summaries(s) {
		v.Tools = append(v.Tools, api.MCPTool(t))
	}
}

// parsePairs parses entries such as KEY=value or Name: value.
func parsePairs(field string, list []string, between string) (map[string]string, error) {
	out := map[string]string{}
	for _, entry := range list {
		k, v, ok := strings.Cut(entry, between)
		if k = strings.TrimSpace(k); !ok || k == "" {
			return nil, fault.Invalid(field, fmt.Sprintf("%q has no name or no %q", entry, between),
				"write NAME"+between+"VALUE")
		}
		out[k] = strings.TrimSpace(v)
	}
	return out, nil
}

// SaveMCPServer validates and saves a server.
func (se *Servers) SaveMCPServer(v api.MCPServer) error {
	env, err1 := parsePairs("env", v.Env, "=")
	headers, err2 := parsePairs("headers", v.Headers, ":")
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	c := config.MCPServer{
		Name: v.Name, Command: v.Command, Args: v.Args, Env: env, URL: v.URL, Headers: headers,
		Risk: v.Risk, TimeoutSeconds: v.TimeoutSeconds, StartSeconds: v.StartSeconds, Off: v.Off,
	}
	for _, path := range v.Read {
		if path, err := se.Access.ValidateServerFolder(path); err != nil {
			return err
		} else if !slices.Contains(c.Read, path) {
			c.Read = append(c.Read, path)
		}
	}
	if err := serverOf(c).Validate(); err != nil {
		return serverProblem(err)
	}
	return se.Config.SaveMCPServer(c)
}

func serverProblem(err error) error {
	var invalid *fault.Error
	if errors.As(err, &invalid) {
		return &fault.Error{Code: fault.Refused, Message: invalid.Message, Hint: invalid.Hint, Field: invalid.Field}
	}
	return err
}

// DeleteMCPServer removes a server, its cached tools and its login.
func (se *Servers) DeleteMCPServer(ctx context.Context, name string) error {
	return errors.Join(se.Config.DeleteMCPServer(name), se.toolCache().Forget(name), logins{se}.remove(ctx, name))
}

// TestMCPServer starts a server as a goal would, in an empty folder, and caches its tools.
func (se *Servers) TestMCPServer(ctx context.Context, name string) (api.MCPServer, error) {
	c, err := se.find(name)
	if err != nil {
		return api.MCPServer{}, err
	}
	se.startFailures.Delete(name)
	return se.testServer(ctx, c, nil)
}

// testServer lists the tools of a server. With showLogin, the user logs in to it first, at the address that showLogin
// gets.
func (se *Servers) testServer(
	ctx context.Context, c config.MCPServer, showLogin func(address string),
) (out api.MCPServer, err error) {
	s := serverOf(c)
	dir, err := os.MkdirTemp(se.Config.State(), "mcp-test-")
	if err != nil {
		return out, fmt.Errorf("testing %s: %w", s.Name, err)
	}
	defer func() { err = errors.Join(err, sandbox.RemoveLayer(dir)) }()
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		return out, fmt.Errorf("testing %s: %w", s.Name, err)
	}
	p := policy.Policy{Risk: policy.WriteLocal, Dir: work}
	e, err := se.Sandboxes.Open(ctx, "mcp-"+s.Name, p, filepath.Join(dir, "layer"))
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, e.Close(context.WithoutCancel(ctx))) }()
	g := &Clients{wire: &http.Transport{}}
	if err := g.openProxy(ctx, se.Log, e, p, []mcp.Server{s}); err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	environment := mcp.Environment{
		Launcher: e.Programs,
		Env:      e.Env,
		Dir:      work,
		HTTP:     &http.Client{Transport: g.wire},
		Fill:     se.fillServerSecrets,
		Starts:   &se.starts,
		Logins:   logins{se},
	}
	var list mcp.CachedToolList
	if showLogin != nil {
		list, err = mcp.LogIn(ctx, s, environment, se.toolCache(), se.Clock.Now(), showLogin)
	} else {
		list, err = mcp.FetchTools(ctx, s, environment, se.toolCache(), se.Clock.Now())
	}
	if err != nil {
		return out, &fault.Error{Code: fault.Unavailable, Message: err.Error(), Hint: startHint(c)}
	}
	out = serverView(c)
	addCachedTools(&out, s, list)
	return out, nil
}

// Findings reports the last known state of each server.
func (se *Servers) Findings() []api.DoctorFinding {
	var list []api.DoctorFinding
	for _, c := range se.Config.MCPServers() {
		f := api.DoctorFinding{ID: "mcp-" + c.Name, Title: "MCP server " + c.Name, State: api.FindingOK}
		s := serverOf(c)
		found, ok, err := se.toolCache().Get(s)
		switch invalid := s.Validate(); {
		case invalid != nil:
			f.State, f.Detail, f.Hint = api.FindingBad, fault.Of(invalid).Message, "change it in the settings"
		case c.Off:
			f.Detail = "switched off"
		case err != nil:
			f.State, f.Detail, f.Hint = api.FindingBad, err.Error(), "test it again"
		case !ok:
			f.State, f.Detail, f.Hint = api.FindingWarn, s.Location()+": not asked yet",
				"test it in the settings, or with mcp servers test "+c.Name
		default:
			f.Detail = fmt.Sprintf("%s: %d tools, asked %s", s.Location(), len(found.Tools),
				found.At.Local().Format("2006-01-02 15:04"))
		}
		list = append(list, f)
	}
	return list
}
