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
	"slices"
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
	Pages func(goal.ID, goal.PageSize) check.Pages

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
	MissingGit    string   // why git does not work in the folder, and what to ask for; "" if it can
	Git           string   // MissingGit, or what git cannot do in the folder; "" if it works as usual
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
	env := goalEnv(ctx, f.Config.Providers())
	e = &Sandbox{Env: env, checkEnv: env, Journaled: map[string]bool{}, RemovePageFilter: func() {}}
	options := sandbox.Options{Helper: f.HelperPath, Name: name}
	if p.Unconfined {
		if e.Programs, err = sandbox.Open(ctx, options); err != nil {
			return nil, fmt.Errorf("start the goal's helper: %w", err)
		}
		return e, nil
	}
	spec, err := f.sandboxSpec(ctx, p, layer)
	if err != nil {
		return nil, err
	}
	git := f.findGit(p)
	git.grantGit(&spec)
	toolchains, problems := f.Access.Toolchains()
	spec.Tools, spec.Held, spec.Limits = append(spec.Tools, toolchains...), locked, f.Limits()
	folders, unreadable := f.Access.ServerFolders()
	spec.Read = append(slices.Clone(spec.Read), folders...)
	// before a program can change the configuration
	e.GitControlled, e.Degradations = mounts.GitControlledPaths(p.Dir)
	if git.repository != nil {
		e.GitControlled = append(e.GitControlled, mounts.GitControlledByRepository(p.Dir, git.repository)...)
	}
	text, missing := git.describe(p)
	if e.Git = text; missing {
		e.MissingGit = text
	}
	for _, err := range problems {
		e.Degradations = append(e.Degradations, "this goal cannot use a toolchain of the settings: "+err.Error())
	}
	for _, err := range unreadable {
		e.Degradations = append(e.Degradations, "a folder of the settings is not readable: "+err.Error())
	}
	if mounts.RunsAsRoot(p.Dir) {
		e.Degradations = append(e.Degradations, "this goal runs as root: its programs can modify any file that "+
			"you give it. Run Goalpost as an ordinary user, or use a folder owned by one")
	}
	options.Spec, options.Attempted, options.Systemd = &spec, e.onViolation, &cgroup.Manager{}
	if e.Programs, err = sandbox.Open(ctx, options); err != nil {
		return nil, fmt.Errorf("make the goal's sandbox: %w", err)
	}
	e.Env = environ.ForAgent(environ.Allowed(e.Env, userKeptEnv(ctx)), spec)
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
func (s *Sandbox) openEgress(ctx context.Context, f *Factory, name string, p policy.Policy) error {
	network, err := s.Programs.Network()
	if err != nil {
		return err
	}
	s.Proxy = egress.New(egress.Config{
		Rules:   RulesOf(p),
		Inside:  s.Programs.Dial,
		OnEntry: s.OnRequest,
		Ours:    f.Ports.ContainsText,
		Log:     f.Log,
	})
	s.Proxy.Serve(network.Proxy, egress.SourceProgram)
	s.Proxy.DNS.ServeDNS(network.Names, network.NamesBy)
	for i, l := range network.Ports {
		s.Proxy.Forward(l, p.AllowLocal[i])
	}
	s.Filtering.Store(RulesOf(p).NeedsRequestFilter())
	s.RemovePageFilter = f.PageFilters.Add(name, s)
	servers, ports, err := s.Proxy.ListenPanes(ctx)
	if err != nil {
		return err
	}
	s.PaneProxy = servers
	for _, port := range ports {
		f.Ports.Register(port)
	}
	s.closePaneProxy = func() {
		for _, port := range ports {
			f.Ports.Unregister(port)
		}
	}
	return nil
}

// OnRequest records every request, and journals refused ones once a run.
func (s *Sandbox) OnRequest(entry egress.Entry) {
	s.NetworkLog().Add(entry)
	if entry.Allowed {
		return
	}
	s.BlockedHosts.onRefused(entry, s.HostRules.current)
	s.journalRefusal("network", fmt.Sprintf("blocked request of a %s: %s", entry.From, entry))
}

// maxViolations bounds how many violations are kept for a user who tries a sandbox.
const maxViolations = 1000

// onViolation records and journals an action that the kernel refused.
func (s *Sandbox) onViolation(a sandbox.Violation) {
	text := a.String()
	s.mu.Lock()
	if len(s.violations) < maxViolations {
		s.violations = append(s.violations, text)
	}
	s.mu.Unlock()
	s.journalRefusal("sandbox", text)
}

// maxJournaledRefusals bounds the refusals in the journal of one run, because a program can invent new names forever.
const maxJournaledRefusals = 200

func (s *Sandbox) journalRefusal(what, text string) {
	s.mu.Lock()
	warn := s.warn
	switch {
	case s.Journaled[text] || len(s.Journaled) > maxJournaledRefusals:
		warn = nil
	case len(s.Journaled) == maxJournaledRefusals:
		text = fmt.Sprintf("more than %d different actions were refused in this run: only the network log lists the others",
			maxJournaledRefusals)
		s.Journaled[text] = true
	default:
		s.Journaled[text] = true
	}
	s.mu.Unlock()
	if warn != nil {
		warn(what, text)
	}
}

// HasEnded reports whether the programs of the sandbox have ended and no others can start in it.
func (s *Sandbox) HasEnded() bool {
	select {
	case <-s.Programs.Done():
		return true
	default:
		return false
	}
}

// SetNetworkLog sets where requests are recorded.
func (s *Sandbox) SetNetworkLog(l *network.Log) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requestLog = l
}

func (s *Sandbox) NetworkLog() *network.Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requestLog
}

// Egress returns the goal's proxy; nil if unconfined.
func (s *Sandbox) Egress() *egress.Proxy { return s.Proxy }

// Web returns a client for requests in the name of the goal's programs. With a sandbox, the goal's proxy decides them.
func (s *Sandbox) Web() http.RoundTripper {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.web != nil:
	case s.Proxy == nil:
		s.web = &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	default:
		s.web = s.Proxy.Transport()
	}
	return s.web
}

// FiltersPages reports whether each request of a page must be decided, see Filtering.
func (s *Sandbox) FiltersPages() bool { return s.Filtering.Load() }

// SetWarn sets the journal for refusals of a new run; nil without a run.
func (s *Sandbox) SetWarn(warn func(what, text string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warn, s.Journaled = warn, map[string]bool{}
}

// CheckRunner returns the runner of a goal's checks, each of which has its own sandbox inside the goal's. Only checks
// may reach the given hosts.
func (s *Sandbox) CheckRunner(f *Factory, dir string, hosts []string) verify.CheckRunner {
	h := verify.CheckRunner{Environment: check.Environment{
		Launcher:   s.Programs,
		Env:        s.checkEnv,
		Dir:        dir,
		Outside:    f.UserPrograms,
		Remote:     f.RunRemoteCheck,
		Predicates: predicateEvaluator{f.Config.State(), f.UserPrograms},
	}}
	if s.Proxy != nil {
		h.Environment.Sandboxed = true
		h.Environment.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			return s.dialForCheck(ctx, network, address, hosts)
		}
		h.Environment.Launcher = checkLauncher{s.Programs, s.Proxy, hosts, f.Mask}
	}
	return h
}

// dialForCheck connects for a check that runs in this process. Loopback addresses lead into the goal's sandbox. Other
// hosts must be allowed for the goal's programs or named in the check.
func (s *Sandbox) dialForCheck(ctx context.Context, network, address string, hosts []string) (net.Conn, error) {
	if egress.IsGoalLoopback(address) {
		return s.Programs.Dial(ctx, network, address)
	}
	return s.Proxy.Dial(ctx, address, hosts)
}

// Close ends the programs of the goal, and then its proxy.
func (s *Sandbox) Close(ctx context.Context) error {
	s.RemovePageFilter()
	err := s.Programs.Close(ctx)
	if s.Proxy != nil {
		err = errors.Join(err, s.Proxy.Close())
	}
	if s.closePaneProxy != nil {
		s.closePaneProxy()
	}
	return errors.Join(err, s.NetworkLog().Close())
}

// PrivateDir returns the private folder of a goal, which contains its home, /tmp and caches. It is deleted with the
// goal.
func (f *Factory) PrivateDir(id goal.ID) string {
	return filepath.Join(f.Config.State(), "sandboxes", string(id))
}

// sandboxSpec returns the specification of the sandbox for a policy.
func (f *Factory) sandboxSpec(ctx context.Context, p policy.Policy, layer string) (sandbox.Spec, error) {
	state, err := filepath.EvalSymlinks(f.Config.State())
	if err != nil {
		return sandbox.Spec{}, fmt.Errorf("the state folder: %w", err)
	}
	rel, err := filepath.Rel(f.Config.State(), layer)
	if err != nil {
		return sandbox.Spec{}, fmt.Errorf("the state folder: %w", err)
	}
	home := sandboxHome()
	getenv := func(name string) string { return environ.Get(ctx, name) }
	tools := mounts.Toolchains(home, getenv)
	if self, err := os.Executable(); err == nil {
		tools = append(tools, self) // for the demonstration's server, and goalctl in scripts
	}
	return sandbox.Spec{
		Dir:      p.Dir,
		Layer:    filepath.Join(state, rel),
		Home:     home,
		ReadOnly: p.Risk == policy.ReadOnly,
		Tools:    tools,
		Caches:   mounts.Caches(home, getenv),
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
	if bytes := int64(f.Config.Settings().GoalMemory) << 20; bytes > 0 {
		l.Together = bytes
		if l.Memory == 0 || l.Memory > bytes {
			l.Memory = bytes
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
func (s *Sandbox) GrantAccess(
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
		active, err := s.Programs.Grant(ctx, grant)
		if err != nil {
			o.err = err
			return o
		}
		o.close = active.Revoke
		if active.Port != nil {
			s.Proxy.Forward(active.Port, want.Port)
			o.close = func(context.Context) error { return active.Port.Close() }
		}
		return o
	}
}
