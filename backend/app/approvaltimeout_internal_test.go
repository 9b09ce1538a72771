package app

import (
	"testing"
	"time"

	"goalpost/backend/storage/config"
)

// TestApprovalTimeout_WithoutAUser_IsZero: if no user can see a request, nothing waits for an answer.
func TestApprovalTimeout_WithoutAUser_IsZero(t *testing.T) {
	home := t.TempDir()
	cfg, err := config.Open(func(name string) string {
		if name == "GOALPOST_HOME" {
			return home
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		watch, attended bool
		want            time.Duration
	}{{false, false, 0}, {true, false, 10 * time.Minute}, {false, true, 10 * time.Minute}} {
		a := &App{cfg: cfg, options: Options{Stays: c.watch, Attended: c.attended}}
		if got := a.approvalTimeout(t.Context()); got != c.want {
			t.Errorf("window %v, terminal %v: %s", c.watch, c.attended, got)
		}
	}
}
