package hostsocket_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/coder/websocket"

	"goalpost/backend/entry/hostsocket"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/waittest"
)

var races = flag.Int("races", 50, "how often two programs start a host at the same moment")

// TestMain is also the host process of the tests, which owns nothing: "host STATE IDLE". A file idle in the state
// folder replaces the time.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "host" {
		if err := runHost(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func runHost(state, idle string) error {
	if idle == "crash" {
		panic("crashed")
	}
	place, err := hostsocket.Claim(context.Background(), state, os.Getenv("LISTEN_FDS") == "")
	if err != nil {
		return err
	}
	all, err := os.OpenFile(filepath.Join(state, "hosts"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = all.WriteString("one\n")
	}
	d, parseErr := time.ParseDuration(idle)
	if err = errors.Join(err, parseErr); err != nil {
		place.Fail(fault.New(fault.Internal, "the idle time is not a time", ""))
		return errors.Join(err, place.Close())
	}
	idleTime := func() time.Duration {
		b, err := os.ReadFile(filepath.Join(state, "idle"))
		if changed, parseErr := time.ParseDuration(string(b)); errors.Join(err, parseErr) == nil {
			return changed
		}
		return d
	}
	var s *hostsocket.Server
	s, err = hostsocket.NewServer(hostsocket.Options{
		Version: "1", Log: slog.New(slog.DiscardHandler), Streams: http.HandlerFunc(echoStream),
		Methods: func(env []string) (hostsocket.Methods, error) {
			return echo{env, func() *hostsocket.Server { return s }}, nil
		},
		Page:  fstest.MapFS{"index.html": {Data: []byte("the page")}, "assets/a.js": {Data: []byte("code")}},
		Idle:  idleTime,
		Owned: func() hostsocket.Owned { return hostsocket.Owned{} },
		Keep: func(context.Context) error {
			return os.WriteFile(filepath.Join(state, "kept"), nil, 0o600)
		},
		RegisterPort: func(int) {}, UnregisterPort: func(int) {},
	})
	if err == nil {
		err = s.Run(context.Background(), place)
	}
	return errors.Join(err, place.Close())
}

// echo answers a call with its arguments, Env with the environment and Listen with LISTEN_FDS; the method Fail refuses.
// Show shows the goal g1 in the window, and answers whether there is one, before and then.
type echo struct {
	env    []string
	server func() *hostsocket.Server
}

func (e echo) Call(_ context.Context, name string, args []json.RawMessage) (any, error) {
	switch name {
	case "Fail":
		return nil, fault.Invalid("dir", "no such folder", "make it")
	case "Env":
		return e.env, nil
	case "Listen":
		return os.Getenv("LISTEN_FDS"), nil
	case "Show":
		return []bool{e.server().HasWindow(), e.server().ShowGoal("g1")}, nil
	}
	return args, nil
}

// echoStream sends the messages of a stream back.
func echoStream(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	for err == nil {
		var kind websocket.MessageType
		var b []byte
		if kind, b, err = ws.Read(r.Context()); err == nil {
			err = ws.Write(r.Context(), kind, b)
		}
	}
}

// connect starts a host for a state folder, or finds it.
func connect(t *testing.T, state string) (*hostsocket.Client, hostsocket.Status) {
	t.Helper()
	c := hostsocket.NewClient(state, "1")
	t.Cleanup(c.Close)
	s, err := c.Connect(t.Context(), "/proc/self/exe", "host", state, "1h")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(context.WithoutCancel(t.Context())); err != nil && !errors.Is(err, hostsocket.ErrNone) {
			t.Error(err)
		}
	})
	return c, s
}

// TestConnect_TwoProgramsAtOnce_StartOneHost also begins with the socket of a host that was killed.
func TestConnect_TwoProgramsAtOnce_StartOneHost(t *testing.T) {
	state := t.TempDir()
	for n := 1; n <= *races; n++ {
		var found [2]hostsocket.Status
		var clients [2]*hostsocket.Client
		var both sync.WaitGroup
		begin := make(chan struct{})
		for i := range found {
			clients[i] = hostsocket.NewClient(state, "1")
			both.Go(func() {
				<-begin
				var err error
				if found[i], err = clients[i].Connect(t.Context(), "/proc/self/exe", "host", state, "1h"); err != nil {
					t.Error(err)
				}
			})
		}
		close(begin)
		both.Wait()
		if found[0].PID != found[1].PID || found[0].PID == 0 {
			t.Fatalf("round %d: the hosts %d and %d", n, found[0].PID, found[1].PID)
		}
		if all, err := os.ReadFile(filepath.Join(state, "hosts")); err != nil || strings.Count(string(all), "one") != n {
			t.Fatalf("%d rounds had these hosts: %q %v", n, all, err)
		}
		if n%2 == 0 {
			if err := clients[0].Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		} else if err := syscall.Kill(found[0].PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		clients[0].Close()
		clients[1].Close()
	}
}

func TestCall_AnswersAndRefusesAsInTheHost(t *testing.T) {
	state := filepath.Join(t.TempDir(), strings.Repeat("long", 30)) // longer than the path of a socket may be
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	c, _ := connect(t, state)
	got, err := c.Call(t.Context(), "Echo", []json.RawMessage{[]byte(`{"a":1}`)})
	if err != nil || string(got) != `[{"a":1}]` {
		t.Errorf("%s %v", got, err)
	}
	_, err = c.Call(t.Context(), "Fail", nil)
	if f := fault.Of(err); f.Message != "no such folder" || f.Hint != "make it" || f.Field != "dir" {
		t.Errorf("%+v", f)
	}
}

// TestStreams_AreRelayedToAPageElsewhere is what goalctl serve does with the streams of a host.
func TestStreams_AreRelayedToAPageElsewhere(t *testing.T) {
	c, _ := connect(t, t.TempDir())
	admitted := true
	server := httptest.NewServer(c.Streams(func(*http.Request) bool { return admitted }))
	defer server.Close()
	ws, _, err := websocket.Dial(t.Context(), server.URL+"/v1/events", nil) //nolint:bodyclose // Dial closes it
	if err != nil {
		t.Fatal(err)
	}
	if err := ws.Write(t.Context(), websocket.MessageText, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, b, err := ws.Read(t.Context()); err != nil || string(b) != "hello" {
		t.Errorf("%q %v", b, err)
	}
	if err := ws.CloseNow(); err != nil {
		t.Error(err)
	}
	admitted = false
	_, _, err = websocket.Dial(t.Context(), server.URL+"/v1/events", nil) //nolint:bodyclose // Dial closes it
	if err == nil {
		t.Error("a page without a session got a stream")
	}
}

func TestConnect_HostOfAnotherVersion_IsRefusedInOneSentence(t *testing.T) {
	state := t.TempDir()
	_, s := connect(t, state)
	newer := hostsocket.NewClient(state, "2")
	defer newer.Close()
	want := fmt.Sprintf("the host process has another version: process %d has 1, and this program is 2", s.PID)
	_, err := newer.Connect(t.Context(), "/proc/self/exe", "host", state, "1h")
	if f := fault.Of(err); f.Message != want || !strings.Contains(f.Hint, "host restart") {
		t.Errorf("%+v", f)
	}
	if _, err := newer.Call(t.Context(), "Echo", nil); fault.Of(err).Message != want {
		t.Errorf("a call: %v", err)
	}
	if joined := newer.JoinOther(err); joined == nil {
		t.Error("a host with the same protocol cannot be used")
	} else if got, err := joined.Call(t.Context(), "Echo", nil); err != nil || string(got) != "null" {
		t.Errorf("a call as the other version: %s %v", got, err)
	} else {
		for path, want := range map[string]string{"/": "the page", "/assets/a.js": "code"} {
			w := httptest.NewRecorder()
			joined.Page().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			if got := w.Body.String(); got != want {
				t.Errorf("its page has %q at %s", got, path)
			}
		}
	}
	before := hostsocket.OtherVersionError{Host: hostsocket.Status{Version: "0"}} // had no number for the protocol
	if newer.JoinOther(&before) != nil {
		t.Error("a host with another protocol can be used")
	}
	if err := newer.Stop(t.Context()); err != nil { // works between versions
		t.Error(err)
	}
}

func TestConnect_HostDoesNotStart_SaysWhy(t *testing.T) {
	state := t.TempDir()
	c := hostsocket.NewClient(state, "1")
	defer c.Close()
	for idle, want := range map[string]string{
		"soon":  "the idle time is not a time",
		"crash": "the host process ended while it started",
	} {
		if _, err := c.Connect(t.Context(), "/proc/self/exe", "host", state, idle); fault.Of(err).Message != want {
			t.Errorf("%s: %v", idle, err)
		}
	}
	if log, err := os.ReadFile(filepath.Join(state, "host.log")); err != nil || !strings.Contains(string(log), "crashed") {
		t.Errorf("the log: %q %v", log, err)
	}
	if _, err := c.Status(t.Context()); !errors.Is(err, hostsocket.ErrNone) {
		t.Errorf("after it: %v", err)
	}
}

func TestAttach_SecondWindow_RaisesTheFirst(t *testing.T) {
	c, _ := connect(t, t.TempDir())
	first, err := c.Attach(t.Context(), hostsocket.Attach{Window: true})
	if err != nil {
		t.Fatal(err)
	}
	var other *hostsocket.WindowError
	if _, err := c.Attach(t.Context(), hostsocket.Attach{Window: true, GoalID: "g1"}); !errors.As(err, &other) ||
		other.PID != os.Getpid() {
		t.Errorf("%v", err)
	}
	if id, err := first.Next(); id != "g1" || err != nil {
		t.Errorf("%q %v", id, err)
	}
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Next(); !errors.Is(err, hostsocket.ErrStopped) {
		t.Errorf("after the host's end: %v", err)
	}
}

// TestShowGoal_Window_GetsTheGoal is what a notification does whose goal the user opens.
func TestShowGoal_Window_GetsTheGoal(t *testing.T) {
	c, _ := connect(t, t.TempDir())
	show := func(want string) {
		t.Helper()
		if got, err := c.Call(t.Context(), "Show", nil); string(got) != want || err != nil {
			t.Errorf("%s %v, want %s", got, err, want)
		}
	}
	show("[false,false]")
	window, err := c.Attach(t.Context(), hostsocket.Attach{Window: true})
	if err != nil {
		t.Fatal(err)
	}
	show("[true,true]")
	if id, err := window.Next(); id != "g1" || err != nil {
		t.Errorf("%q %v", id, err)
	}
}

// TestStopForNext_AttachedProgram_StartsTheNext: a host that was stopped for good is not started again.
func TestStopForNext_AttachedProgram_StartsTheNext(t *testing.T) {
	state := t.TempDir()
	c, before := connect(t, state)
	a, err := c.Attach(t.Context(), hostsocket.Attach{Window: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.StopForNext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Next(); err == nil || errors.Is(err, hostsocket.ErrStopped) {
		t.Errorf("after the host's end: %v", err)
	}
	if _, err := os.Stat(filepath.Join(state, "kept")); err != nil {
		t.Error("the host did not note its goals:", err)
	}
	if _, after := connect(t, state); after.PID == before.PID {
		t.Error("the same host")
	}
}

// TestAttach_Environment_IsThatOfItsOwnCalls: no program gets the keys of another one, and none stay after its end.
func TestAttach_Environment_IsThatOfItsOwnCalls(t *testing.T) {
	state := t.TempDir()
	first, _ := connect(t, state)
	second, _ := connect(t, state)
	env := func(c *hostsocket.Client) string {
		got, err := c.Call(t.Context(), "Env", nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	a, err := first.Attach(t.Context(), hostsocket.Attach{Env: []string{"KEY=1"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Attach(t.Context(), hostsocket.Attach{Env: []string{"KEY=2"}}); err != nil {
		t.Fatal(err)
	}
	third, _ := connect(t, state)
	if got := env(first) + env(second) + env(third); got != `["KEY=1"]["KEY=2"]null` {
		t.Error(got)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	waittest.Until(t, "the first program is forgotten", func() bool { return env(first) == "null" })
}

// TestClaim_SocketOfAServiceManager_IsServed is what systemd does with a socket unit: it listens, starts the host for
// the first connection, and again after the host has ended.
func TestClaim_SocketOfAServiceManager_IsServed(t *testing.T) {
	state := t.TempDir()
	path, err := hostsocket.SocketPath(state)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // only hosts accept
	socket, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() }) // a duplicate
	c := hostsocket.NewClient(state, "1")
	for range 2 {
		found := make(chan error, 1)
		go func() {
			_, err := c.Status(t.Context()) // waits for the host
			found <- err
		}()
		host := exec.CommandContext(t.Context(), "sh", "-c", `LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@"`, os.Args[0], "host",
			state, "1h")
		host.ExtraFiles, host.Stderr = []*os.File{socket}, os.Stderr
		if err := host.Start(); err != nil {
			t.Fatal(err)
		}
		if err := <-found; err != nil {
			t.Error(err)
		}
		if got, err := c.Call(t.Context(), "Listen", nil); err != nil || string(got) != `""` {
			t.Errorf("LISTEN_FDS in the host: %s %v", got, err)
		}
		if err := c.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if err := host.Wait(); err != nil {
			t.Error(err)
		}
		c.Close()
	}
}

// TestRun_NothingLeft_Ends checks that an attached program keeps the host, which ends after the program.
func TestRun_NothingLeft_Ends(t *testing.T) {
	state := t.TempDir()
	c := hostsocket.NewClient(state, "1")
	defer c.Close()
	if _, err := c.Connect(t.Context(), "/proc/self/exe", "host", state, "100ms"); err != nil {
		t.Fatal(err)
	}
	a, err := c.Attach(t.Context(), hostsocket.Attach{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Status(t.Context()); err != nil {
		t.Errorf("with a program: %v", err)
	}
	c.Close()
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if err := hostsocket.WaitForEnd(t.Context(), state); err != nil {
		t.Error(err)
	}
}

// TestRun_IdleTimeChanged_HoldsWhenTheProgramLeaves: a host that would stay until it is stopped ends after a program
// has chosen a shorter time.
// TestRun_FolderRemoved_Ends: no program could reach the host any more, and what it owns would run forever.
func TestRun_FolderRemoved_Ends(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	c := hostsocket.NewClient(state, "1")
	defer c.Close()
	s, err := c.Connect(t.Context(), "/proc/self/exe", "host", state, "1h")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(state); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the host's end", func() bool {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID))
		return err != nil || strings.Contains(string(b), ") Z ")
	})
}

func TestRun_IdleTimeChanged_HoldsWhenTheProgramLeaves(t *testing.T) {
	state := t.TempDir()
	c := hostsocket.NewClient(state, "1")
	defer c.Close()
	stays := hostsocket.NoIdleEnd.String()
	if _, err := c.Connect(t.Context(), "/proc/self/exe", "host", state, stays); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, "idle"), []byte("50ms"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := hostsocket.WaitForEnd(t.Context(), state); err != nil {
		t.Error(err)
	}
}

// BenchmarkCall is what a call of the window's page costs more than one in its own process.
func BenchmarkCall(b *testing.B) {
	state := b.TempDir()
	c := hostsocket.NewClient(state, "1")
	defer c.Close()
	if _, err := c.Connect(b.Context(), "/proc/self/exe", "host", state, "1h"); err != nil {
		b.Fatal(err)
	}
	args := []json.RawMessage{[]byte(`"id"`)}
	for b.Loop() {
		if _, err := c.Call(b.Context(), "Echo", args); err != nil {
			b.Fatal(err)
		}
	}
	if err := c.Stop(b.Context()); err != nil {
		b.Fatal(err)
	}
}
