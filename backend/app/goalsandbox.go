package app

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
	"goalpost/backend/secret"
	"goalpost/backend/verify"
)

// sandboxFactory makes the sandboxes of goals, and those in which checks are tried.
type sandboxFactory struct {
	cfg          *config.Config
	log          *slog.Logger
	mask         *secret.Mask
	access       *access.Rules
	ports        *network.OwnPorts
	pageFilters  *network.PageFilters
	userPrograms *sandbox.Supervisor // checks outside of a sandbox start there
	// runRemoteCheck runs a program of a check on a server of the user's list, by its name.
	runRemoteCheck func(ctx context.Context, server string, argv []string) (process.Output, error)
	// pages opens pages for checks; nil where there is no browser.
	pages func(goal.ID) verify.Pages

	helperPath string
}

// goalSandbox is what holds a goal's programs: its set with its walls, and its way
// out. An unconfined goal has a set and nothing else.
type goalSandbox struct {
	programs       *sandbox.Supervisor
	env            []string
	checkEnv       []string      // the environment of checks
	proxy          *egress.Proxy // nil: unconfined
	paneProxy      string        // the proxies of its browser panes, "" for none
	closePaneProxy func()        // panes listens no more
	// filtering says that its pages reach hosts that they may not send to.
	filtering        atomic.Bool
	removePageFilter func() // ends the judging

	gitControlled []string // see sandbox.GitControlledPaths
	degradations  []string // what is not held or not given as usual, each a sentence for the user

	blockedHosts  blockedHosts
	machineGrants machineGrants

	mu         sync.Mutex
	requestLog *network.Log // nil: nobody's goal
	warn       func(what, text string)
	journaled  map[string]bool // refusals that are journaled

	violations []string // what the kernel refused so far
}

// openSandbox makes the walls for a policy and starts the helper inside. layer is the
// goal's private folder; held are files that its programs read and do not write.
func (f *sandboxFactory) openSandbox(ctx context.Context, name string, p policy.Policy, layer string, held ...string) (e *goalSandbox, err error) {
	env := f.goalEnv()
	e = &goalSandbox{env: env, checkEnv: env, journaled: map[string]bool{}, removePageFilter: func() {}}
	options := sandbox.Options{Helper: f.helperPath, Name: name}
	if p.Unconfined {
		if e.programs, err = sandbox.Open(ctx, options); err != nil {
			return nil, fmt.Errorf("starting the goal's helper: %w", err)
		}
		return e, nil
	}
	walls, err := f.sandboxSpec(p, layer)
	if err != nil {
		return nil, err
	}
	given, left := f.access.Toolchains()
	walls.Tools, walls.Held, walls.Limits = append(walls.Tools, given...), held, f.sandboxLimits()
	e.gitControlled, e.degradations = sandbox.GitControlledPaths(p.Dir) // before a program can change what the configuration says
	for _, err := range left {
		e.degradations = append(e.degradations, "a toolchain of the settings is not given to this goal: "+err.Error())
	}
	if sandbox.RunsAsRoot(p.Dir) {
		e.degradations = append(e.degradations, "this goal runs as root: inside its walls its programs keep root's rights over the files that it is given. Run Goalpost as an ordinary user, or have it work in a folder of one")
	}
	options.Spec, options.Attempted = &walls, e.onViolation
	if e.programs, err = sandbox.Open(ctx, options); err != nil {
		return nil, fmt.Errorf("making the goal's sandbox: %w", err)
	}
	e.env = sandbox.EnvForAgent(sandbox.AllowedEnv(e.env, userKeptEnv()), walls)
	e.checkEnv = sandbox.EnvForCheck(e.env, walls)
	if err := e.openEgress(ctx, f, name, p); err != nil {
		return nil, errors.Join(fmt.Errorf("making the goal's network: %w", err), e.Close(context.WithoutCancel(ctx)))
	}
	return e, nil
}

// openEgress opens the goal's way out, for programs and panes.
func (e *goalSandbox) openEgress(ctx context.Context, f *sandboxFactory, name string, p policy.Policy) error {
	network, err := e.programs.Network()
	if err != nil {
		return err
	}
	e.proxy = egress.New(egress.Config{Rules: rulesOf(p), Inside: e.programs.Dial, OnEntry: e.OnRequest, Ours: f.ports.ContainsText, Log: f.log})
	e.proxy.Serve(network.Proxy, egress.SourceProgram)
	e.proxy.ServeDNS(network.Names, network.NamesBy)
	for i, l := range network.Ports {
		e.proxy.Forward(l, p.AllowLocal[i])
	}
	e.filtering.Store(rulesOf(p).NeedsRequestFilter())
	e.removePageFilter = f.pageFilters.Add(name, e)
	servers, ports, err := e.proxy.ListenPanes(ctx)
	if err != nil {
		return err
	}
	e.paneProxy = servers
	for _, port := range ports {
		f.ports.Register(port)
	}
	e.closePaneProxy = func() {
		for _, port := range ports {
			f.ports.Unregister(port)
		}
	}
	return nil
}

func rulesOf(p policy.Policy) egress.Rules {
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

// onRequest writes down every request, and journals what was refused, each once a run.
func (e *goalSandbox) OnRequest(entry egress.Entry) {
	e.NetworkLog().Add(entry)
	if entry.Allowed {
		return
	}
	e.blockedHosts.onRefused(entry)
	e.journalRefusal("network", fmt.Sprintf("refused to a %s: %s", entry.From, entry))
}

// maxViolations bounds what is kept of attempts for the user who tries a sandbox.
const maxViolations = 1000

// onViolation journals what the kernel refused.
func (e *goalSandbox) onViolation(a sandbox.Violation) {
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

func (e *goalSandbox) journalRefusal(what, text string) {
	e.mu.Lock()
	warn := e.warn
	switch {
	case e.journaled[text] || len(e.journaled) > maxJournaledRefusals:
		warn = nil
	case len(e.journaled) == maxJournaledRefusals:
		text = fmt.Sprintf("more than %d different things were refused in this run: the rest is in the network log alone", maxJournaledRefusals)
		e.journaled[text] = true
	default:
		e.journaled[text] = true
	}
	e.mu.Unlock()
	if warn != nil {
		warn(what, text)
	}
}

// setNetworkLog says where requests are written down.
func (e *goalSandbox) setNetworkLog(l *network.Log) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requestLog = l
}

func (e *goalSandbox) NetworkLog() *network.Log {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.requestLog
}

// Egress is the goal's way out; nil: unconfined.
func (e *goalSandbox) Egress() *egress.Proxy { return e.proxy }

// FiltersPages reports whether its pages reach hosts that they may not send to, so that their
// requests are judged one by one.
func (e *goalSandbox) FiltersPages() bool { return e.filtering.Load() }

// setWarn says where refusals are journaled from now on.
func (e *goalSandbox) setWarn(warn func(what, text string)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.warn, e.journaled = warn, map[string]bool{}
}

// checkHost is where checks run: each in a room of its own inside the walls. The
// hosts that they name are open to them only.
func (e *goalSandbox) checkHost(f *sandboxFactory, dir string, hosts []string) verify.CheckRunner {
	h := verify.CheckRunner{Launcher: e.programs, Env: e.checkEnv, Dir: dir, Outside: f.userPrograms, Remote: f.runRemoteCheck, Engine: predicateEngine{f.cfg.State(), f.userPrograms}}
	if e.proxy != nil {
		h.Sandboxed = true
		h.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			return e.dialForCheck(ctx, network, address, hosts)
		}
		h.Launcher = checkLauncher{e.programs, e.proxy, hosts, f.mask}
	}
	return h
}

// dialForCheck is for checks of the host itself: the loopback is the goal's, and what is
// outside is reached as by its programs, and where hosts are open to the check.
func (e *goalSandbox) dialForCheck(ctx context.Context, network, address string, hosts []string) (net.Conn, error) {
	if egress.IsGoalLoopback(address) {
		return e.programs.Dial(ctx, network, address)
	}
	return e.proxy.Dial(ctx, address, hosts)
}

func (e *goalSandbox) Close(ctx context.Context) error {
	e.removePageFilter()
	err := e.programs.Close(ctx)
	if e.proxy != nil {
		err = errors.Join(err, e.proxy.Close())
	}
	if e.closePaneProxy != nil {
		e.closePaneProxy()
	}
	return errors.Join(err, e.NetworkLog().Close())
}

// sandboxDir is the private folder of a goal: its home, /tmp and caches. It goes with
// the goal.
func (f *sandboxFactory) sandboxDir(id goal.ID) string {
	return filepath.Join(f.cfg.State(), "rooms", string(id))
}

// sandboxSpec are what a policy lets programs find.
func (f *sandboxFactory) sandboxSpec(p policy.Policy, layer string) (sandbox.Spec, error) {
	state, err := filepath.EvalSymlinks(f.cfg.State())
	if err != nil {
		return sandbox.Spec{}, fmt.Errorf("the state folder: %w", err)
	}
	rel, err := filepath.Rel(f.cfg.State(), layer)
	if err != nil {
		return sandbox.Spec{}, fmt.Errorf("the state folder: %w", err)
	}
	home := sandboxHome()
	tools := sandbox.Toolchains(home, os.Getenv)
	if self, err := os.Executable(); err == nil {
		tools = append(tools, self) // the demonstration's server, and goalctl for scripts
	}
	return sandbox.Spec{
		Dir: p.Dir, Layer: filepath.Join(state, rel), Home: home, ReadOnly: p.Risk == policy.ReadOnly,
		Tools: tools, Caches: sandbox.Caches(home, os.Getenv), Read: p.AllowRead, Write: p.AllowWrite, Sockets: p.AllowSocket, Ports: p.AllowLocal,
	}, nil
}

// sandboxLimits are those of a goal's programs, with what the user chose.
func (f *sandboxFactory) sandboxLimits() *sandbox.ResourceLimits {
	l := sandbox.DefaultLimits()
	if chosen := int64(f.cfg.Settings().GoalMemory) << 20; chosen > 0 {
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
