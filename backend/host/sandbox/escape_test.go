//go:build linux

package sandbox_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/lib/waittest"
)

// attempt is one way out of the sandbox. It has succeeded if its program exits with 0 and effect, which is evaluated
// outside, is true.
type attempt struct {
	name   string
	script string   // for sh, unless call is set
	call   []string // a key of calls, with its arguments
	effect func() bool
	// needs says what a machine must have for the attempt to work without a sandbox; "" means nothing, "root" means
	// root's rights.
	needs string
	undo  func()
	// reported is the text that the log has about the attempt: that of the kernel's refusals, or of the network's.
	reported string
	// silent is the reason why nothing is reported. Exactly one of reported and silent is set.
	silent string
}

// Reasons why the kernel does not report an attempt. The journal still has every attempt that a command of an agent
// makes: the step contains the command and its output.
const (
	noFile           = "the file system answers that there is none, or that it is read-only, and reports nobody"
	noPid            = "/proc has no such process and reports nobody"
	ownCopy          = "it lands in what is the goal's own: its copy of what git obeys, its private home, its /tmp"
	bound            = "a limit of the kernel, which only the program notices"
	everyday         = "every thread's start tries it"
	gitHarmlessValue = "it is no attempt but a state"
	noRight          = "the kernel asks for a right that nobody inside has, or Landlock refuses, and reports nobody"
	noRoute          = "no connection is asked for, only sent to; there is no way out of the network"
)

// escapeTest is a goal, with things outside its sandbox that a program could want to reach.
type escapeTest struct {
	testing.TB
	w                     sandbox.Spec
	outside, home         string // both outside the sandbox; home is the user's
	server, victim, tty   string
	proxy, open           string // addresses of the goal's proxy and of one without rules
	socket, abstract, udp string
	near, datagram        string        // sockets of the machine in the goal's folder
	packets               string        // a packet socket there
	usual                 []string      // sockets of the machine's services, of the user's session and of agents
	segment               int           // key of shared memory of the machine
	received              atomic.Int64  // datagrams that arrived at the listeners outside
	datagrams             []string      // addresses of these listeners
	passed                chan struct{} // a datagram of the test itself arrived
	within                bool          // the current attempt is made inside the sandbox
	traced                bool          // the current attempt is made by a traced check
	ports                 []string      // of the machine's loopback, on which a server listens
	// outer are the addresses, HOST:PORT, of servers at other addresses of this machine: one of IPv4 and one of IPv6. An
	// address is "" if the machine has none of that family.
	outer                []string
	outerUDP             string
	six                  bool   // the server listens at ::1, too
	panes                string // where the proxy listens for the goal's pages
	log                  *tellings
	egress               *egress.Proxy
	confined, free       *sandbox.Supervisor
	confinedEnv, freeEnv []string
}

func imprison(t *testing.T) *escapeTest {
	t.Helper()
	p := &escapeTest{TB: t, w: newSpec(t), passed: make(chan struct{}, 1)}
	p.home = p.w.Home
	p.outside = filepath.Join(filepath.Dir(p.home), "outside")
	write(t, filepath.Join(p.home, "secret"), "canary", 0o600)
	write(t, filepath.Join(p.outside, "secret"), "canary", 0o600)
	write(t, filepath.Join(filepath.Dir(p.w.Layer), "goalpost.db"), "canary", 0o600)
	write(t, filepath.Join(p.w.Dir, ".git", "config"), gitConfigThere, 0o644)
	write(t, filepath.Join(p.w.Dir, "tools", "husky", "pre-commit"), "#!/bin/sh\n", 0o755)
	write(t, filepath.Join(p.w.Dir, "tools", "clean.sh"), "#!/bin/sh\n", 0o755)
	write(t, filepath.Join(p.w.Dir, "shared.gitconfig"), "[core]\n", 0o644)
	write(t, filepath.Join(p.w.Dir, "linked", ".git", "HEAD"), "x", 0o644)
	write(t, filepath.Join(p.w.Dir, "githooks", "pre-push"), "#!/bin/sh\n", 0o755)
	if err := os.Symlink("../../githooks", filepath.Join(p.w.Dir, "linked", ".git", "hooks")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(p.w.Dir, ".git", "worktrees", "far", "HEAD"), "x", 0o644)
	write(t, filepath.Join(p.w.Dir, ".git", "worktrees", "far", "commondir"), "../..\n", 0o644)
	write(t, filepath.Join(p.w.Dir, ".git", "hooks", "pre-commit.sample"), "#!/bin/sh\n", 0o755)
	for _, name := range []string{
		"sub/.git/HEAD", "sub/.git/config", ".git/modules/m/HEAD", ".git/modules/m/config",
		"tree/.git",
	} {
		write(t, filepath.Join(p.w.Dir, name), "[core]\n", 0o644)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.w.Tools = []string{self}
	p.w.Limits = &sandbox.ResourceLimits{Processes: 120, FileSize: 100 << 20, Nice: 5}
	p.listen()
	p.log = newTellings()
	p.confined, p.free = openSandboxReporting(t, p.w, p.log), open(t)
	p.connect(t)
	p.confinedEnv = append(environ.ForAgent([]string{plainPath, endsAtOnce}, p.w), "SECRET="+p.outside+"/secret")
	p.freeEnv = []string{plainPath, endsAtOnce, "HOME=" + p.home, "SECRET=" + p.outside + "/secret"}
	return p
}

// listen opens everything outside the sandbox that a goal must not reach.
func (et *escapeTest) listen() {
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("outside"))
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		et.Fatal(err)
	}
	_, et.server, _ = net.SplitHostPort(l.Addr().String())
	listeners := []net.Listener{l}
	for range 4 { // each attempt has its own port, so that each is reported on its own
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			et.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		listeners, et.ports = append(listeners, l), append(et.ports, port)
	}
	for _, address := range addresses(et) {
		if address != "" {
			if l, err := net.Listen("tcp", net.JoinHostPort(address, "0")); err != nil {
				et.Logf("%s stands for no outside: %v", address, err)
				address = ""
			} else {
				address, listeners = l.Addr().String(), append(listeners, l)
			}
		}
		et.outer = append(et.outer, address)
	}
	if six, err := net.Listen("tcp", "[::1]:"+et.server); err == nil {
		listeners, et.six = append(listeners, six), true
	}
	et.socket, et.abstract = filepath.Join(et.outside, "sock"), fmt.Sprintf("@goalpost-escape-%d", os.Getpid())
	et.near, et.datagram = filepath.Join(et.w.Dir, "ctl.sock"), filepath.Join(et.w.Dir, "log.sock")
	et.places()
	for _, name := range append([]string{et.socket, et.abstract, et.near}, et.usual...) {
		u, err := net.Listen("unix", name)
		if err != nil {
			et.Fatal(err)
		}
		listeners = append(listeners, u)
	}
	s := &http.Server{Handler: answer, ReadHeaderTimeout: time.Minute}
	var serving sync.WaitGroup
	for _, l := range listeners {
		serving.Go(func() { _ = s.Serve(l) })
	}
	et.Cleanup(func() { _ = s.Close(); serving.Wait() })
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		et.Fatal(err)
	}
	if host, _, err := net.SplitHostPort(et.outer[0]); err == nil {
		far, err := net.ListenPacket("udp", net.JoinHostPort(host, "0"))
		if err != nil {
			et.Fatal(err)
		}
		et.outerUDP = far.LocalAddr().String()
		et.receiving(far)
	}
	d, err := net.ListenPacket("unixgram", et.datagram)
	if err != nil {
		et.Fatal(err)
	}
	et.Cleanup(func() { _ = d.Close() })
	et.udp = u.LocalAddr().String()
	et.receiving(u)
	et.tty = et.terminal()
	et.victim = fmt.Sprint(et.process())
}

// receiving counts the datagrams that arrive at u.
func (et *escapeTest) receiving(u net.PacketConn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for buf := make([]byte, 64); ; {
			n, _, err := u.ReadFrom(buf)
			switch {
			case err != nil:
				return
			case string(buf[:n]) == ours:
				et.passed <- struct{}{}
			default:
				et.received.Add(1)
			}
		}
	}()
	et.Cleanup(func() { _ = u.Close(); <-done })
	et.datagrams = append(et.datagrams, u.LocalAddr().String())
}

// ours is the datagram that the test sends to its own listeners.
const ours = "what was sent before this has come"

// arrives reports whether the datagram of an attempt arrived. A lost datagram is not reported. Inside the sandbox, it
// is lost once other datagrams that were sent later have arrived.
func (et *escapeTest) arrives() bool {
	if !et.within {
		waittest.Until(et, "datagram", func() bool { return et.received.Load() > 0 })
		return et.received.Swap(0) > 0
	}
	for range 20 {
		for _, address := range et.datagrams {
			et.passes(address)
		}
	}
	return et.received.Swap(0) > 0
}

// passes sends the test's own datagram again and again until one has arrived, because a datagram may be lost.
func (et *escapeTest) passes(address string) {
	c, err := net.Dial("udp", address)
	if err != nil {
		et.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	for range 5 {
		if _, err := c.Write([]byte(ours)); err != nil {
			et.Fatal(err)
		}
		select {
		case <-et.passed:
			return
		case <-time.After(waittest.Scale(time.Minute)):
		}
	}
	et.Fatalf("nothing comes to %s", address)
}

// addresses returns an IPv4 and an IPv6 address of this machine other than its loopback; "" if it has none. They stand
// for the outside: data that is sent there leaves a goal's sandbox, but not the machine.
func addresses(t testing.TB) []string {
	list, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	found := []string{"", ""}
	for _, a := range list {
		n, ok := a.(*net.IPNet)
		if !ok || !n.IP.IsGlobalUnicast() {
			continue
		}
		i := 0
		if n.IP.To4() == nil {
			i = 1
		}
		found[i] = n.IP.String()
	}
	return found
}

// places creates sockets where programs look for the machine's services. Outside of the user's home and /tmp it does
// so only as root, and never replaces a file.
func (et *escapeTest) places() {
	et.packets = filepath.Join(et.w.Dir, "packets.sock")
	l, err := net.Listen("unixpacket", et.packets)
	if err != nil {
		et.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer func() { _ = c.Close() }() // closed last, because sending a packet to a closed socket is an error
		}
	}()
	et.Cleanup(func() { _ = l.Close(); <-over })
	short, err := os.MkdirTemp("/tmp", "ssh-*") // the path must be short, and these are usually in /tmp
	if err != nil {
		et.Fatal(err)
	}
	et.Cleanup(func() { _ = os.RemoveAll(short) })
	et.usual = []string{
		filepath.Join(et.home, ".docker", "docker.sock"), filepath.Join(et.home, ".gnupg", "S.gpg-agent"),
		filepath.Join(short, "agent.1"), short + "-dbus",
	}
	if os.Getuid() == 0 {
		et.usual = append(et.usual, "/run/docker.sock", "/run/user/0/bus")
	}
	et.usual = slices.DeleteFunc(et.usual, func(path string) bool { return there(path)() })
	for _, path := range et.usual {
		dir := filepath.Dir(path)
		if !there(dir)() {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				et.Fatal(err)
			}
			et.Cleanup(func() { _ = os.Remove(dir) })
		}
	}
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
	if err != nil {
		et.Fatal(err)
	}
	et.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	et.segment = id
}

// highest is greater than the PIDs of a goal's processes.
const highest = 2000

// process starts a process of the machine and returns its PID. The PID is greater than any that the goal's processes
// will have, as on every machine that has run for a while. In a fresh container, several processes are started to get
// there.
func (et *escapeTest) process() int {
	for {
		victim := exec.Command("sleep", "1000")
		victim.Env = []string{"TOKEN=canary"}
		if err := victim.Start(); err != nil {
			et.Fatal(err)
		}
		end := func() { _, _ = victim.Process.Kill(), victim.Wait() }
		if victim.Process.Pid > highest {
			et.Cleanup(end)
			return victim.Process.Pid
		}
		end()
	}
}

// terminal opens a pseudo-terminal of the machine and returns its path.
func (et *escapeTest) terminal() string {
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		et.Fatal(err)
	}
	et.Cleanup(func() { _ = unix.Close(master) })
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		et.Fatal(err)
	}
	n, err := unix.IoctlGetInt(master, unix.TIOCGPTN)
	if err != nil {
		et.Fatal(err)
	}
	return fmt.Sprintf("/dev/pts/%d", n)
}

// connect gives the goal a proxy with the highest permission level, so that it refuses only addresses, and makes a
// second proxy that refuses nothing.
func (et *escapeTest) connect(t *testing.T) {
	n, err := et.confined.Network()
	if err != nil {
		t.Fatal(err)
	}
	here := func(_ context.Context, host string) ([]netip.Addr, error) {
		for i, name := range []string{"four.example", "six.example"} {
			if host == name {
				to, err := netip.ParseAddrPort(et.outer[i])
				return []netip.Addr{to.Addr()}, err
			}
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	et.egress = egress.New(egress.Config{
		Rules:    egress.Rules{Risk: policy.NetworkWrite, Deny: []string{"denied.example"}},
		Inside:   et.confined.Dial,
		Resolver: here,
	})
	et.egress.Serve(n.Proxy, egress.SourceProgram)
	et.egress.DNS.ServeDNS(n.Names, n.NamesBy)
	if et.panes, err = et.egress.Listen(context.Background()); err != nil {
		t.Fatal(err)
	}
	et.panes = strings.TrimPrefix(et.panes, "http://")
	t.Cleanup(func() { _ = et.egress.Close() })
	et.proxy = spec.ProxyAddress
	direct := func(ctx context.Context, network, address string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}
	none := egress.New(egress.Config{
		Rules:    egress.Rules{Risk: policy.NetworkWrite},
		Inside:   direct,
		Resolver: here,
		Public:   func(netip.Addr) error { return nil },
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	none.Serve(l, egress.SourceProgram)
	et.open = l.Addr().String()
	t.Cleanup(func() { _ = none.Close() })
}

// try makes one attempt among the programs of a supervisor.
func (et *escapeTest) try(a attempt, s *sandbox.Supervisor, env []string, proxy string) (escaped bool, said string) {
	c := process.Command{Argv: []string{"/bin/sh", "-c", a.script}, Env: env, Dir: et.w.Dir}
	if a.call != nil {
		args := append([]string{}, a.call[1:]...)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "PROXY", proxy)
		}
		c.Argv = append(append([]string{}, et.w.Tools[0]), args...)
		c.Env = append(append([]string{}, env...), attemptVariable+"="+a.call[0])
	}
	if a.undo != nil {
		defer a.undo()
	}
	et.within = s == et.confined
	if et.traced {
		c.Domain, c.Trace = process.DomainCheck, true
	}
	text, status := output(et, s, c)
	escaped = status.Code == 0 && status.Signal == 0
	if escaped && a.effect != nil {
		escaped = a.effect()
	}
	return escaped, strings.TrimSpace(text)
}

// possible reports whether the attempt can succeed on this machine without a sandbox.
func (et *escapeTest) possible(a attempt) bool {
	switch a.needs {
	case "IPv4":
		return et.outer[0] != ""
	case "IPv6":
		return et.outer[1] != ""
	case "":
		return true
	case "root":
		return os.Getuid() == 0
	case "tiocsti":
		on, _ := os.ReadFile("/proc/sys/dev/tty/legacy_tiocsti")
		return os.Getuid() == 0 || strings.TrimSpace(string(on)) == "1"
	case "sysrq":
		return os.Getuid() == 0 && there("/proc/sysrq-trigger")()
	case "vsock":
		return there("/proc/sys/net/vsock")() || there("/dev/vsock")()
	case "shm": // containers have little, and other programs use it, too
		var memory unix.Statfs_t
		return unix.Statfs("/dev/shm", &memory) == nil && memory.Bavail*uint64(memory.Bsize) > 100<<20
	case "::1":
		return et.six
	case "number": // a PID as high as that of process, for the same reason
		return os.Getpid() > highest
	}
	panic("unknown need " + a.needs)
}

// TestEscape_EveryAttempt_Fails makes each attempt without a sandbox first, because an attempt that fails there proves
// nothing. Each attempt in the sandbox must be in the log, or have a reason why it is not.
func TestEscape_EveryAttempt_Fails(t *testing.T) {
	p := imprison(t)
	count, escapes, reported := 0, 0, 0
	for name, outlives := range map[string]func(*testing.T) bool{
		"kill what starts programs":       p.killing,
		"a double fork outlives the goal": p.forking,
	} {
		t.Run(name, func(t *testing.T) {
			count++
			if outlives(t) {
				escapes++
				t.Error("escaped")
			}
		})
	}
	for _, a := range p.attempts() {
		if !p.possible(a) {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			p.TB = t
			if escaped, said := p.try(a, p.free, p.freeEnv, p.open); !escaped {
				t.Fatalf("it does not work without a sandbox: %s", said)
			}
			count++
			escaped, said := p.try(a, p.confined, p.confinedEnv, p.proxy)
			if escaped {
				escapes++
				t.Errorf("escaped: %s", said)
			}
			t.Logf("%s", said)
			p.traced = true
			if escaped, said := p.try(a, p.confined, p.confinedEnv, p.proxy); escaped {
				escapes++
				t.Errorf("escaped from a check that is traced: %s", said)
			}
			p.traced = false
			switch {
			case (a.reported == "") == (a.silent == ""):
				t.Error("it must be reported, or say why not")
			case a.reported == "":
				t.Logf("not told: %s", a.silent)
			case p.reports(a.reported):
				reported++
			default:
				t.Errorf("the log does not tell of %q:\n%s\n%s", a.reported, p.log, p.egress.Entries())
			}
		})
	}
	p.TB = t
	fmt.Printf("%d attempts, %d escaped, %d told of by kernel or network\n", count, escapes, reported)
	if least := map[bool]int{true: 50, false: 40}[os.Getuid() == 0]; count < least {
		t.Errorf("only %d attempts were made, wanted %d", count, least)
	}
}

// reports reports whether the log of the kernel's refusals or of the network's contains the words. It waits for them,
// because the end of a program may be known before they arrive.
func (et *escapeTest) reports(words string) bool {
	for _, e := range et.egress.Entries() {
		if strings.Contains(e.String(), words) {
			return true
		}
	}
	return et.log.await(words)
}

func there(path string) func() bool {
	return func() bool { _, err := os.Lstat(path); return err == nil }
}

func holds(path, text string) func() bool {
	return func() bool { b, _ := os.ReadFile(path); return strings.Contains(string(b), text) }
}

func removing(paths ...string) func() {
	return func() {
		for _, path := range paths {
			_ = os.RemoveAll(path)
		}
	}
}

func (et *escapeTest) attempts() []attempt {
	var list []attempt
	for _, part := range [][]attempt{
		et.files(), et.persistence(), et.processes(), et.kernel(), et.network(), et.limits(),
	} {
		list = append(list, part...)
	}
	return list
}

// gitConfigThere is a git configuration that names programs and files of the folder, as in many repositories.
const gitConfigThere = "[core]\n\thooksPath = tools/husky\n[filter \"x\"]\n\tclean = tools/clean.sh " +
	"%f\n[include]\n\tpath = ../shared.gitconfig\n"

func (et *escapeTest) files() []attempt {
	hooks, config := filepath.Join(et.w.Dir, ".git", "hooks", "pre-commit"), filepath.Join(et.w.Dir, ".git", "config")
	restore := func() {
		_ = os.RemoveAll(filepath.Join(et.w.Dir, "g"))
		write(et, config, gitConfigThere, 0o644)
		removing(hooks)()
	}
	// replaced returns an attempt to rename a folder above a git-controlled path.
	replaced := func(name, folder, path string) attempt {
		a := et.autorunAttempt(name, path, ownCopy)
		undo, at := a.undo, filepath.Join(et.w.Dir, folder)
		a.script = "mv " + folder + " moved && mkdir -p " + filepath.Dir(path) + " && echo evil > " + path
		a.undo = func() {
			switch moved := et.w.Dir + "/moved"; {
			case et.within: // the goal has a copy: removing the original would detach mounts
				removing(moved)()
			case there(moved)():
				removing(at)()
				_ = os.Rename(moved, at)
			}
			undo()
		}
		return a
	}
	return []attempt{
		{name: "read a file outside", silent: noFile, script: `cat "$SECRET"`},
		{name: "read by dot-dot", silent: noFile, script: `cat ../secret`},
		{name: "read through the working folder", silent: noFile, script: `cat /proc/self/cwd/../secret`},
		{name: "read through a symlink", silent: noFile, script: `rm -f l; ln -s "$SECRET" l && cat l`},
		{
			name:   "read through a hard link",
			silent: noFile,
			script: `rm -f h; ln "$SECRET" h && cat h`,
			undo:   removing(et.w.Dir + "/h"),
		},
		{name: "rename across", silent: noFile, script: `mv "$SECRET" stolen && mv stolen "$SECRET"`},
		{
			name:   "write a file outside",
			silent: noFile,
			script: `echo x > "$SECRET.new"`,
			effect: there(et.outside + "/secret.new"),
			undo:   removing(et.outside + "/secret.new"),
		},
		{name: "remove a file outside", silent: noFile, script: `touch "$SECRET.old" && rm "$SECRET.old"`},
		{name: "read the app's database", silent: noFile, script: `cat ../../state/goalpost.db`},
		{
			name:   "read through another root",
			silent: noFile,
			script: `for r in /proc/[0-9]*/root; do cat "$r$SECRET" 2>/dev/null && exit 0; done; exit 1`,
		},
		{
			name:   "read through another's files",
			silent: noFile,
			script: `for d in /proc/[0-9]*/cwd; do cat "$d/../secret" 2>/dev/null && exit 0; done; exit 1`,
		},
		{name: "look into /var/lib", silent: noFile, script: `ls /var/lib/. | grep -q .`},
		{
			name:   "put a git hook",
			silent: ownCopy,
			script: `echo x > .git/hooks/pre-commit`,
			effect: there(hooks),
			undo:   restore,
		},
		{
			name:   "change git's configuration",
			silent: ownCopy,
			script: `echo '[core] pager = evil' > .git/config`,
			effect: holds(config, "evil"),
			undo:   restore,
		},
		{
			name:   "put another repository in place",
			silent: ownCopy,
			script: `mv .git g && mkdir -p .git/hooks && echo x > .git/hooks/pre-commit`,
			effect: there(hooks),
			undo: func() {
				if there(et.w.Dir + "/g")() {
					removing(et.w.Dir + "/.git")()
					_ = os.Rename(et.w.Dir+"/g", et.w.Dir+"/.git")
				}
				restore()
			},
		},
		et.autorunAttempt("put a hook where there are none", "sub/.git/hooks/pre-commit", ownCopy),
		et.autorunAttempt("change a nested repository's configuration", "sub/.git/config", ownCopy),
		et.autorunAttempt("change a submodule's configuration", ".git/modules/m/config", ownCopy),
		et.autorunAttempt("lead a worktree elsewhere", "tree/.git", noFile),
		et.autorunAttempt("lead a far worktree elsewhere", ".git/worktrees/far/commondir", ownCopy),
		et.autorunAttempt("change a hook that is in the folder (husky)", "tools/husky/pre-commit", ownCopy),
		et.autorunAttempt("add a hook to them", "tools/husky/post-commit", ownCopy),
		et.autorunAttempt("change a filter's script", "tools/clean.sh", ownCopy),
		et.autorunAttempt("change configuration that is included", "shared.gitconfig", ownCopy),
		et.autorunAttempt("change a hook behind a link", "githooks/pre-push", ownCopy),
		replaced("rename the folder above a nested repository", "sub", "sub/.git/config"),
		replaced("rename the folder above hooks that are in the folder", "tools", "tools/husky/pre-commit"),
		replaced("rename the folder above a worktree's file", "tree", "tree/.git"),
		replaced("rename the folder above a submodule's repository", ".git/modules", ".git/modules/m/config"),
		{name: "read the shadow file", silent: noFile, script: `grep -q . /etc/shadow`, needs: "root"},
		{
			name:   "write in /etc",
			silent: noFile,
			script: `touch /etc/goalpost-escape`,
			needs:  "root",
			undo:   removing("/etc/goalpost-escape"),
		},
		{
			name:   "write in /opt",
			silent: noFile,
			script: `touch /opt/goalpost-escape`,
			needs:  "root",
			undo:   removing("/opt/goalpost-escape"),
		},
		{
			name:   "write in /usr",
			silent: noFile,
			script: `touch /usr/goalpost-escape`,
			needs:  "root",
			undo:   removing("/usr/goalpost-escape"),
		},
		{name: "make a device", reported: "make a device", call: []string{"mknod"}, needs: "root"},
		{
			name:   "change how the kernel dumps",
			silent: noFile,
			call:   []string{"open", "/proc/sys/kernel/core_pattern"},
			needs:  "root",
		},
		{name: "press system keys", silent: noFile, call: []string{"open", "/proc/sysrq-trigger"}, needs: "sysrq"},
	}
}

// autorunAttempt returns an attempt to write a git-controlled path.
func (et *escapeTest) autorunAttempt(name, path, silent string) attempt {
	at := filepath.Join(et.w.Dir, path)
	before, err := os.ReadFile(at)
	return attempt{
		name:   name,
		silent: silent,
		script: "mkdir -p " + filepath.Dir(path) + " && echo evil > " + path,
		effect: holds(at, "evil"),
		undo: func() {
			if err != nil {
				removing(at)()
				return
			}
			write(et, at, string(before), 0o644)
		},
	}
}

func (et *escapeTest) persistence() []attempt {
	unit, rc, auto := et.home+"/.config/systemd/user/x.service", et.home+"/.bashrc", et.home+"/.config/autostart/x.desktop"
	return []attempt{
		{
			name:   "shell start-up file",
			silent: ownCopy,
			script: `echo evil >> ~/.bashrc`,
			effect: there(rc),
			undo:   removing(rc),
		},
		{
			name:   "systemd user unit",
			silent: ownCopy,
			script: `mkdir -p ~/.config/systemd/user && echo x > ~/.config/systemd/user/x.service`,
			effect: there(unit),
			undo:   removing(unit),
		},
		{
			name:   "autostart",
			silent: ownCopy,
			script: `mkdir -p ~/.config/autostart && echo x > ~/.config/autostart/x.desktop`,
			effect: there(auto),
			undo:   removing(auto),
		},
		{
			name:   "ssh key",
			silent: ownCopy,
			script: `mkdir -p ~/.ssh && echo x > ~/.ssh/authorized_keys`,
			effect: there(et.home + "/.ssh"),
			undo:   removing(et.home + "/.ssh"),
		},
		{
			name:   "cron",
			silent: noFile,
			script: `echo x > /etc/cron.d/goalpost-escape || { mkdir -p /etc/cron.d && echo x > /etc/cron.d/goalpost-escape; }`,
			needs:  "root",
			undo:   removing("/etc/cron.d/goalpost-escape"),
		},
		{
			name:   "a file for others in /tmp",
			silent: ownCopy,
			script: `echo x > "/tmp/goalpost-escape-$$"; echo $$ > id`,
			effect: func() bool {
				id, _ := os.ReadFile(et.w.Dir + "/id")
				return there("/tmp/goalpost-escape-" + strings.TrimSpace(string(id)))()
			},
			undo: func() {
				id, _ := os.ReadFile(et.w.Dir + "/id")
				removing("/tmp/goalpost-escape-" + strings.TrimSpace(string(id)))()
			},
		},
	}
}

func (et *escapeTest) processes() []attempt {
	return []attempt{
		{
			name:   "read another's environment",
			silent: noPid,
			script: `tr '\0' '\n' < /proc/` + et.victim + `/environ | grep canary`,
		},
		{name: "find another's process", silent: noPid, script: `grep -l sleep /proc/` + et.victim + `/comm`},
		{name: "signal another's process", reported: "signal process " + et.victim, script: `kill -0 ` + et.victim},
		{
			name:     "signal the app",
			needs:    "number",
			reported: fmt.Sprintf("signal process %d", os.Getpid()),
			script:   fmt.Sprintf(`kill -0 %d`, os.Getpid()),
		},
		{
			name:   "read the app's environment",
			needs:  "number",
			silent: noPid,
			script: fmt.Sprintf(`grep -q . /proc/%d/environ`, os.Getpid()),
		},
		{name: "slow another's process", silent: noPid, script: `renice -n 19 -p ` + et.victim},
		{name: "write another terminal", silent: noFile, script: `echo escaped > ` + et.tty},
		{name: "read another terminal", silent: noFile, script: `exec 3<` + et.tty},
	}
}

func (et *escapeTest) kernel() []attempt {
	return []attempt{
		{
			name:     "a setuid shell",
			reported: "setuid",
			script:   `cp /bin/sh suid && chmod 4755 suid && [ -u suid ]`,
			undo:     removing(et.w.Dir + "/suid"),
		},
		{
			name:     "a setgid shell",
			reported: "setuid",
			script:   `install -m 2755 /bin/sh sgid && [ -g sgid ]`,
			undo:     removing(et.w.Dir + "/sgid"),
		},
		{name: "setuid by open", reported: "setuid", call: []string{"setid", "open"}},
		{
			name:   "setuid by openat2",
			silent: "programs try it first everywhere, and openat after it",
			call:   []string{"setid", "openat2"},
		},
		{name: "setuid by a file without a name", reported: "setuid", call: []string{"setid", "tmpfile"}},
		{name: "setuid by mknod", reported: "setuid", call: []string{"setid", "mknod"}},
		{name: "setuid by fchmodat2", reported: "setuid", call: []string{"setid", "fchmodat2"}},
		{name: "ptrace", reported: "ptrace (request 0", call: []string{"ptrace"}},
		{name: "ptrace of the helper", call: []string{"seize"}, reported: "process 1)"},
		{name: "type into a terminal", call: []string{"tiocsti"}, needs: "tiocsti", reported: "TIOCSTI"},
		{name: "process_vm_readv", reported: "process_vm_readv", call: []string{"process_vm_readv"}},
		{name: "clone3", silent: everyday, call: []string{"clone3"}},
		{name: "io_uring", reported: "io_uring", call: []string{"io_uring"}},
		{name: "a user namespace", reported: "make a namespace", call: []string{"namespace"}},
		{name: "userfaultfd", reported: "userfaultfd", call: []string{"userfaultfd"}},
		{name: "the session's keyring", reported: "keyctl", call: []string{"keyring"}},
		{name: "file handles", reported: "name_to_handle_at", call: []string{"handle"}},
		{name: "bpf", reported: "bpf", call: []string{"bpf"}, needs: "root"},
		{name: "mount", reported: "mount", call: []string{"mount", et.w.Dir}, needs: "root"},
		{name: "chroot", reported: "chroot", call: []string{"chroot", "/"}, needs: "root"},
		{name: "setns", reported: "setns", call: []string{"setns"}, needs: "root"},
		{name: "the machine's name", reported: "the machine's name", call: []string{"hostname"}, needs: "root"},
		{name: "raw socket", reported: "family 2, type 3", call: []string{"socket", "2 3 1"}, needs: "root"},
		{name: "packet socket", reported: "family 17", call: []string{"socket", "17 3 0"}, needs: "root"},
		{name: "vsock", reported: "family 40", call: []string{"socket", "40 1 0"}, needs: "vsock"},
		{
			name:     "netlink of the kernel's events",
			reported: "family 16, type 3, protocol 15",
			call:     []string{"socket", "16 3 15"},
		},
		{
			name:     "packet socket with bits that the kernel drops",
			reported: "family 17",
			call:     []string{"highbits"},
			needs:    "root",
		},
		{name: "the helper's descriptors", silent: noRight, script: `readlink /proc/$PPID/fd/3 | grep -q socket`},
		{name: "take one of the helper's descriptors", reported: "pidfd_getfd", call: []string{"getfd"}},
		{name: "the helper's memory", silent: noRight, script: `exec 3</proc/$PPID/mem`},
		{name: "the helper's limits", reported: "the first process of its sandbox", call: []string{"prlimit"}},
		{name: "the helper's processors", reported: "the first process of its sandbox", call: []string{"schedule"}},
		{
			name:   "have the helper end when memory does",
			silent: noRight,
			script: `cat /proc/$PPID/oom_score_adj > adj && cat adj > /proc/$PPID/oom_score_adj`,
			undo:   removing(et.w.Dir + "/adj"),
		},
		{name: "a program with capabilities", silent: noRight, call: []string{"capability"}, needs: "root"},
		{
			name:     "the kernel's log",
			reported: "syslog",
			script:   `dmesg --syslog > /dev/null || dmesg -S > /dev/null`,
			needs:    "root",
		},
		{name: "the machine's hardware", silent: noFile, script: `ls /sys/kernel/. | grep -q .`},
		{name: "shared memory of the machine", silent: ownCopy, call: []string{"attach", fmt.Sprint(et.segment)}},
		{name: "netlink of socket tables", reported: "family 16, type 3, protocol 4", call: []string{"socket", "16 3 4"}},
	}
}

func (et *escapeTest) network() []attempt {
	port := func(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }
	unset := "unset HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy NO_PROXY no_proxy; exec env " +
		attemptVariable + "=by-environment " + et.w.Tools[0] + " "
	list := []attempt{
		{name: "the machine's loopback by a first packet", silent: noRoute, call: []string{"fastopen", et.server}},
		{
			name:     "another name of a server's socket",
			reported: "\"hard.sock\", which is not the goal's",
			call:     []string{"hardlink", "ctl.sock"},
		},
		{
			name:     "a name without an end",
			reported: "./ctl.sock\", which is not the goal's",
			call:     []string{"longname", "ctl.sock"},
		},
		{
			name:     "a server of packets in the goal's folder",
			reported: "\"packets.sock\", which is not the goal's",
			call:     []string{"packets", "packets.sock"},
		},
		{
			name:     "another address of the machine",
			needs:    "IPv4",
			reported: "connect to " + et.outer[0] + " without the proxy",
			call:     []string{"get", "http://" + et.outer[0] + "/"},
		},
		{
			name:     "the proxy's variables are unset",
			needs:    "IPv4",
			reported: "connect to " + et.outer[0] + " without the proxy",
			script:   unset + "http://" + et.outer[0] + "/",
		},
		{
			name:     "the proxy's variables as they are",
			needs:    "IPv4",
			reported: "POST " + et.outer[0],
			call:     []string{"by-environment", "http://" + et.outer[0] + "/"},
		},
		{
			name:     "IPv6 to the outside",
			needs:    "IPv6",
			reported: "connect to " + et.outer[1] + " without the proxy",
			call:     []string{"get", "http://" + et.outer[1] + "/"},
		},
		{
			name:     "UDP to the outside, as to a name server",
			needs:    "IPv4",
			reported: "connect to " + et.outerUDP + " without the proxy",
			call:     []string{"dial", "udp", et.outerUDP},
			effect:   et.arrives,
		},
		{
			name:     "a tunnel to a name that leads to this machine",
			needs:    "IPv4",
			reported: "CONNECT four.example",
			call:     []string{"tunnel", "PROXY", "four.example:" + port(et.outer[0])},
		},
		{
			name:     "the same by IPv6",
			needs:    "IPv6",
			reported: "CONNECT six.example",
			call:     []string{"tunnel", "PROXY", "six.example:" + port(et.outer[1])},
		},
		{name: "the proxy of the goal's pages", reported: "port " + port(et.panes), call: []string{"dial", "tcp", et.panes}},
		{
			name:     "the machine's loopback",
			reported: "port " + et.server,
			call:     []string{"get", "http://127.0.0.1:" + et.server + "/"},
		},
		{
			name:     "the machine's IPv6 loopback",
			needs:    "::1",
			reported: "port " + et.server,
			call:     []string{"get", "http://[::1]:" + et.server + "/"},
		},
		{name: "0.0.0.0", reported: "port " + et.ports[0], call: []string{"get", "http://0.0.0.0:" + et.ports[0] + "/"}},
		{
			name:     "a mapped address",
			reported: "port " + et.ports[1],
			call:     []string{"get", "http://[::ffff:127.0.0.1]:" + et.ports[1] + "/"},
		},
		{name: "Unix socket", reported: et.socket, call: []string{"dial", "unix", et.socket}},
		{
			name:     "a server of the machine in the goal's folder",
			reported: "ctl.sock\", which is not the goal's",
			call:     []string{"dial", "unix", et.near},
		},
		{
			name:     "the same by a relative name",
			reported: "\"ctl.sock\", which is not the goal's",
			call:     []string{"dial", "unix", "ctl.sock"},
		},
		{
			name:     "the same by a link",
			reported: "lnk\", which is not the goal's",
			script:   "ln -sf ctl.sock lnk; exec env " + attemptVariable + "=dial " + et.w.Tools[0] + " unix lnk",
		},
		{
			name:     "a datagram to a server in the goal's folder",
			reported: "family 1, type 2",
			call:     []string{"dial", "unixgram", et.datagram},
		},
		{name: "abstract socket", reported: et.abstract, call: []string{"dial", "unix", et.abstract}},
		{
			name:     "UDP",
			reported: "port " + et.udp[strings.LastIndexByte(et.udp, ':')+1:],
			call:     []string{"dial", "udp", et.udp},
			effect:   et.arrives,
		},
		{
			name:     "a name that leads home (rebinding)",
			reported: "POST rebind.example",
			call:     []string{"via", "http://PROXY", "http://rebind.example:" + et.server + "/"},
		},
		{
			name:     "a denied host",
			reported: "denied.example",
			call:     []string{"via", "http://PROXY", "http://denied.example:" + et.server + "/"},
		},
		{
			name:     "the machine's loopback by the proxy",
			reported: "POST 127.0.0.1:" + et.server,
			call:     []string{"via", "http://PROXY", "http://127.0.0.1:" + et.server + "/"},
		},
		{
			name:     "a decimal address",
			reported: "port " + et.ports[2],
			script:   `exec bash -c "exec 3<>/dev/tcp/2130706433/` + et.ports[2] + `"`,
		},
		{
			name:     "a tunnel to a name that leads home",
			reported: "CONNECT rebind.example",
			call:     []string{"tunnel", "PROXY", "rebind.example:" + et.server},
		},
		{
			name:     "a tunnel to the machine's loopback",
			reported: "CONNECT 127.0.0.1:" + et.server,
			call:     []string{"tunnel", "PROXY", "127.0.0.1:" + et.server},
		},
		{
			name:     "a tunnel to a mapped address",
			reported: "CONNECT [::ffff:127.0.0.1]:" + et.ports[3],
			call:     []string{"tunnel", "PROXY", "[::ffff:127.0.0.1]:" + et.ports[3]},
		},
	}
	for _, path := range et.usual {
		list = append(list, attempt{
			name:     "a service where it usually is: " + strings.TrimPrefix(path, et.home),
			reported: path,
			call:     []string{"dial", "unix", path},
		})
	}
	return list
}

func (et *escapeTest) limits() []attempt {
	return []attempt{
		{name: "an endless file", silent: bound, script: `head -c 101M /dev/zero > big`, undo: removing(et.w.Dir + "/big")},
		{
			name:   "fill the shared memory",
			silent: bound,
			needs:  "shm",
			script: `n=/dev/shm/goalpost-escape-$$; head -c 70M /dev/zero > $n; s=$(wc -c < $n); rm $n; [ "$s" -ge 70000000 ]`,
		},
		{name: "more rights by a program", silent: gitHarmlessValue, script: `grep -q '^NoNewPrivs:.0' /proc/self/status`},
		// This is the last attempt, because the processes that it leaves count towards the limit of later ones.
		{
			name:   "fork bomb",
			silent: bound,
			// A shell that cannot fork ends, so the trap says how many it made and removes them.
			script: `n=0; trap 'echo made $n; kill $all' EXIT
				while [ $n -lt 500 ]; do sleep 1000 >/dev/null 2>&1 & all="$all $!"; n=$((n+1)); done; exit 0`,
		},
	}
}
