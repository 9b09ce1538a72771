package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/sandbox/egress"
	"goalpost/backend/secret"
)

// TestTheNetworkLogIsBounded: the newest requests are kept, in two files of a
// bounded size, and what is read adds them up.
func TestTheNetworkLogIsBounded(t *testing.T) {
	a := &App{log: slog.New(slog.DiscardHandler), mask: &secret.Mask{}}
	dir := filepath.Join(t.TempDir(), "goal")
	l := &netLog{app: a, goal: "g", dir: dir}
	reason := strings.Repeat("x", 64<<10)
	const n = 100 // 6.4 MB
	for range n {
		l.add(egress.Entry{At: time.Now(), From: egress.Program, Method: "POST", Host: "shop.example", Port: "80", Reason: reason})
	}
	l.add(egress.Entry{At: time.Now(), From: egress.Pane, Method: "GET", Host: "docs.example", Port: "443", Allowed: true, In: 7})
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	l.add(egress.Entry{Method: "GET", Host: "late.example"}) // after the end: lost, and no harm
	sum := api.NewNetworkSum()
	now, before := netLogPaths(dir)
	for _, path := range []string{before, now} {
		info, err := os.Stat(path)
		if err != nil || info.Size() > maxNetLog || info.Mode().Perm() != 0o600 {
			t.Fatalf("%s: %v, %v", path, info, err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := sum.Read(f); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	v := sum.View()
	if len(v.Hosts) != 2 || v.Hosts[0].Host != "shop.example" || v.Hosts[0].Allowed || v.Hosts[1].In != 7 || v.Total >= n || v.Total < 20 || v.Refused != v.Total-1 {
		t.Errorf("%d hosts, %d of %d refused", len(v.Hosts), v.Refused, v.Total)
	}
}
