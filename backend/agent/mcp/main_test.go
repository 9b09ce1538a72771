package mcp_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"goalpost/backend/agent/mcp"
	"goalpost/backend/agent/mcp/mcptest"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
)

// TestMain runs the tests, or one of the servers that they start.
func TestMain(m *testing.M) {
	if kind := os.Getenv("MCP_TEST_SERVER"); kind != "" {
		if kind == "parent" {
			leaveAChild()
		}
		os.Exit(mcptest.Serve(kind))
	}
	goleak.VerifyTestMain(m)
}

// leaveAChild starts a child with the server's standard error, which runs until its sandbox ends.
func leaveAChild() {
	child := exec.Command("sleep", "1000")
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		os.Exit(1)
	}
}

// fixture holds a launcher, a folder, and the warnings.
type fixture struct {
	environment mcp.Environment
	listings    mcp.ToolCache
	warned      chan string
	failed      []string // by tests of one call after the other
}

func setup(t *testing.T) *fixture {
	t.Helper()
	set, err := sandbox.Open(t.Context(), sandbox.Options{Helper: sandboxtest.Helper(t), Name: "mcp"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := set.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return &fixture{
		environment: mcp.Environment{
			Launcher: set,
			Env:      []string{"PATH=" + os.Getenv("PATH"), "HOME=/nowhere"},
			Dir:      t.TempDir(),
			HTTP:     &http.Client{Transport: &http.Transport{}},
		},
		listings: mcp.ToolCache{Dir: t.TempDir()}, warned: make(chan string, 100),
	}
}

func program(kind string) mcp.Server {
	return mcp.Server{
		Name:    "fix",
		Command: os.Args[0],
		Env:     map[string]string{"MCP_TEST_SERVER": kind, "GORACE": "atexit_sleep_ms=0"},
	}
}

func (f *fixture) open(t *testing.T, servers ...mcp.Server) *mcp.Clients {
	t.Helper()
	s := mcp.Open(mcp.Options{
		Servers:     servers,
		Environment: f.environment,
		Listings:    f.listings,
		Warn:        func(server, why string) { f.warned <- server + ": " + why },
		Failed:      func(server, why string) { f.failed = append(f.failed, server+": "+why) },
	})
	t.Cleanup(s.Close)
	return s
}

// known caches the tool lists of the servers before it opens them.
func (f *fixture) known(t *testing.T, servers ...mcp.Server) *mcp.Clients {
	t.Helper()
	for _, s := range servers {
		if _, err := mcp.FetchTools(t.Context(), s, f.environment, f.listings, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	return f.open(t, servers...)
}

func (f *fixture) warning(t *testing.T) string {
	t.Helper()
	select {
	case w := <-f.warned:
		return w
	default:
		return ""
	}
}

func tool(t *testing.T, s *mcp.Clients, name string) *mcp.Tool {
	t.Helper()
	for _, have := range s.Tools() {
		if have.Spec().Name == name {
			return have
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

func call(t *testing.T, s *mcp.Clients, name, args string) goal.Result {
	t.Helper()
	return tool(t, s, name).Do(t.Context(), json.RawMessage(args))
}

func has(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Fatalf("%q is missing in\n%s", p, got)
		}
	}
}

// web serves the fixture over streamable HTTP and counts requests with the key.
type web struct {
	*httptest.Server
	keyed, bare atomic.Int64
}

func newWeb(t *testing.T) *web {
	t.Helper()
	w := &web{}
	server := mcptest.Server("")
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	w.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer sesame" {
			w.keyed.Add(1)
			handler.ServeHTTP(rw, r)
			return
		}
		w.bare.Add(1)
		http.Error(rw, "who are you?", http.StatusUnauthorized)
	}))
	w.Start()
	t.Cleanup(func() {
		w.CloseClientConnections()
		w.Close()
	})
	if host, _, _ := net.SplitHostPort(w.Listener.Addr().String()); host != "127.0.0.1" {
		t.Fatal("not on the loopback")
	}
	return w
}

// counting counts the started programs.
type counting struct {
	process.Launcher
	n atomic.Int64
}

func (c *counting) Start(ctx context.Context, cmd process.Command) (process.Process, error) {
	c.n.Add(1)
	return c.Launcher.Start(ctx, cmd)
}
