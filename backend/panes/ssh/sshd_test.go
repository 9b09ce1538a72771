package ssh

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"goalpost/backend/domain/pane"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/panes/terminal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	bound      = 30 * time.Second
	passphrase = "open sesame 7"
)

// machine is an sshd of our own on the loopback, with tmux, and an ssh that does not read the developer's files.
type machine struct {
	testing.TB
	dir    string
	port   int
	daemon *exec.Cmd
	env    []string
}

func newMachine(t testing.TB) *machine {
	t.Helper()
	for _, program := range []string{"/usr/sbin/sshd", "ssh", "ssh-keygen", "tmux"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is missing: run make deps-test", program)
		}
	}
	m := &machine{TB: t, dir: t.TempDir(), port: freePort(t)}
	m.key("host", "")
	m.key("id", passphrase)
	public, err := os.ReadFile(m.path("id.pub"))
	m.must(err)
	m.write("authorized_keys", string(public))
	m.write("sshd_config", fmt.Sprintf(`Port %d
ListenAddress 127.0.0.1
HostKey %[2]s/host
PidFile none
AuthorizedKeysFile %[2]s/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
PrintMotd no
PrintLastLog no
SetEnv HOME=%[2]s TMUX_TMPDIR=%[2]s LANG=C.UTF-8 SHELL=/bin/sh
`, m.port, m.dir))
	m.write(".tmux.conf", "set -g default-shell /bin/sh\n")
	m.write("ssh_config", fmt.Sprintf("UserKnownHostsFile %[1]s/known\nGlobalKnownHostsFile none\nIdentityAgent "+
		"none\nIdentityFile %[1]s/id\nIdentitiesOnly yes\n", m.dir))
	ssh, err := exec.LookPath("ssh")
	m.must(err)
	m.must(os.Mkdir(m.path("bin"), 0o700))
	m.write("bin/ssh", "#!/bin/sh\nexec "+ssh+" -F '"+m.path("ssh_config")+"' \"$@\"\n")
	m.must(os.Chmod(m.path("bin/ssh"), 0o700))
	m.env = []string{"PATH=" + m.path("bin") + ":/usr/bin:/bin", "HOME=" + m.dir, "LANG=C.UTF-8", "TERM=xterm-256color"}
	if os.Getuid() == 0 { // sshd changes its root to this folder
		m.must(os.MkdirAll("/run/sshd", 0o755))
	}
	m.start()
	t.Cleanup(func() {
		m.kill()
		end := exec.Command("tmux", "kill-server")
		end.Env = []string{"PATH=/usr/bin:/bin", "TMUX_TMPDIR=" + m.dir}
		_ = end.Run() // there may be none
	})
	return m
}

func (m *machine) path(name string) string { return filepath.Join(m.dir, name) }

func (m *machine) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func (m *machine) write(name, text string) {
	m.Helper()
	m.must(os.WriteFile(m.path(name), []byte(text), 0o600))
}

func (m *machine) key(name, phrase string) {
	m.Helper()
	_ = os.Remove(m.path(name))
	out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-f", m.path(name)).CombinedOutput()
	if err != nil {
		m.Fatalf("ssh-keygen: %v %s", err, out)
	}
}

// freePort returns a port that no other program gets before the test ends. A socket that does not listen reserves it.
// sshd can still listen on the port, because both sockets set SO_REUSEADDR.
func freePort(t testing.TB) int {
	t.Helper()
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.CloseOnExec(s)
	t.Cleanup(func() { _ = unix.Close(s) })
	err = errors.Join(unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1),
		unix.Bind(s, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	if err != nil {
		t.Fatal(err)
	}
	at, err := unix.Getsockname(s)
	if err != nil {
		t.Fatal(err)
	}
	return at.(*unix.SockaddrInet4).Port
}

// start runs sshd until it listens.
func (m *machine) start() {
	m.Helper()
	m.daemon = exec.Command("/usr/sbin/sshd", "-D", "-e", "-f", m.path("sshd_config"))
	var log lines
	m.daemon.Stderr = &log
	m.must(m.daemon.Start())
	if !log.wait("listening on 127.0.0.1") {
		m.Fatalf("sshd does not listen: %s", log.text())
	}
}

// kill kills sshd and all of its processes that serve a connection.
func (m *machine) kill() {
	m.Helper()
	if m.daemon == nil {
		return
	}
	serving := descendants(m.daemon.Process.Pid)
	_ = m.daemon.Process.Kill()
	for _, pid := range serving {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	_ = m.daemon.Wait()
	m.daemon = nil
}

// descendants returns the sshd processes below pid. Programs in the sessions are not among them and keep running.
func descendants(pid int) []int {
	var all []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		if err == nil && len(fields) > 1 && fields[1] == strconv.Itoa(pid) && strings.Contains(string(text), "(sshd") {
			all = append(append(all, id), descendants(id)...)
		}
	}
	return all
}

// lines collects what a program prints.
type lines struct {
	mu   sync.Mutex
	said strings.Builder
	more chan struct{}
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.more != nil {
		close(l.more)
		l.more = nil
	}
	return l.said.Write(p)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said.String()
}

func (l *lines) wait(text string) bool {
	late := time.After(bound)
	for {
		l.mu.Lock()
		found := strings.Contains(strings.ToLower(l.said.String()), text)
		if l.more == nil {
			l.more = make(chan struct{})
		}
		more := l.more
		l.mu.Unlock()
		if found {
			return true
		}
		select {
		case <-more:
		case <-late:
			return false
		}
	}
}

// client is the user's side of a connection: a Client and one terminal.
type client struct {
	*machine
	client   *Client
	manager  *terminal.Manager
	set      *sandbox.Supervisor
	server   pane.SSHServer
	states   chan State
	changed  chan struct{} // a terminal has changed
	attended chan struct{}
}

func newClient(m *machine, backoff ...time.Duration) *client {
	m.Helper()
	d := &client{
		machine: m,
		states:  make(chan State, 100),
		changed: make(chan struct{}, 1),
		server:  pane.SSHServer{ID: "s1", Host: "127.0.0.1", Port: m.port, Tmux: true},
	}
	var err error
	d.set, err = sandbox.Open(context.Background(), sandbox.Options{Helper: sandboxtest.Helper(m), Name: "user"})
	m.must(err)
	d.client = Open(Options{
		Launcher: d.set, Helper: sandboxtest.Helper(m), Env: m.env, Backoff: backoff,
		OnState: func(_ string, s State) { d.states <- s },
	})
	d.manager = terminal.NewManager(func(pane.Info, bool) {
		select {
		case d.changed <- struct{}{}:
		default: // the last signal has not been read yet
		}
	})
	m.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), bound)
		defer cancel()
		if err := errors.Join(d.client.Close(), d.manager.CloseAll(ctx), d.set.Close(ctx)); err != nil {
			m.Error(err)
		}
		if d.attended != nil {
			<-d.attended
		}
	})
	return d
}

// open connects a terminal, and supervises it until it ends.
func (c *client) open(session string, known bool) (*Connection, *terminal.Session) {
	c.Helper()
	ctx := c.within()
	l, err := c.client.New(ctx, "t1", c.server, session, known)
	c.must(err)
	s, err := c.manager.Open(ctx, c.set, terminal.Options{
		ID:   "t1",
		Dir:  c.dir,
		Argv: l.Argv(),
		Env:  l.Env(),
		Note: terminal.PaneMeta{Server: "x"},
	})
	c.must(err)
	c.attend(l, s)
	return l, s
}

func (c *client) attend(l *Connection, s *terminal.Session) {
	attended := make(chan struct{})
	c.attended = attended
	go func() {
		defer close(attended)
		l.Supervise(context.Background(), s)
	}()
}

func (c *client) within() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	c.Cleanup(cancel)
	return ctx
}

// state waits until fits accepts a state.
func (c *client) state(what string, fits func(State) bool) State {
	c.Helper()
	late := time.After(bound)
	for {
		select {
		case s := <-c.states:
			if fits(s) {
				return s
			}
		case <-late:
			lines := []string{}
			if s, err := c.manager.Get("t1"); err == nil {
				lines, _, _, _ = s.Screen()
			}
			c.Fatalf("never: %s\n%s", what, strings.TrimSpace(strings.Join(lines, "\n")))
		}
	}
}

// asks waits for a question that contains this text.
func (c *client) asks(text string) State {
	c.Helper()
	return c.state("asks "+text, func(s State) bool { return strings.Contains(s.Ask, text) })
}

// login answers all questions until the session begins.
func (c *client) login(l *Connection) {
	c.Helper()
	q := c.asks("authenticity of host")
	if q.Secret || !l.Answer(q.Ask, "yes", true) {
		c.Fatalf("%+v", q)
	}
	q = c.asks("passphrase")
	if !q.Secret || !l.Answer(q.Ask, passphrase, true) {
		c.Fatalf("%+v", q)
	}
}

// shows waits for a line on the terminal's screen that ends with this text.
func (c *client) shows(s *terminal.Session, text string) {
	c.Helper()
	ctx := c.within()
	for {
		_, end := s.Range()
		all, _, _, _ := s.Screen()
		for _, line := range all {
			if strings.HasSuffix(strings.TrimSpace(line), text) {
				return
			}
		}
		err := s.Wait(ctx, end)
		if errors.Is(err, terminal.ErrEnded) { // between two attempts to connect
			select {
			case <-c.changed:
				err = nil
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		if err != nil {
			c.Fatalf("%q is not shown: %v\n%s", text, err, strings.TrimSpace(strings.Join(all, "\n")))
		}
	}
}

func (c *client) types(s *terminal.Session, text string) {
	c.Helper()
	_, err := s.Write([]byte(text + "\r"))
	c.must(err)
}
