package network

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/sandbox/egress"
	"goalpost/backend/secret"
)

// maxNetLog bounds one file of a goal's network log, in bytes. One older file is kept.
const maxNetLog = 2 << 20

// Log writes down every request that a goal's programs and pages made, as the
// proxy decided it. It is no part of the journal: what cannot be written is
// logged once and lost. What comes too fast is added up, see flood. A nil networkLog
// keeps nothing.
type Log struct {
	publish func(event.Event) // nil: nobody listens
	mask    *secret.Mask
	log     *slog.Logger
	goal    goal.ID
	dir     string
	now     func() time.Time
	wait    time.Duration // between two batches

	mu    sync.Mutex
	flood requestAggregator
	later *time.Timer // tells what the flood holds
	file  *os.File
	size  int64
	bad   bool // it cannot be written
	over  bool // it is closed
}

// LogPaths are the files of the log in a goal's folder: the newer one and the older one.
func LogPaths(dir string) (now, before string) {
	return filepath.Join(dir, "network.jsonl"), filepath.Join(dir, "network.1.jsonl")
}

func egressEvent(e egress.Entry) *event.Egress {
	return &event.Egress{
		From: string(e.From), Method: e.Method, Host: e.Host, Port: e.Port, Own: e.Own, Allowed: e.Allowed, Reason: e.Reason,
		Status: e.Status, In: e.In, Out: e.Out, MS: e.Took.Milliseconds(), More: e.More,
	}
}

// Add tells everyone who listens and writes the request down, now or a little later.
func (l *Log) Add(e egress.Entry) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	if !l.flood.add(e, l.now()) {
		l.emitEntry(e, 0)
	} else if l.later == nil {
		l.later = time.AfterFunc(l.wait, l.Flush)
	}
}

// Flush tells of what came too fast, as far as it was not told.
func (l *Log) Flush() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drainPending()
}

// drainPending is called with mu held.
func (l *Log) drainPending() {
	if l.later != nil {
		l.later.Stop()
		l.later = nil
	}
	for _, c := range l.flood.flush() {
		l.emitEntry(c.Entry, c.times)
	}
}

// emitEntry is called with mu held; times is 0 for one request.
func (l *Log) emitEntry(e egress.Entry, times int) {
	body := egressEvent(e)
	if times > 1 {
		body.Times = times
	}
	ev := event.Event{GoalID: l.goal, At: e.At, Body: body}
	l.publish(ev)
	if l.bad {
		return
	}
	line, err := json.Marshal(ev)
	if err == nil {
		err = l.write(append(l.mask.JSON(line), '\n'))
	}
	if err != nil {
		l.bad = true
		l.log.Warn("a goal's network log cannot be written", "goal", l.goal, "error", err)
	}
}

func (l *Log) write(line []byte) error {
	now, before := LogPaths(l.dir)
	if l.file != nil && l.size+int64(len(line)) > maxNetLog {
		if err := errors.Join(l.file.Close(), os.Rename(now, before)); err != nil {
			return fmt.Errorf("network log: %w", err)
		}
		l.file = nil
	}
	if l.file == nil {
		if err := os.MkdirAll(l.dir, 0o700); err != nil {
			return fmt.Errorf("network log: %w", err)
		}
		f, err := os.OpenFile(now, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("network log: %w", err)
		}
		at, err := f.Stat()
		if err != nil {
			return errors.Join(fmt.Errorf("network log: %w", err), f.Close())
		}
		l.file, l.size = f, at.Size()
	}
	n, err := l.file.Write(line)
	if l.size += int64(n); err != nil {
		return fmt.Errorf("network log: %w", err)
	}
	return nil
}

func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drainPending()
	l.over = true
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	if err != nil {
		return fmt.Errorf("network log: %w", err)
	}
	return nil
}

// ReadLog adds up by host what the log in a goal's folder holds.
func ReadLog(dir string) (api.NetworkView, error) {
	now, before := LogPaths(dir)
	sum := api.NewNetworkSum()
	for _, path := range []string{before, now} {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return api.NetworkView{}, fmt.Errorf("network log: %w", err)
		}
		if err := errors.Join(sum.Read(f), f.Close()); err != nil {
			return api.NetworkView{}, fmt.Errorf("network log: %w", err)
		}
	}
	return sum.View(), nil
}

// NewLog makes the log of a goal, in its private folder. The file is opened with the first request.
func NewLog(id goal.ID, dir string, publish func(event.Event), mask *secret.Mask, log *slog.Logger) *Log {
	return &Log{goal: id, dir: dir, now: time.Now, wait: flushInterval, publish: publish, mask: mask, log: log}
}
