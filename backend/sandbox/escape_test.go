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
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"goalpost/backend/policy"
	"goalpost/backend/process"
	"goalpost/backend/sandbox"
	"goalpost/backend/sandbox/egress"
)

// attempt is one way out. It has succeeded when its program exits with 0 and
// effect, looked at from outside, is true.
type attempt struct {
	name   string
	script string   // for sh, or
	call   []string // one of calls with its arguments
	effect func() bool
	// needs says what a machine must have for the attempt to work without a
	// sandbox; "" is nothing, "root" is root.
	needs string
	undo  func()
}

// prison is a goal with things around it that are worth reaching.
type prison struct {
	testing.TB
	w                     sandbox.Walls
	outside, home         string // beside the walls; home is the person's
	server, victim, tty   string
	proxy, open           string // addresses of the goal's proxy and of one without rules
	socket, abstract, udp string
	heard                 atomic.Int64 // what came to the listeners outside
	egress                *egress.Proxy
	confined, free        *sandbox.Set
	confinedEnv, freeEnv  []string
}

func imprison(t *testing.T) *prison {
	t.Helper()
	p := &prison{TB: t, w: walls(t)}
	p.home = p.w.Home
	p.outside = filepath.Join(filepath.Dir(p.home), "outside")
	write(t, filepath.Join(p.home, "secret"), "canary", 0o600)
	write(t, filepath.Join(p.outside, "secret"), "canary", 0o600)
	write(t, filepath.Join(filepath.Dir(p.w.Layer), "goalpost.db"), "canary", 0o600)
	write(t, filepath.Join(p.w.Dir, ".git", "config"), "[core]\n", 0o644)
	write(t, filepath.Join(p.w.Dir, ".git", "hooks", "pre-commit.sample"), "#!/bin/sh\n", 0o755)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.w.Tools = []string{self}
	p.w.Limits = &sandbox.Limits{Processes: 120, FileSize: 100 << 20, Nice: 5}
	p.listen()
	p.confined, p.free = enclose(t, p.w), open(t)
	p.connect(t)
	p.confinedEnv = append(sandbox.Inside([]string{plainPath}, p.w), "SECRET="+p.outside+"/secret")
	p.freeEnv = []string{plainPath, "HOME=" + p.home, "SECRET=" + p.outside + "/secret"}
	return p
}

// listen opens everything outside that a goal must not reach.
func (p *prison) listen() {
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.heard.Add(1)
		_, _ = w.Write([]byte("outside"))
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.Fatal(err)
	}
	_, p.server, _ = net.SplitHostPort(l.Addr().String())
	listeners := []net.Listener{l}
	if six, err := net.Listen("tcp", "[::1]:"+p.server); err == nil {
		listeners = append(listeners, six)
	}
	p.socket, p.abstract = filepath.Join(p.outside, "sock"), fmt.Sprintf("@goalpost-escape-%d", os.Getpid())
	for _, name := range []string{p.socket, p.abstract} {
		u, err := net.Listen("unix", name)
		if err != nil {
			p.Fatal(err)
		}
		listeners = append(listeners, u)
	}
	s := &http.Server{Handler: answer, ReadHeaderTimeout: time.Minute}
	for _, l := range listeners {
		go func() { _ = s.Serve(l) }()
	}
	p.Cleanup(func() { _ = s.Close() })
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		p.Fatal(err)
	}
	p.udp = u.LocalAddr().String()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for buf := make([]byte, 64); ; {
			if _, _, err := u.ReadFrom(buf); err != nil {
				return
			}
			p.heard.Add(1)
		}
	}()
	p.Cleanup(func() { _ = u.Close(); <-done })
	p.tty = p.terminal()
	victim := exec.Command("sleep", "1000")
	victim.Env = []string{"TOKEN=canary"}
	if err := victim.Start(); err != nil {
		p.Fatal(err)
	}
	p.victim = fmt.Sprint(victim.Process.Pid)
	p.Cleanup(func() { _, _ = victim.Process.Kill(), victim.Wait() })
}

// terminal opens a pseudo-terminal of the machine and names it.
func (p *prison) terminal() string {
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = unix.Close(master) })
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		p.Fatal(err)
	}
	n, err := unix.IoctlGetInt(master, unix.TIOCGPTN)
	if err != nil {
		p.Fatal(err)
	}
	return fmt.Sprintf("/dev/pts/%d", n)
}

// connect gives the goal its proxy at the highest ceiling, so that only addresses
// are refused, and makes another one that refuses nothing.
func (p *prison) connect(t *testing.T) {
	n, err := p.confined.Network()
	if err != nil {
		t.Fatal(err)
	}
	here := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	p.egress = egress.New(egress.Config{Rules: egress.Rules{Risk: policy.NetworkWrite, Deny: []string{"denied.example"}}, Inside: p.confined.Dial, Resolver: here})
	p.egress.Serve(n.Proxy, egress.Program)
	p.egress.ServeNames(n.Names, n.NamesBy)
	t.Cleanup(func() { _ = p.egress.Close() })
	p.proxy = sandbox.ProxyAddress
	direct := func(ctx context.Context, network, address string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}
	none := egress.New(egress.Config{
		Rules: egress.Rules{Risk: policy.NetworkWrite}, Inside: direct, Resolver: here, Public: func(netip.Addr) error { return nil },
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	none.Serve(l, egress.Program)
	p.open = l.Addr().String()
	t.Cleanup(func() { _ = none.Close() })
}

// try makes one attempt in a set.
func (p *prison) try(a attempt, s *sandbox.Set, env []string, proxy string) (escaped bool, said string) {
	c := process.Command{Argv: []string{"/bin/sh", "-c", a.script}, Env: env, Dir: p.w.Dir}
	if a.call != nil {
		args := append([]string{}, a.call[1:]...)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "PROXY", proxy)
		}
		c.Argv = append(append([]string{}, p.w.Tools[0]), args...)
		c.Env = append(append([]string{}, env...), attemptVariable+"="+a.call[0])
	}
	if a.undo != nil {
		defer a.undo()
	}
	text, status := output(p, s, c)
	escaped = status.Code == 0 && status.Signal == 0
	if escaped && a.effect != nil {
		escaped = a.effect()
	}
	return escaped, strings.TrimSpace(text)
}

// possible says whether this machine lets the attempt work without a sandbox.
func possible(a attempt) bool {
	switch a.needs {
	case "":
		return true
	case "root":
		return os.Getuid() == 0
	case "sysrq":
		return os.Getuid() == 0 && there("/proc/sysrq-trigger")()
	case "vsock":
		return there("/proc/sys/net/vsock")() || there("/dev/vsock")()
	}
	panic("unknown need " + a.needs)
}

// TestEscape tries every way out of a sandbox, and each one without a sandbox
// first: an attempt that fails there proves nothing.
func TestEscape(t *testing.T) {
	p := imprison(t)
	count, escapes := 0, 0
	for _, a := range p.attempts() {
		if !possible(a) {
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
		})
	}
	p.TB = t
	fmt.Printf("%d attempts, %d escaped\n", count, escapes)
	if least := map[bool]int{true: 50, false: 40}[os.Getuid() == 0]; count < least {
		t.Errorf("only %d attempts were made, wanted %d", count, least)
	}
	logged := strings.Join(p.egress.Refused(0), "\n")
	for _, want := range []string{"rebind.example", "denied.example"} {
		if !strings.Contains(logged, want) {
			t.Errorf("%s is not in the log:\n%s", want, logged)
		}
	}
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

func (p *prison) attempts() []attempt {
	var list []attempt
	for _, part := range [][]attempt{p.files(), p.persistence(), p.processes(), p.kernel(), p.network(), p.limits()} {
		list = append(list, part...)
	}
	return list
}

func (p *prison) files() []attempt {
	hooks, config := filepath.Join(p.w.Dir, ".git", "hooks", "pre-commit"), filepath.Join(p.w.Dir, ".git", "config")
	restore := func() {
		_ = os.RemoveAll(filepath.Join(p.w.Dir, "g"))
		write(p, config, "[core]\n", 0o644)
		removing(hooks)()
	}
	return []attempt{
		{name: "read a file outside", script: `cat "$SECRET"`},
		{name: "read by dot-dot", script: `cat ../secret`},
		{name: "read through the working folder", script: `cat /proc/self/cwd/../secret`},
		{name: "read through a symlink", script: `rm -f l; ln -s "$SECRET" l && cat l`},
		{name: "read through a hard link", script: `rm -f h; ln "$SECRET" h && cat h`, undo: removing(p.w.Dir + "/h")},
		{name: "rename across", script: `mv "$SECRET" stolen && mv stolen "$SECRET"`},
		{name: "write a file outside", script: `echo x > "$SECRET.new"`, effect: there(p.outside + "/secret.new"), undo: removing(p.outside + "/secret.new")},
		{name: "remove a file outside", script: `touch "$SECRET.old" && rm "$SECRET.old"`},
		{name: "read the app's database", script: `cat ../../state/goalpost.db`},
		{name: "read through another root", script: `for r in /proc/[0-9]*/root; do cat "$r$SECRET" 2>/dev/null && exit 0; done; exit 1`},
		{name: "read through another's files", script: `for d in /proc/[0-9]*/cwd; do cat "$d/../secret" 2>/dev/null && exit 0; done; exit 1`},
		{name: "look into /var/lib", script: `ls /var/lib/. | grep -q .`},
		{name: "put a git hook", script: `echo x > .git/hooks/pre-commit`, effect: there(hooks), undo: restore},
		{name: "change git's configuration", script: `echo '[core] pager = evil' > .git/config`, effect: holds(config, "evil"), undo: restore},
		{
			name: "put another repository in place", script: `mv .git g && mkdir -p .git/hooks && echo x > .git/hooks/pre-commit`, effect: there(hooks),
			undo: func() {
				if there(p.w.Dir + "/g")() {
					removing(p.w.Dir + "/.git")()
					_ = os.Rename(p.w.Dir+"/g", p.w.Dir+"/.git")
				}
				restore()
			},
		},
		{name: "read the shadow file", script: `grep -q . /etc/shadow`, needs: "root"},
		{name: "write in /etc", script: `touch /etc/goalpost-escape`, needs: "root", undo: removing("/etc/goalpost-escape")},
		{name: "write in /usr", script: `touch /usr/goalpost-escape`, needs: "root", undo: removing("/usr/goalpost-escape")},
		{name: "make a device", call: []string{"mknod"}, needs: "root"},
		{name: "change how the kernel dumps", call: []string{"open", "/proc/sys/kernel/core_pattern"}, needs: "root"},
		{name: "press system keys", call: []string{"open", "/proc/sysrq-trigger"}, needs: "sysrq"},
	}
}

func (p *prison) persistence() []attempt {
	unit, rc, auto := p.home+"/.config/systemd/user/x.service", p.home+"/.bashrc", p.home+"/.config/autostart/x.desktop"
	return []attempt{
		{name: "shell start-up file", script: `echo evil >> ~/.bashrc`, effect: there(rc), undo: removing(rc)},
		{name: "systemd user unit", script: `mkdir -p ~/.config/systemd/user && echo x > ~/.config/systemd/user/x.service`, effect: there(unit), undo: removing(unit)},
		{name: "autostart", script: `mkdir -p ~/.config/autostart && echo x > ~/.config/autostart/x.desktop`, effect: there(auto), undo: removing(auto)},
		{name: "ssh key", script: `mkdir -p ~/.ssh && echo x > ~/.ssh/authorized_keys`, effect: there(p.home + "/.ssh"), undo: removing(p.home + "/.ssh")},
		{name: "cron", script: `echo x > /etc/cron.d/goalpost-escape || { mkdir -p /etc/cron.d && echo x > /etc/cron.d/goalpost-escape; }`, needs: "root", undo: removing("/etc/cron.d/goalpost-escape")},
		{name: "a file for others in /tmp", script: `echo x > "/tmp/goalpost-escape-$$"; echo $$ > id`, effect: func() bool {
			id, _ := os.ReadFile(p.w.Dir + "/id")
			return there("/tmp/goalpost-escape-" + strings.TrimSpace(string(id)))()
		}, undo: func() {
			id, _ := os.ReadFile(p.w.Dir + "/id")
			removing("/tmp/goalpost-escape-" + strings.TrimSpace(string(id)))()
		}},
	}
}

func (p *prison) processes() []attempt {
	return []attempt{
		{name: "read another's environment", script: `tr '\0' '\n' < /proc/` + p.victim + `/environ | grep canary`},
		{name: "find another's process", script: `grep -l sleep /proc/` + p.victim + `/comm`},
		{name: "signal another's process", script: `kill -0 ` + p.victim},
		{name: "signal the app", script: fmt.Sprintf(`kill -0 %d`, os.Getpid())},
		{name: "read the app's environment", script: fmt.Sprintf(`grep -q . /proc/%d/environ`, os.Getpid())},
		{name: "slow another's process", script: `renice -n 19 -p ` + p.victim},
		{name: "write another terminal", script: `echo escaped > ` + p.tty},
		{name: "read another terminal", script: `exec 3<` + p.tty},
	}
}

func (p *prison) kernel() []attempt {
	return []attempt{
		{name: "ptrace", call: []string{"ptrace"}},
		{name: "process_vm_readv", call: []string{"process_vm_readv"}},
		{name: "clone3", call: []string{"clone3"}},
		{name: "io_uring", call: []string{"io_uring"}},
		{name: "a user namespace", call: []string{"namespace"}},
		{name: "userfaultfd", call: []string{"userfaultfd"}},
		{name: "the session's keyring", call: []string{"keyring"}},
		{name: "file handles", call: []string{"handle"}},
		{name: "bpf", call: []string{"bpf"}, needs: "root"},
		{name: "mount", call: []string{"mount", p.w.Dir}, needs: "root"},
		{name: "chroot", call: []string{"chroot", "/"}, needs: "root"},
		{name: "setns", call: []string{"setns"}, needs: "root"},
		{name: "the machine's name", call: []string{"hostname"}, needs: "root"},
		{name: "raw socket", call: []string{"socket", "2 3 1"}, needs: "root"},
		{name: "packet socket", call: []string{"socket", "17 3 0"}, needs: "root"},
		{name: "vsock", call: []string{"socket", "40 1 0"}, needs: "vsock"},
		{name: "netlink of the kernel's events", call: []string{"socket", "16 3 15"}},
		{name: "netlink of socket tables", call: []string{"socket", "16 3 4"}},
	}
}

func (p *prison) network() []attempt {
	heard := func() bool { return p.heard.Swap(0) > 0 }
	return []attempt{
		{name: "the machine's loopback", call: []string{"get", "http://127.0.0.1:" + p.server + "/"}},
		{name: "the machine's IPv6 loopback", call: []string{"get", "http://[::1]:" + p.server + "/"}},
		{name: "0.0.0.0", call: []string{"get", "http://0.0.0.0:" + p.server + "/"}},
		{name: "a mapped address", call: []string{"get", "http://[::ffff:127.0.0.1]:" + p.server + "/"}},
		{name: "Unix socket", call: []string{"dial", "unix", p.socket}},
		{name: "abstract socket", call: []string{"dial", "unix", p.abstract}},
		{name: "UDP", call: []string{"dial", "udp", p.udp}, effect: func() bool {
			for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
				if heard() {
					return true
				}
			}
			return false
		}},
		{name: "a name that leads home (rebinding)", call: []string{"via", "http://PROXY", "http://rebind.example:" + p.server + "/"}},
		{name: "a denied host", call: []string{"via", "http://PROXY", "http://denied.example:" + p.server + "/"}},
		{name: "the machine's loopback by the proxy", call: []string{"via", "http://PROXY", "http://127.0.0.1:" + p.server + "/"}},
		{name: "a decimal address", script: `exec bash -c "exec 3<>/dev/tcp/2130706433/` + p.server + `"`},
		{name: "a tunnel to a name that leads home", call: []string{"tunnel", "PROXY", "rebind.example:" + p.server}},
		{name: "a tunnel to the machine's loopback", call: []string{"tunnel", "PROXY", "127.0.0.1:" + p.server}},
		{name: "a tunnel to a mapped address", call: []string{"tunnel", "PROXY", "[::ffff:127.0.0.1]:" + p.server}},
	}
}

func (p *prison) limits() []attempt {
	return []attempt{
		{name: "an endless file", script: `head -c 101M /dev/zero > big`, undo: removing(p.w.Dir + "/big")},
		{name: "fill the shared memory", script: `n=/dev/shm/goalpost-escape-$$; head -c 70M /dev/zero > $n; s=$(wc -c < $n); rm $n; [ "$s" -ge 70000000 ]`},
		{name: "more rights by a program", script: `grep -q '^NoNewPrivs:.0' /proc/self/status`},
		// The last one: what it leaves takes the room of others.
		{name: "fork bomb", script: `n=0; while [ $n -lt 200 ]; do sleep 5 >/dev/null 2>&1 & all="$all $!"; n=$((n+1)); done; kill $all`},
	}
}
