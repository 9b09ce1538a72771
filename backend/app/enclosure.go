package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/sandbox"
	"goalpost/backend/sandbox/egress"
	"goalpost/backend/verify"
)

// enclosure is what holds a goal's programs: its set with its walls, and its way
// out. An unconfined goal has a set and nothing else.
type enclosure struct {
	set   *sandbox.Set
	env   []string
	judge []string      // the environment of checks
	proxy *egress.Proxy // nil: unconfined
	panes string        // the proxies of its browser panes, "" for none
	over  func()        // panes listens no more
	// judged says that its pages reach hosts that they may not send to.
	judged atomic.Bool
	pages  func() // ends the judging

	obeyed []string // see sandbox.Obeyed
	lacks  []string // what is not held or not given as usual, each a sentence for the person

	border   border
	openings openings

	mu   sync.Mutex
	net  *netLog // nil: nobody's goal
	warn func(what, text string)
	told map[string]bool // refusals that are journaled

	tried []string // what the kernel refused so far
}

// enclose makes the walls for a policy and starts the helper inside. layer is the
// goal's private folder; held are files that its programs read and do not write.
func (a *App) enclose(ctx context.Context, name string, p policy.Policy, layer string, held ...string) (e *enclosure, err error) {
	env := a.goalEnv()
	e = &enclosure{env: env, judge: env, told: map[string]bool{}, pages: func() {}}
	options := sandbox.Options{Helper: a.helper, Name: name}
	if p.Unconfined {
		if e.set, err = sandbox.Open(ctx, options); err != nil {
			return nil, fmt.Errorf("starting the goal's helper: %w", err)
		}
		return e, nil
	}
	walls, err := a.walls(p, layer)
	if err != nil {
		return nil, err
	}
	given, left := a.givenToolchains()
	walls.Tools, walls.Held, walls.Limits = append(walls.Tools, given...), held, a.limits()
	e.obeyed, e.lacks = sandbox.Obeyed(p.Dir) // before a program can change what the configuration says
	for _, err := range left {
		e.lacks = append(e.lacks, "a toolchain of the settings is not given to this goal: "+err.Error())
	}
	if sandbox.AsRoot(p.Dir) {
		e.lacks = append(e.lacks, "this goal runs as root: inside its walls its programs keep root's rights over the files that it is given. Run Goalpost as an ordinary user, or have it work in a folder of one")
	}
	options.Walls, options.Attempted = &walls, e.attempted
	if e.set, err = sandbox.Open(ctx, options); err != nil {
		return nil, fmt.Errorf("making the goal's sandbox: %w", err)
	}
	e.env = sandbox.Inside(sandbox.Keep(e.env, keptEnv()), walls)
	e.judge = sandbox.Checking(e.env, walls)
	if err := e.connect(ctx, a, name, p); err != nil {
		return nil, errors.Join(fmt.Errorf("making the goal's network: %w", err), e.close(context.WithoutCancel(ctx)))
	}
	return e, nil
}

// connect opens the goal's way out, for programs and panes.
func (e *enclosure) connect(ctx context.Context, a *App, name string, p policy.Policy) error {
	network, err := e.set.Network()
	if err != nil {
		return err
	}
	e.proxy = egress.New(egress.Config{Rules: rulesOf(p), Inside: e.set.Dial, OnEntry: e.heard, Ours: a.oursText, Log: a.log})
	e.proxy.Serve(network.Proxy, egress.Program)
	e.proxy.ServeNames(network.Names, network.NamesBy)
	for i, l := range network.Ports {
		e.proxy.Forward(l, p.AllowLocal[i])
	}
	e.judged.Store(rulesOf(p).Judged())
	e.pages = a.pages.add(name, e)
	servers, ports, err := e.proxy.ListenPanes(ctx)
	if err != nil {
		return err
	}
	e.panes = servers
	for _, port := range ports {
		a.Listens(port)
	}
	e.over = func() {
		for _, port := range ports {
			a.listensNoMore(port)
		}
	}
	return nil
}

func (a *App) oursText(port string) bool {
	n, err := strconv.Atoi(port)
	return err == nil && a.ours(n)
}

func rulesOf(p policy.Policy) egress.Rules {
	r := egress.Rules{Risk: p.Risk, Allow: p.AllowHosts, Deny: p.DenyHosts}
	for _, port := range p.AllowLocal {
		r.Local = append(r.Local, local(port)...)
	}
	return r
}

// local are the ways to write a port of this machine's loopback.
func local(port int) (list []string) {
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		list = append(list, net.JoinHostPort(host, strconv.Itoa(port)))
	}
	return list
}

// heard writes down every request, and journals what was refused, each once a run.
func (e *enclosure) heard(entry egress.Entry) {
	e.log().add(entry)
	if entry.Allowed {
		return
	}
	e.border.heard(entry)
	e.tell("network", fmt.Sprintf("refused to a %s: %s", entry.From, entry))
}

// maxTried bounds what is kept of attempts for the person who tries a sandbox.
const maxTried = 1000

// attempted journals what the kernel refused.
func (e *enclosure) attempted(a sandbox.Attempt) {
	text := a.String()
	e.mu.Lock()
	if len(e.tried) < maxTried {
		e.tried = append(e.tried, text)
	}
	e.mu.Unlock()
	e.tell("sandbox", text)
}

// maxTold bounds what one run journals: a program may think of new names for ever.
const maxTold = 200

func (e *enclosure) tell(what, text string) {
	e.mu.Lock()
	warn := e.warn
	switch {
	case e.told[text] || len(e.told) > maxTold:
		warn = nil
	case len(e.told) == maxTold:
		text = fmt.Sprintf("more than %d different things were refused in this run: the rest stands in the network log alone", maxTold)
		e.told[text] = true
	default:
		e.told[text] = true
	}
	e.mu.Unlock()
	if warn != nil {
		warn(what, text)
	}
}

// keep says where requests are written down.
func (e *enclosure) keep(l *netLog) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.net = l
}

func (e *enclosure) log() *netLog {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.net
}

// journal says where refusals are journaled from now on.
func (e *enclosure) journal(warn func(what, text string)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.warn, e.told = warn, map[string]bool{}
}

// host is where checks run: each in a room of its own inside the walls. The
// hosts that they name are open to them only.
func (e *enclosure) host(a *App, dir string, hosts []string) verify.Host {
	h := verify.Host{Launcher: e.set, Env: e.judge, Dir: dir, Outside: a.person, Remote: a.remote, Engine: engine{a}}
	if e.proxy != nil {
		h.Walls = true
		h.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			return e.dial(ctx, network, address, hosts)
		}
		h.Launcher = checking{e.set, e.proxy, hosts, a.mask}
	}
	return h
}

// dial is for checks of the host itself: the loopback is the goal's, and what is
// outside is reached as by its programs, and where hosts are open to the check.
func (e *enclosure) dial(ctx context.Context, network, address string, hosts []string) (net.Conn, error) {
	if egress.Own(address) {
		return e.set.Dial(ctx, network, address)
	}
	return e.proxy.Dial(ctx, address, hosts)
}

func (e *enclosure) close(ctx context.Context) error {
	e.pages()
	err := e.set.Close(ctx)
	if e.proxy != nil {
		err = errors.Join(err, e.proxy.Close())
	}
	if e.over != nil {
		e.over()
	}
	return errors.Join(err, e.log().close())
}

// layer is the private folder of a goal: its home, /tmp and caches. It goes with
// the goal.
func (a *App) layer(id goal.ID) string { return filepath.Join(a.cfg.State(), "rooms", string(id)) }

// walls are what a policy lets programs find.
func (a *App) walls(p policy.Policy, layer string) (sandbox.Walls, error) {
	state, err := filepath.EvalSymlinks(a.cfg.State())
	if err != nil {
		return sandbox.Walls{}, fmt.Errorf("the state folder: %w", err)
	}
	rel, err := filepath.Rel(a.cfg.State(), layer)
	if err != nil {
		return sandbox.Walls{}, fmt.Errorf("the state folder: %w", err)
	}
	home := homeInside()
	tools := sandbox.Toolchains(home, os.Getenv)
	if self, err := os.Executable(); err == nil {
		tools = append(tools, self) // the demonstration's server, and goalctl for scripts
	}
	return sandbox.Walls{
		Dir: p.Dir, Layer: filepath.Join(state, rel), Home: home, ReadOnly: p.Risk == policy.ReadOnly,
		Tools: tools, Caches: sandbox.Caches(home, os.Getenv), Read: p.AllowRead, Write: p.AllowWrite, Sockets: p.AllowSocket, Ports: p.AllowLocal,
	}, nil
}

// limits are those of a goal's programs, with what the person chose.
func (a *App) limits() *sandbox.Limits {
	l := sandbox.DefaultLimits()
	if chosen := int64(a.cfg.Settings().GoalMemory) << 20; chosen > 0 {
		l.Together = chosen
		if l.Memory == 0 || l.Memory > chosen {
			l.Memory = chosen
		}
	}
	return l
}

// homeInside is where programs find their home: where the person's is, so that
// paths in configurations mean the same.
func homeInside() string {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) || filepath.Clean(home) == "/" {
		return "/home/goal"
	}
	return filepath.Clean(home)
}

// paneProxy is the proxies of a goal's pages; "" for an unconfined one. A goal whose
// room is closed reaches nothing.
func (a *App) paneProxy(id string) string {
	a.rooms.mu.Lock()
	defer a.rooms.mu.Unlock()
	if r := a.rooms.open[goal.ID(id)]; r != nil {
		return r.held.panes
	}
	return a.nowhere.at
}
