// Package goalsandbox makes the sandboxes of goals with their proxies, and those in which checks are tried.
package goalsandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
	"goalpost/backend/goals/access"
	"goalpost/backend/goals/network"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/cgroup"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/host/sandbox/mounts"
	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
)

// Factory makes sandboxes. All methods may be called concurrently.
type Factory struct {
	Config       *config.Config
	Log          *slog.Logger
	Mask         *secret.Mask
	Access       *access.Rules
	Ports        *network.OwnPorts
	PageFilters  *network.PageFilters
	UserPrograms *sandbox.Supervisor // starts the checks that run outside of a sandbox
	// RunRemoteCheck runs a program of a check on the user's server with that name.
	RunRemoteCheck func(ctx context.Context, server string, argv []string) (process.Output, error)
	// Pages opens pages for checks; nil if there is no browser.
	Pages func(goal.ID) check.Pages

	HelperPath string
}

// Sandbox is the sandbox of a goal: the supervisor of its programs, and its proxy. An unconfined goal has a
// supervisor only.
type Sandbox struct {
	Programs       *sandbox.Supervisor
	Env            []string
	checkEnv       []string      // the environment of checks
	Proxy          *egress.Proxy // nil if unconfined
	PaneProxy      string        // the proxies of the goal's browser panes, "" for none
	closePaneProxy func()        // unregisters the ports of PaneProxy
	// Filtering is set while each request of a page must be decided, because the pages can reach hosts that they may
	// not send data to.
	Filtering        atomic.Bool
	RemovePageFilter func() // ends the filtering

	GitControlled []string // see mounts.GitControlledPaths
	Degradations  []string // what is missing or less strict than usual: sentences for the user

	HostRules     hostRules
	BlockedHosts  blockedHosts
	MachineGrants machineGrants

	mu         sync.Mutex
	requestLog *network.Log // nil for another agent
	web        *http.Transport
	warn       func(what, text string)
	Journaled  map[string]bool // refusals that this run has journaled

	violations []string // refused by the kernel so far
	frozen     agentFreeze
}

// CheckDirVariable is the environment variable of checks with the folder that only they may read.
const CheckDirVariable = "GOALPOST_CHECK_DIR"

// Open opens a sandbox for a policy and starts the helper in it. layer is the goal's private folder. The programs in
// the sandbox may read the locked files, but not write them.
func (f *Factory) Open(
	ctx context.Context, name string, p policy.Policy, layer string, locked ...string,
) (e *Sandbox, err error) {
	env := goalEnv(f.Config.Providers())
	e = &Sandbox{Env: env, checkEnv: env, Journaled: map[string]bool{}, RemovePageFilter: func() {}}
	options := sandbox.Options{Helper: f.HelperPath, Name: name}
	if p.Unconfined {
		if e.Programs, err = sandbox.Open(ctx, options); err != nil {
			return nil, fmt.Errorf("start the goal's helper: %w", err)
		}
		return e, nil
	}
	spec, err := f.sandboxSpec(p, layer)
	if err != nil {
		return nil, err
	}
	toolchains, refused := f.Access.Toolchains()
	spec.Tools, spec.Held, spec.Limits = append(spec.Tools, toolchains...), locked, f.Limits()
	// before a program can change the configuration
	e.GitControlled, e.Degradations = mounts.GitControlledPaths(p.Dir)
	for _, err := range refused {
		e.Degradations = append(e.Degradations, "this goal cannot use a toolchain of the settings: "+err.Error())
	}
	if mounts.RunsAsRoot(p.Dir) {
		e.Degradations = append(e.Degradations, "this goal runs as root: its programs can modify any file that "+
			"you give it. Run Goalpost as an ordinary user, or use a folder owned by one")
	}
	options.Spec, options.Attempted, options.Systemd = &spec, e.onViolation, &cgroup.Manager{}
	if e.Programs, err = sandbox.Open(ctx, options); err != nil {
		return nil, fmt.Errorf("make the goal's sandbox: %w", err)
	}
	e.Env = environ.ForAgent(environ.Allowed(e.Env, userKeptEnv()), spec)
	e.checkEnv = environ.ForCheck(e.Env, spec)
	if p.CheckDir != "" {
		e.checkEnv = append(e.checkEnv, CheckDirVariable+"="+p.CheckDir)
	}
	if err := e.openEgress(ctx, f, name, p); err != nil {
		return nil, errors.Join(fmt.Errorf("open the goal's network: %w", err), e.Close(context.WithoutCancel(ctx)))
	}
	return e, nil
}

// openEgress opens the goal's proxies, for programs and for panes.
func (e *Sandbox) openEgress(ctx context.Context, f *Factory, name string, p policy.Policy) error {
	network, err := e.Programs.Network()
	if err != nil {
		return err
	}
	e.Proxy = egress.New(egress.Config{
		Rules:   RulesOf(p),
		Inside:  e.Programs.Dial,
		OnEntry: e.OnRequest,
		Ours:    f.Ports.ContainsText,
		Log:     f.Log,
	})
	e.Proxy.Serve(network.Proxy, egress.SourceProgram)
	e.Proxy.DNS.ServeDNS(network.Names, network.NamesBy)
	for i, l := range network.Ports {
		e.Proxy.Forward(l, p.AllowLocal[i])
	}
	e.Filtering.Store(RulesOf(p).NeedsRequestFilter())
	e.RemovePageFilter = f.PageFilters.Add(name, e)
	servers, ports, err := e.Proxy.ListenPanes(ctx)
	if err != nil {
		return err
	}
	e.PaneProxy = servers
	for _, port := range ports {
		f.Ports.Register(port)
	}
	e.closePaneProxy = func() {
		for _, port := range ports {
			f.Ports.Unregister(port)
		}
	}
	return nil
}

// OnRequest records every request, and journals refused ones once a run.
func (e *Sandbox) OnRequest(entry egress.Entry) {
	e.NetworkLog().Add(entry)
	if entry.Allowed {
		return
	}
	e.BlockedHosts.onRefused(entry, e.HostRules.current)
	e.journalRefusal("network", fmt.Sprintf("blocked request of a %s: %s", entry.From, entry))
}

// maxViolations bounds how many violations are kept for a user who tries a sandbox.
const maxViolations = 1000

// onViolation records and journals an action that the kernel refused.
func (e *Sandbox) onViolation(a sandbox.Violation) {
	text := a.String()
	e.mu.Lock()
	if len(e.violations) < maxViolations {
		e.violations = append(e.violations, text)
	}
	e.mu.Unlock()
	e.journalRefusal("sandbox", text)
}

// maxJournaledRefusals bounds the refusals in the journal of one run, because a program can invent new names forever.
const maxJournaledRefusals = 200

func (e *Sandbox) journalRefusal(what, text string) {
	e.mu.Lock()
	warn := e.warn
	switch {
	case e.Journaled[text] || len(e.Journaled) > maxJournaledRefusals:
		warn = nil
	case len(e.Journaled) == maxJournaledRefusals:
		text = fmt.Sprintf("more than %d different actions were refused in this run: only the network log lists the others",
			maxJournaledRefusals)
		e.Journaled[text] = true
	default:
		e.Journaled[text] = true
	}
	e.mu.Unlock()
	if warn != nil {
		warn(what, text)
	}
}

// HasEnded reports whether the programs of the sandbox have ended and no others can start in it.
func (e *Sandbox) HasEnded() bool {
	select {
	case <-e.Programs.Done():
		return true
	default:
		return false
	}
}

// SetNetworkLog sets where requests are recorded.
func (e *Sandbox) SetNetworkLog(l *network.Log) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requestLog = l
}

func (e *Sandbox) NetworkLog() *network.Log {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.requestLog
}

// Egress returns the goal's proxy; nil if unconfined.
func (e *Sandbox) Egress() *egress.Proxy { return e.Proxy }

// Web returns a client for requests in the name of the goal's programs. With a sandbox, the goal's proxy decides them.
func (e *Sandbox) Web() http.RoundTripper {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.web != nil:
	case e.Proxy == nil:
		e.web = &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	default:
		e.web = e.Proxy.Transport()
	}
	return e.web
}

// FiltersPages reports whether each request of a page must be decided, see Filtering.
func (e *Sandbox) FiltersPages() bool { return e.Filtering.Load() }

// SetWarn sets the journal for refusals of a new run; nil without a run.
func (e *Sandbox) SetWarn(warn func(what, text string)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.warn, e.Journaled = warn, map[string]bool{}
}

// CheckRunner returns the runner of a goal's checks, each of which has its own sandbox inside the goal's. Only checks
// may reach the given hosts.
func (e *Sandbox) CheckRunner(f *Factory, dir string, hosts []string) verify.CheckRunner {
	h := verify.CheckRunner{Environment: check.Environment{
		Launcher:   e.Programs,
		Env:        e.checkEnv,
		Dir:        dir,
		Outside:    f.UserPrograms,
		Remote:     f.RunRemoteCheck,
		Predicates: predicateEvaluator{f.Config.State(), f.UserPrograms},
	}}
	if e.Proxy != nil {
		h.Environment.Sandboxed = true
		h.Environment.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			return e.dialForCheck(ctx, network, address, hosts)
		}
		h.Environment.Launcher = checkLauncher{e.Programs, e.Proxy, hosts, f.Mask}
	}
	return h
}

// dialForCheck connects for a check that runs in this process. Loopback addresses lead into the goal's sandbox. Other
// hosts must be allowed for the goal's programs or named in the check.
func (e *Sandbox) dialForCheck(ctx context.Context, network, address string, hosts []string) (net.Conn, error) {
	if egress.IsGoalLoopback(address) {
		return e.Programs.Dial(ctx, network, address)
	}
	return e.Proxy.Dial(ctx, address, hosts)
}

// Close ends the programs of the goal, and then its proxy.
func (e *Sandbox) Close(ctx context.Context) error {
	e.RemovePageFilter()
	err := e.Programs.Close(ctx)
	if e.Proxy != nil {
		err = errors.Join(err, e.Proxy.Close())
	}
	if e.closePaneProxy != nil {
		e.closePaneProxy()
	}
	return errors.Join(err, e.NetworkLog().Close())
}

// PrivateDir returns the private folder of a goal, which contains its home, /tmp and caches. It is deleted with the
// goal.
func (f *Factory) PrivateDir(id goal.ID) string {
	return filepath.Join(f.Config.State(), "rooms", string(id))
}

// sandboxSpec returns the specification of the sandbox for a policy.
func (f *Factory) sandboxSpec(p policy.Policy, layer string) (sandbox.Spec, error) {
	state, err := filepath.EvalSymlinks(f.Config.State())
	if err != nil {
		return sandbox.Spec{}, fmt.Errorf("the state folder: %w", err)
	}
	rel, err := filepath.Rel(f.Config.State(), layer)
	if err != nil {
		return sandbox.Spec{}, fmt.Errorf("the state folder: %w", err)
	}
	home := sandboxHome()
	tools := mounts.Toolchains(home, os.Getenv)
	if self, err := os.Executable(); err == nil {
		tools = append(tools, self) // for the demonstration's server, and goalctl in scripts
	}
	return sandbox.Spec{
		Dir:      p.Dir,
		Layer:    filepath.Join(state, rel),
		Home:     home,
		ReadOnly: p.Risk == policy.ReadOnly,
		Tools:    tools,
		Caches:   mounts.Caches(home, os.Getenv),
		Read:     p.AllowRead,
		Write:    p.AllowWrite,
		Work:     p.WorkPaths(),
		CheckDir: p.CheckDir,
		Hidden:   p.Hidden,
		Sockets:  p.AllowSocket,
		Ports:    p.AllowLocal,
	}, nil
}

// Limits returns the limits of a goal's programs, as the user set them.
func (f *Factory) Limits() *sandbox.ResourceLimits {
	l := spec.DefaultLimits()
	if chosen := int64(f.Config.Settings().GoalMemory) << 20; chosen > 0 {
		l.Together = chosen
		if l.Memory == 0 || l.Memory > chosen {
			l.Memory = chosen
		}
	}
	return l
}

// sandboxHome returns the home folder in a sandbox. It has the same path as the user's home, so that paths in
// configuration files stay valid.
func sandboxHome() string {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) || filepath.Clean(home) == "/" {
		return "/home/goal"
	}
	return filepath.Clean(home)
}

// GrantAccess returns a function that opens access to a file, a folder, a socket or a port in the goal's sandbox.
func (e *Sandbox) GrantAccess(
	access *access.Rules, layer string,
) func(context.Context, policy.MachineAccess) machineGrant {
	return func(ctx context.Context, want policy.MachineAccess) machineGrant {
		o := machineGrant{access: want}
		var grant sandbox.RuntimeGrant
		switch want.Kind {
		case policy.ReadAccess:
			grant.Read = want.Path
		case policy.WriteAccess:
			grant.Write = want.Path
			if o.err = addToAutorunBaseline(want.Path, layer); o.err != nil {
				return o
			}
		case policy.SocketAccess:
			grant.Socket = want.Path
		case policy.PortAccess:
			grant.Port = want.Port
		}
		if o.err = access.ValidateAccess(want); o.err != nil {
			return o
		}
		opened, err := e.Programs.Grant(ctx, grant)
		if err != nil {
			o.err = err
			return o
		}
		o.close = opened.Revoke
		if opened.Port != nil {
			e.Proxy.Forward(opened.Port, want.Port)
			o.close = func(context.Context) error { return opened.Port.Close() }
		}
		return o
	}
}
