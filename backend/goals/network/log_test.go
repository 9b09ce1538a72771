package network

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/goals/api"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/storage/secret"
)

// TestLog_ManyRequests_KeepsTheNewest: the newest requests are in two files of limited size, and ReadLog sums them up.
func TestLog_ManyRequests_KeepsTheNewest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "goal")
	l := NewLog("g", dir, func(event.Event) {}, &secret.Mask{}, slog.New(slog.DiscardHandler))
	reason := strings.Repeat("x", 64<<10)
	const n = 100 // 6.4 MB
	for range n {
		l.Add(egress.Entry{
			At:     time.Now(),
			From:   egress.SourceProgram,
			Method: "POST",
			Host:   "shop.example",
			Port:   "80",
			Reason: reason,
		})
	}
	l.Add(egress.Entry{
		At:      time.Now(),
		From:    egress.SourcePane,
		Method:  "GET",
		Host:    "docs.example",
		Port:    "443",
		Allowed: true,
		In:      7,
	})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l.Add(egress.Entry{Method: "GET", Host: "late.example"}) // a request after Close is dropped
	sum := api.NewNetworkSummary()
	now, before := LogPaths(dir)
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
	if len(v.Hosts) != 2 || v.Hosts[0].Host != "shop.example" || v.Hosts[0].Allowed || v.Hosts[1].In != 7 ||
		v.Total >= n || v.Total < 20 || v.Refused != v.Total-1 {
		t.Errorf("%d hosts, %d of %d refused", len(v.Hosts), v.Refused, v.Total)
	}
}

// TestLog_FloodOfRequests_IsCountedInGroups: a hundred thousand requests of a page do not fill the log or push older
// lines out, and all of them are counted. Later requests are reported one by one again.
func TestLog_FloodOfRequests_IsCountedInGroups(t *testing.T) {
	now := time.Now()
	dir := filepath.Join(t.TempDir(), "goal")
	l := NewLog("g", dir, func(event.Event) {}, &secret.Mask{}, slog.New(slog.DiscardHandler))
	l.now, l.wait = func() time.Time { return now }, time.Hour // the test decides when groups are reported
	read := func() (api.NetworkView, int) {
		t.Helper()
		path, before := LogPaths(dir)
		if _, err := os.Stat(before); err == nil {
			t.Error("the flood pushed lines out of the log")
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sum := api.NewNetworkSummary()
		if err := sum.Read(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		return sum.View(), bytes.Count(b, []byte("\n"))
	}
	const n = 100_000
	l.Add(egress.Entry{
		At:     now,
		From:   egress.SourceProgram,
		Method: "GET",
		Host:   "evidence.example",
		Port:   "80",
		Reason: "refused",
	})
	for i := range n {
		host := "one.example"
		if i%2 > 0 {
			host = fmt.Sprintf("h%d.example", i)
		}
		l.Add(egress.Entry{At: now, From: egress.SourcePane, Method: "GET", Host: host, Port: "443", Allowed: true, In: 3})
	}
	l.Flush()
	view, lines := read()
	if view.Total != n+1 || view.Refused != 1 || lines > burstSize+maxGroups+1 {
		t.Errorf("%d requests in %d lines, %d refused", view.Total, lines, view.Refused)
	}
	var one, others api.NetworkHost
	for _, h := range view.Hosts {
		switch h.Host {
		case "one.example":
			one = h
		case "*":
			others = h
		}
	}
	if one.Count != n/2 || one.In != 3*n/2 || others.Count == 0 || others.In != int64(3*others.Count) {
		t.Errorf("%+v %+v", one, others)
	}
	now = now.Add(time.Second)
	for range floodPerSecond + 5 {
		l.Add(egress.Entry{
			At:      now,
			From:    egress.SourcePane,
			Method:  "GET",
			Host:    "later.example",
			Port:    "443",
			Allowed: true,
		})
	}
	if _, more := read(); more != lines+floodPerSecond {
		t.Errorf("%d lines after a second, want %d", more-lines, floodPerSecond)
	}
	if err := l.Close(); err != nil { // reports the remaining groups
		t.Fatal(err)
	}
	if view, _ := read(); view.Total != n+1+floodPerSecond+5 {
		t.Errorf("%d requests at the end", view.Total)
	}
}
