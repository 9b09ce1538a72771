package store

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// TestWakeSocket_WakesAnotherProcess checks that an order and a commit wake another process without polling, that other
// users are refused, and that sockets of dead processes are removed.
func TestWakeSocket_WakesAnotherProcess(t *testing.T) {
	dir := shortDir(t)
	owner, other := open(t, dir, nil), open(t, dir, nil)
	received := make(chan goal.ID, 1)
	wakeSocket, err := owner.Sockets.ListenWake(t.Context(), func(id goal.ID) { received <- id })
	if err != nil {
		t.Fatal(err)
	}
	beside, err := other.Sockets.ListenWake(t.Context(), func(goal.ID) { t.Error("it rang for itself") })
	if err != nil {
		t.Fatal(err)
	}
	path := wakeSocket.listen.Addr().String()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	g := create(t, owner)
	other.Sockets.WakeAll(t.Context(), g.ID)
	if id := <-received; id != g.ID {
		t.Errorf("it rang for %s", id)
	}

	dead := filepath.Join(dir, "run", "1.sock")
	gone, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", dead)
	if err != nil {
		t.Fatal(err)
	}
	gone.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	wake := &commitListener{sockets: other.Sockets, wakeUps: make(chan struct{}, 1), conns: map[string]net.Conn{}}
	defer wake.close()
	wake.connect(t.Context())
	if _, err := os.Stat(dead); !os.IsNotExist(err) {
		t.Errorf("the wake socket of a dead process: %v", err)
	}
	run := begin(t, owner, g.ID)
	for n := 1; ; n++ { // the connection may be made a little later than the first commit
		if err := owner.Journal.Append(context.Background(), run, &event.Iteration{N: n}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-wake.wakeUps:
		default:
			continue
		}
		break
	}
	for _, b := range []*WakeSocket{wakeSocket, beside} { // with a follower still there
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "run", "*.sock")); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
}

// shortDir is short enough for the path of a socket, which is limited to about a hundred bytes.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
