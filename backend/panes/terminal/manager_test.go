package terminal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"goalpost/backend/domain/pane"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
)

func TestManager_Changes_AreReported(t *testing.T) {
	var mu sync.Mutex
	var reported []string
	m := NewManager(func(info pane.Info, closed bool) {
		mu.Lock()
		defer mu.Unlock()
		reported = append(reported,
			fmt.Sprintf("%s %q running=%v exit=%d closed=%v", info.ID, info.Title, info.Running, info.Exit, closed))
	})
	set := launcher(t)
	s, err := m.Open(context.Background(), set, Options{
		ID:     "t1",
		Dir:    "/",
		Argv:   []string{"/bin/sh", "-c", "read x; exit 4"},
		GoalID: "g1",
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Open(context.Background(), set, Options{ID: "t1", Dir: "/"}); err == nil {
		t.Error("an id is given twice")
	}
	s.Rename("server")
	if _, err := s.Write([]byte("\r")); err != nil {
		t.Fatal(err)
	}
	<-s.life.done
	if err := s.Restart(within(t)); err != nil {
		t.Fatal(err)
	}
	if got, err := m.Get("t1"); got != s || err != nil {
		t.Error(got, err)
	}
	if list := m.List(); len(list) != 1 || list[0].GoalID != "g1" || list[0].Dir != "/" {
		t.Errorf("%+v", list)
	}
	if err := m.Close(within(t), "t1"); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(within(t), "t1"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	want := []string{
		`t1 "sh" running=true exit=0 closed=false`,
		`t1 "server" running=true exit=0 closed=false`,
		`t1 "server" running=false exit=4 closed=false`,
		`t1 "server" running=true exit=0 closed=false`,
		`t1 "server" running=false exit=-1 closed=true`,
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(reported, want) {
		t.Errorf("%q", reported)
	}
}

func TestCloseAll_OpenTerminals_End(t *testing.T) {
	m := NewManager(nil)
	set := launcher(t)
	var all []*Session
	for i := range 5 {
		s, err := m.Open(context.Background(), set, Options{ID: fmt.Sprint(i), Dir: "/", Argv: []string{"/bin/cat"}})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := m.CloseAll(within(t)); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if _, done := s.Exit(); !done {
			t.Errorf("%s still runs", s.ID())
		}
		if err := s.Restart(within(t)); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		if err := s.Attach(0).Resize(10, 10, false); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
	if _, err := m.Open(context.Background(), set, Options{
		ID:   "x",
		Dir:  "/",
		Argv: []string{"/bin/cat"},
	}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestLauncher_Dies_EndsItsTerminals: when a launcher ends, each of its terminals reports its end.
func TestLauncher_Dies_EndsItsTerminals(t *testing.T) {
	set, err := sandbox.Open(context.Background(), sandbox.Options{Helper: sandboxtest.Helper(t), Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	m := NewManager(nil)
	s, err := m.Open(context.Background(), set, Options{ID: "t1", Dir: "/", Argv: []string{"/bin/cat"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	ended(t, s)
	if code, done := s.Exit(); code != -1 || !done {
		t.Errorf("exit %d %v", code, done)
	}
	if err := s.Restart(within(t)); !errors.Is(err, sandbox.ErrClosed) {
		t.Errorf("restart without a helper: %v", err)
	}
	if err := m.CloseAll(within(t)); err != nil {
		t.Error(err)
	}
}
