// Package goalsandbox makes the sandboxes of goals, with their ways out, and those in which checks are tried.
package goalsandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"

	"goalpost/backend/app/access"
	"goalpost/backend/app/network"
	"goalpost/backend/config"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/process"
	"goalpost/backend/sandbox"
	"goalpost/backend/sandbox/egress"
	"goalpost/backend/sandbox/environ"
	"goalpost/backend/sandbox/mounts"
	"goalpost/backend/sandbox/spec"
	"goalpost/backend/secret"
	"goalpost/backend/verify"
	"goalpost/backend/verify/check"
)

// Factory makes the sandboxes of goals, and those in which checks are tried.
type Factory struct {
	Config       *config.Config
	Log          *slog.Logger
	Mask         *secret.Mask
	Access       *access.Rules
	Ports        *network.OwnPorts
	PageFilters  *network.PageFilters
	UserPrograms *sandbox.Supervisor // checks outside of a sandbox start there
	// RunRemoteCheck runs a program of a check on a server of the user's list, by its name.
	RunRemoteCheck func(ctx context.Context, server string, argv []string) (process.Output, error)
	// Pages opens pages for checks; nil where there is no browser.
	Pages func(goal.ID) check.Pages

	HelperPath string
}

// Sandbox is what holds a goal's programs: its set with its walls, and its way
// out. An unconfined goal has a set and nothing else.
type Sandbox struct {
	Programs       *sandbox.Supervisor
	Env            []string
	checkEnv       []string      // the environment of checks
	Proxy          *egress.Proxy // nil: unconfined
	PaneProxy      string        // the proxies of its browser panes, "" for none
	closePaneProxy func()        // panes listens no more
	// Filtering says that its pages reach hosts that they may not send to.
	Filtering        atomic.Bool
	RemovePageFilter func() // ends the judging

	GitControlled []string // see mounts.GitControlledPaths
	Degradations  []string // what is not held or not given as usual, each a sentence for the user

	BlockedHosts  blockedHosts
	MachineGrants machineGrants

	mu         sync.Mutex
	requestLog *network.Log // nil: nobody's goal
	warn       func(what, text string)
	Journaled  map[string]bool // refusals that are journaled

	violations []string // what the kernel refused so far
}

// CheckDirVariable names the folder that only the checks read, in their environment.
const CheckDirVariable = "GOALPOST_CHECK_DIR"

// Open makes the walls for a policy and starts the helper inside. layer is the
// goal's private folder; held are files that its programs read and do not write.
func (f *Factory) Open(
	ctx context.Context, name string, p policy.Policy, layer string, held ...string,
) (e *Sandbox, err error) {
	env := f.goalEnv()
	e = &Sandbox{Env: env, checkEnv: env, Journaled: map[string]bool{}, RemovePageFilter: func() {}}
	options := sandbox.Options{Helper: f.HelperPath, Name: name}
	if p.Unconfined {
		if e.Programs, err = sandbox.Open(ctx, options); err != nil {
			return nil, fmt.Errorf("starting the goal's helper: %w", err)
		}
		return e, nil
	}
	walls, err := f.sandboxSpec(p, layer)
	if err != nil {
		return nil, err
	}
	given, left := f.Access.Toolchains()
	walls.Tools, walls.Held, walls.Limits = append(walls.Tools, given...), held, f.Limits()
	// before a program can change what the configuration says
	e.GitControlled, e.Degradations = mounts.GitControlledPaths(p.Dir)
	for _, err := range left {
		e.Degradations = append(e.Degradations, "a toolchain of the settings is not given to this goal: "+err.Error())
	}
	if mounts.RunsAsRoot(p.Dir) {
		e.Degradations = append(e.Degradations, "this goal runs as root: inside its sandbox its programs keep root's "+
			"rights over the files that it is given. Run Goalpost as an ordinary user, or have it work in a folder of one")
	}
	options.Spec, options.Attempted = &walls, e.onViolation
	if e.Programs, err = sandbox.Open(ctx, options); err != nil {
		return nil, fmt.Errorf("making the goal's sandbox: %w", err)
	}
	e.Env = environ.ForAgent(environ.Allowed(e.Env, userKeptEnv()), walls)
	e.checkEnv = environ.ForCheck(e.Env, walls)
	if p.CheckDir != "" {
		e.checkEnv = append(e.checkEnv, CheckDirVariable+"="+p.CheckDir)
	}
	if err := e.openEgress(ctx, f, name, p); err != nil {
		return nil, errors.Join(fmt.Errorf("making the goal's network: %w", err), e.Close(context.WithoutCancel(ctx)))
	}
	return e, nil
}

// openEgress opens the goal's way out, for programs and panes.
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
	e.Proxy.ServeDNS(network.Names, network.NamesBy)
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

// RulesOf are the rules of the proxy of a goal with this policy.
func RulesOf(p policy.Policy) egress.Rules {
	r := egress.Rules{Risk: p.Risk, Allow: p.AllowHosts, Deny: p.DenyHosts}
	for _, port := range p.AllowLocal {
		r.Local = append(r.Local, loopbackNames(port)...)
	}
	return r
}

// loopbackNames are the ways to write a port of this machine's loopback.
func loopbackNames(port int) (list []string) {
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		list = append(list, net.JoinHostPort(host, strconv.Itoa(port)))
	}
	return list
}

// OnRequest writes down every request, and journals what was refused, each once a run.
func (e *Sandbox) OnRequest(entry egress.Entry) {
	e.NetworkLog().Add(entry)
	if entry.Allowed {
		return
	}
	e.BlockedHosts.onRefused(entry)
	e.journalRefusal("network", fmt.Sprintf("refused to a %s: %s", entry.From, entry))
}

// maxViolations bounds what is kept of attempts for the user who tries a sandbox.
const maxViolations = 1000

// onViolation journals what the kernel refused.
func (e *Sandbox) onViolation(a sandbox.Violation) {
	text := a.String()
	e.mu.Lock()
	if len(e.violations) < maxViolations {
		e.violations = append(e.violations, text)
	}
	e.mu.Unlock()
	e.journalRefusal("sandbox", text)
}

// maxJournaledRefusals bounds what one run journals: a program may think of new names for ever.
const maxJournaledRefusals = 200

func (e *Sandbox) journalRefusal(what, text string) {
	e.mu.Lock()
	warn := e.warn
	switch {
	case e.Journaled[text] || len(e.Journaled) > maxJournaledRefusals:
		warn = nil
	case len(e.Journaled) == maxJournaledRefusals:
		text = fmt.Sprintf("more than %d different things were refused in this run: the rest is in the network log alone",
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

// SetNetworkLog says where requests are written down.
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

// Egress is the goal's way out; nil: unconfined.
func (e *Sandbox) Egress() *egress.Proxy { return e.Proxy }

// FiltersPages reports whether its pages reach hosts that they may not send to, so that their
// requests are judged one by one.
func (e *Sandbox) FiltersPages() bool { return e.Filtering.Load() }

// SetWarn says where refusals are journaled from now on.
func (e *Sandbox) SetWarn(warn func(what, text string)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.warn, e.Journaled = warn, map[string]bool{}
}

// CheckRunner is where checks run: each in a room of its own inside the walls. The
// hosts that they name are open to them only.
func (e *Sandbox) CheckRunner(f *Factory, dir string, hosts []string) verify.CheckRunner {
	h := verify.CheckRunner{
		Launcher: e.Programs,
		Env:      e.checkEnv,
		Dir:      dir,
		Outside:  f.UserPrograms,
		Remote:   f.RunRemoteCheck,
		Engine:   predicateEngine{f.Config.State(), f.UserPrograms},
	}
	if e.Proxy != nil {
		h.Sandboxed = true
		h.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			return e.dialForCheck(ctx, network, address, hosts)
		}
		h.Launcher = checkLauncher{e.Programs, e.Proxy, hosts, f.Mask}
	}
	return h
}

// dialForCheck connects for a check that the host runs itself: the loopback is the goal's own. Other hosts are
// those that the goal's programs may reach, and those that the check names.
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

// Dir is the private folder of a goal: its home, /tmp and caches. It goes with
// the goal.
func (f *Factory) Dir(id goal.ID) string {
	return filepath.Join(f.Config.State(), "rooms", string(id))
}

// sandboxSpec are what a policy lets programs find.
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
		tools = append(tools, self) // the demonstration's server, and goalctl for scripts
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

// Limits are those of a goal's programs, with what the user chose.
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

// sandboxHome is where programs find their home: where the user's is, so that
// paths in configurations mean the same.
func sandboxHome() string {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) || filepath.Clean(home) == "/" {
		return "/home/goal"
	}
	return filepath.Clean(home)
}
