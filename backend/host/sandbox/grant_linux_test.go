package sandbox_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
)

// granted is a goal, with things outside its sandbox that a user may grant.
type granted struct {
	*testing.T
	w             sandbox.Spec
	read, write   string // folders
	socket, other string
	secret        string // beside them
}

func grants(t *testing.T) *granted {
	t.Helper()
	g := &granted{T: t, w: newSpec(t)}
	base := filepath.Join(filepath.Dir(g.w.Home), "machine")
	g.read, g.write, g.secret = filepath.Join(base, "read"), filepath.Join(base, "write"), filepath.Join(base, "secret")
	write(t, filepath.Join(g.read, "text"), "to be read", 0o644)
	write(t, filepath.Join(g.write, "text"), "to be written", 0o644)
	write(t, filepath.Join(g.write, ".git", "config"), "[core]\n", 0o644)
	write(t, g.secret, "canary", 0o644)
	g.socket, g.other = filepath.Join(base, "s"), filepath.Join(base, "o")
	for _, path := range []string{g.socket, g.other} {
		g.answer("unix", path)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g.w.Tools = []string{self}
	return g
}

// answer starts a server on the machine and returns its address.
func (g *granted) answer(network, address string) net.Addr {
	g.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		g.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		}
	}()
	g.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr()
}

// tries runs a script inside the sandbox, and returns whether it succeeded and what it printed.
func (g *granted) tries(s *sandbox.Supervisor, check bool, script string) (bool, string) {
	g.Helper()
	c := inside(g.w, script)
	if check {
		c.Domain = process.DomainCheck
	}
	text, status := output(g, s, c)
	return status.Code == 0 && status.Signal == 0, text
}

// dials returns a script that connects to a socket.
func (g *granted) dials(path string) string {
	return attemptVariable + "=dial " + g.w.Tools[0] + " unix " + path
}

// holds checks what the agent and a check can access when everything was granted, and what they cannot.
func (g *granted) holds(s *sandbox.Supervisor) {
	g.Helper()
	for _, check := range []bool{false, true} {
		for script, want := range map[string]bool{
			"grep -q 'to be read' " + g.read + "/text":                               true,
			"echo x > " + g.read + "/new":                                            false,
			"rm " + g.read + "/text":                                                 false,
			"echo more >> " + g.write + "/text && mkdir -p " + g.write + "/d/e":      true,
			"cat " + g.secret:                                                        false,
			"cat " + g.write + "/../secret":                                          false,
			"ln -sf " + g.secret + " " + g.write + "/l && cat " + g.write + "/l":     false,
			"mv " + g.write + " " + g.write + "2":                                    false,
			g.dials(g.socket):                                                        true,
			g.dials(g.other):                                                         false,
			"echo '[core] fsmonitor = evil' > " + g.write + "/.git/config && exit 0": true, // the goal's copy
		} {
			if got, said := g.tries(s, check, script); got != want {
				g.Errorf("check %v: %s: %v, want %v: %s", check, script, got, want, said)
			}
		}
	}
	if text, _ := os.ReadFile(filepath.Join(g.write, ".git", "config")); string(text) != "[core]\n" {
		g.Errorf("git obeys %q", text)
	}
	if text, _ := os.ReadFile(filepath.Join(g.write, "text")); !strings.Contains(string(text), "more") {
		g.Errorf("what was written is not there: %q", text)
	}
}

// TestGrant_AtTheStart_OpensNothingElse: programs can access what the user granted, and nothing beside it.
func TestGrant_AtTheStart_OpensNothingElse(t *testing.T) {
	for _, readOnly := range []bool{false, true} {
		g := grants(t)
		g.w.Read, g.w.Write, g.w.Sockets, g.w.ReadOnly = []string{g.read}, []string{g.write}, []string{g.socket}, readOnly
		g.holds(openSandbox(t, g.w))
	}
}

// TestGrant_DuringARun_CanBeRevoked: revoking a grant ends the programs that may have opened something with it.
func TestGrant_DuringARun_CanBeRevoked(t *testing.T) {
	g := grants(t)
	s := openSandbox(t, g.w)
	ctx := context.Background()
	in, orders, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	said, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := inside(g.w, `while read -r line; do if (eval "$line") >/dev/null 2>&1; then echo yes; else echo no; fi; done`)
	old.Files = []*os.File{in, out}
	shell, err := s.Start(ctx, old)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = in.Close(), out.Close()
	answers := bufio.NewReader(said)
	asks := func(line, want string) {
		t.Helper()
		if _, err := io.WriteString(orders, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if got, err := answers.ReadString('\n'); err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%s: %q, %v, want %s", line, got, err, want)
		}
	}
	asks("cat "+g.read+"/text", "no")
	var grants []*sandbox.ActiveGrant
	for _, one := range []sandbox.RuntimeGrant{{Read: g.read}, {Write: g.write}, {Socket: g.socket}} {
		o, err := s.Grant(ctx, one)
		if err != nil {
			t.Fatal(err)
		}
		grants = append(grants, o)
	}
	asks("cat "+g.read+"/text", "yes")
	asks("touch /new || touch "+g.read+"/new", "no")
	g.holds(s)
	for _, missing := range []sandbox.RuntimeGrant{{Read: g.read + "/missing"}, {}} {
		if _, err := s.Grant(ctx, missing); err == nil {
			t.Errorf("%+v was opened", missing)
		}
	}
	// The grants are revoked while a program has a granted folder open.
	later, err := s.Start(ctx, inside(g.w, "cd "+g.write+" && exec sleep 1000"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range grants {
		if err := o.Revoke(ctx); err != nil {
			t.Fatal(err)
		}
	}
	wait(t, shell)
	wait(t, later)
	for _, check := range []bool{false, true} {
		for _, script := range []string{"cat " + g.read + "/text", "cat " + g.write + "/text", "echo x > " + g.write +
			"/again; test -s " + g.write + "/text", g.dials(g.socket)} {
			if got, said := g.tries(s, check, script); got {
				t.Errorf("after it was taken back, check %v: %s: %s", check, script, said)
			}
		}
	}
	if there(g.write + "/again")() {
		t.Error("it was written to after it was taken back")
	}
	_, _ = orders.Close(), said.Close()
}

// TestGrant_BelowHome_IsInThePrivateHome: its parent folders are created there.
func TestGrant_BelowHome_IsInThePrivateHome(t *testing.T) {
	g := grants(t)
	s := openSandbox(t, g.w)
	notes := filepath.Join(g.w.Home, "a", "notes")
	write(t, filepath.Join(notes, "text"), "noted", 0o644)
	o, err := s.Grant(context.Background(), sandbox.RuntimeGrant{Write: notes})
	if err != nil {
		t.Fatal(err)
	}
	if got, said := g.tries(s, false, "mv ~/a ~/b && ln -s /etc ~/a && echo x > ~/b/notes/new"); !got {
		t.Error(said)
	}
	if !there(filepath.Join(notes, "new"))() {
		t.Error("it was written elsewhere")
	}
	if err := o.Revoke(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got, _ := g.tries(s, false, "cat ~/b/notes/text"); got {
		t.Error("it is there although it was taken back")
	}
}

// TestGrant_FolderReplacedOutside_NoLongerApplies: the goal can access the new folder only as it can access the folder
// around it. The grant can be revoked like any other.
func TestGrant_FolderReplacedOutside_NoLongerApplies(t *testing.T) {
	g := grants(t)
	g.w.Read = []string{g.read}
	folder := filepath.Join(g.read, "folder")
	write(t, filepath.Join(folder, "text"), "old\n", 0o644)
	s := openSandbox(t, g.w)
	o, err := s.Grant(t.Context(), sandbox.RuntimeGrant{Write: folder})
	if err != nil {
		t.Fatal(err)
	}
	mounts := func() string {
		text, _ := output(t, s, inside(g.w, `grep -c " $1 " /proc/self/mountinfo`, folder))
		return text
	}
	if got := mounts(); got != "1\n" {
		t.Fatalf("it is mounted so often: %s", got)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "text"), "new\n", 0o644)
	for _, check := range []bool{false, true} {
		if got, text := g.tries(s, check, "cat "+folder+"/text"); !got || text != "new\n" {
			t.Errorf("made again, check %v: %q", check, text)
		}
	}
	if got, _ := g.tries(s, false, "echo x > "+folder+"/text"); got {
		t.Error("made again, it can be written")
	}
	if err := o.Revoke(t.Context()); err != nil {
		t.Error(err)
	}
	if got := mounts(); got != "0\n" {
		t.Errorf("taken back, it is mounted so often: %s", got)
	}
}

// TestGrant_Port_EndsWithItsListener: the port is on the goal's loopback until its listener is closed.
func TestGrant_Port_EndsWithItsListener(t *testing.T) {
	g := grants(t)
	s := openSandbox(t, g.w)
	_, text, _ := net.SplitHostPort(g.answer("tcp", "127.0.0.1:0").String())
	port, _ := strconv.Atoi(text)
	o, err := s.Grant(context.Background(), sandbox.RuntimeGrant{Port: port})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := o.Port.Accept()
		if err == nil {
			_, _ = io.WriteString(c, "carried")
			_ = c.Close()
		}
	}()
	if got, said := g.tries(s, false, `bash -c 'exec 3<>/dev/tcp/127.0.0.1/`+text+` && cat <&3'`); !got ||
		said != "carried" {
		t.Errorf("%v %q", got, said)
	}
	<-done
	if _, err := s.Grant(context.Background(), sandbox.RuntimeGrant{Port: port}); err == nil {
		t.Error("two listeners on one port")
	}
	if err := o.Port.Close(); err != nil {
		t.Fatal(err)
	}
	if got, _ := g.tries(s, false, `bash -c 'exec 3<>/dev/tcp/127.0.0.1/`+text+`'`); got {
		t.Error("it is open although it was taken back")
	}
}

// TestGrant_OtherSockets_AreNotReached: sockets of the machine are not reached, even in granted folders, no matter
// when they begin to listen. The goal's programs and checks reach the sockets of the goal's own servers.
func TestGrant_OtherSockets_AreNotReached(t *testing.T) {
	g := grants(t)
	s := openSandbox(t, g.w)
	own := attemptVariable + "=serve " + g.w.Tools[0] + " unix "
	for _, path := range []string{"own.sock", "/tmp/own.sock", "/dev/shm/own.sock", g.w.Home + "/own.sock"} {
		script := own + path + " > said & while ! grep -qs ready said; do :; done; " + g.dials(path) +
			"; wait; grep escaped said && rm said"
		if got, said := g.tries(s, false, script); !got {
			t.Errorf("a server of the goal at %s: %s", path, said)
		}
	}
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := inside(g.w, "exec env "+own+"shared.sock")
	c.Files = []*os.File{nil, out}
	server, err := s.Start(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
	said := bufio.NewReader(r)
	if _, err := said.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if got, said := g.tries(s, true, g.dials("shared.sock")); !got {
		t.Errorf("a check and the agent's server: %s", said)
	}
	wait(t, server)
	_ = r.Close()
	late := filepath.Join(g.w.Dir, "late.sock")
	g.answer("unix", late)
	for _, check := range []bool{false, true} {
		if got, _ := g.tries(s, check, g.dials(late)); got {
			t.Errorf("a server of the machine was reached, check %v", check)
		}
	}
	o, err := s.Grant(context.Background(), sandbox.RuntimeGrant{Read: filepath.Dir(g.other)})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := g.tries(s, false, g.dials(g.other)); got {
		t.Error("a server of the machine was reached in a folder that may be read")
	}
	if err := o.Revoke(context.Background()); err != nil {
		t.Fatal(err)
	}
}
