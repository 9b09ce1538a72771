package store

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func texts(t *testing.T, s *Store, dir string) string {
	t.Helper()
	list, err := s.Memory.List(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range list {
		all = append(all, m.Text)
	}
	return strings.Join(all, "|")
}

// TestMemory_AboveTheLimit_DropsTheOldest: a note that is written again or edited is new.
func TestMemory_AboveTheLimit_DropsTheOldest(t *testing.T) {
	s, ctx := open(t, t.TempDir(), nil), context.Background()
	add := func(dir, text string) []Memory {
		t.Helper()
		dropped, err := s.Memory.Add(ctx, Memory{Dir: dir, Text: text, Goal: "g"})
		if err != nil {
			t.Fatal(err)
		}
		return dropped
	}
	add("/shop", "first")
	add("/shop", "second")
	add("/other", "elsewhere")
	add("/shop", " first\n")
	if got := texts(t, s, "/shop"); got != "first|second" {
		t.Errorf("notes: %s", got)
	}
	long := strings.Repeat("x", MaxMemory-len("first"))
	dropped := add("/shop", long)
	if len(dropped) != 1 || dropped[0].Text != "second" || texts(t, s, "/shop") != long+"|first" {
		t.Errorf("dropped %+v", dropped)
	}
	if got := texts(t, s, ""); got != "elsewhere|"+long+"|first" {
		t.Errorf("notes of all folders: %s", got)
	}
	if _, err := s.Memory.Add(ctx, Memory{Dir: "/shop", Text: long + "123456"}); err == nil {
		t.Error("a note above the limit is stored")
	}
}

// TestMemory_UserEdits_IsTheUsers: and what is gone is said.
func TestMemory_UserEdits_IsTheUsers(t *testing.T) {
	s, ctx := open(t, t.TempDir(), nil), context.Background()
	if _, err := s.Memory.Add(ctx, Memory{Dir: "/shop", Text: "run make", Goal: "g"}); err != nil {
		t.Fatal(err)
	}
	list, err := s.Memory.List(ctx, "/shop")
	if err != nil || len(list) != 1 || list[0].Goal != "g" {
		t.Fatal(list, err)
	}
	if _, err := s.Memory.Edit(ctx, list[0].ID, "run make test"); err != nil {
		t.Fatal(err)
	}
	edited, err := s.Memory.List(ctx, "/shop")
	if err != nil || len(edited) != 1 || edited[0].Goal != "" || edited[0].Text != "run make test" ||
		edited[0].ID != list[0].ID {
		t.Errorf("after the edit: %+v, %v", edited, err)
	}
	if err := s.Memory.Delete(ctx, list[0].ID); err != nil {
		t.Error(err)
	}
	if err := s.Memory.Delete(ctx, list[0].ID); !errors.Is(err, ErrNoMemory) {
		t.Errorf("deleted twice: %v", err)
	}
	if _, err := s.Memory.Edit(ctx, list[0].ID, "x"); !errors.Is(err, ErrNoMemory) {
		t.Errorf("edited after its end: %v", err)
	}
}
