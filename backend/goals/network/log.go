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

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/storage/secret"
)

// maxNetLog bounds one file of a goal's network log, in bytes. The file before it is also kept.
const maxNetLog = 2 << 20

// Log records the requests of a goal's programs and pages with the proxy's decisions. It is not part of the journal: if
// a write fails, it logs that once, and loses later requests. It counts frequent requests in groups, see
// requestAggregator. A nil Log records nothing. All methods may be called concurrently.
type Log struct {
	publish func(event.Event)
	mask    *secret.Mask
	log     *slog.Logger
	goal    goal.ID
	dir     string
	now     func() time.Time
	wait    time.Duration // between two reports of groups

	mu       sync.Mutex
	flood    requestAggregator
	later    *time.Timer // reports the groups in flood
	file     *os.File
	size     int64
	bad      bool // a write failed
	isClosed bool // closed
}

// LogPaths returns the files of the log in a goal's folder: the current one and the one before it.
func LogPaths(dir string) (now, before string) {
	return filepath.Join(dir, "network.jsonl"), filepath.Join(dir, "network.1.jsonl")
}

func egressEvent(e egress.Entry) *event.Egress {
	return &event.Egress{
		From: string(e.From), Method: e.Method, Host: e.Host, Port: e.Port, Own: e.Own, Allowed: e.Allowed, Reason: e.Reason,
		Status: e.Status, In: e.In, Out: e.Out, MS: e.Took.Milliseconds(), More: e.More,
	}
}

// Add publishes and records a request. If requests come too fast, it does so a little later, in groups.
func (l *Log) Add(e egress.Entry) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isClosed {
		return
	}
	if !l.flood.add(e, l.now()) {
		l.emitEntry(e, 0)
	} else if l.later == nil {
		l.later = time.AfterFunc(l.wait, l.Flush)
	}
}

// Flush publishes and records the requests that are waiting in groups.
func (l *Log) Flush() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flushLocked()
}

// flushLocked does what Flush does. The caller holds mu.
func (l *Log) flushLocked() {
	if l.later != nil {
		l.later.Stop()
		l.later = nil
	}
	for _, c := range l.flood.flush() {
		l.emitEntry(c.Entry, c.times)
	}
}

// emitEntry publishes and records a request, or a group of as many requests as times says. The caller holds mu.
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
	l.flushLocked()
	l.isClosed = true
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

// ReadLog sums up the log in a goal's folder by host.
func ReadLog(dir string) (api.NetworkView, error) {
	now, before := LogPaths(dir)
	sum := api.NewNetworkSummary()
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

// NewLog makes the log of a goal in its private folder. The first request creates the file.
func NewLog(id goal.ID, dir string, publish func(event.Event), mask *secret.Mask, log *slog.Logger) *Log {
	return &Log{goal: id, dir: dir, now: time.Now, wait: flushInterval, publish: publish, mask: mask, log: log}
}
