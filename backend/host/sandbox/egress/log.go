package egress

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// maxLogEntries is the size of a goal's in-memory log; older entries are dropped.
const maxLogEntries = 1000

// Entry is one request and its decision, without path and body.
type Entry struct {
	At      time.Time     `json:"at"`
	From    Source        `json:"from"`
	Method  string        `json:"method"` // CONNECT for a tunnel, FORWARD for a forwarded port, NAME for a DNS query
	Host    string        `json:"host"`
	Port    string        `json:"port"`
	Own     bool          `json:"own"` // the goal's own loopback
	Allowed bool          `json:"allowed"`
	Reason  string        `json:"reason"` // why it was refused, or what failed
	Status  int           `json:"status"` // of a plain response
	In      int64         `json:"in"`     // bytes received: a plain response's body, or through a tunnel
	Out     int64         `json:"out"`    // bytes sent: a plain request's body, or through a tunnel
	Took    time.Duration `json:"took"`
	More    bool          `json:"more"` // not a new request: the bytes of an earlier one since its last entry
}

// String formats it as one line: "POST shop.example:80: ...".
func (e Entry) String() string {
	if e.Reason == "" {
		return fmt.Sprintf("%s %s", e.Method, e.address())
	}
	return fmt.Sprintf("%s %s: %s", e.Method, e.address(), e.Reason)
}

func (e Entry) address() string {
	if e.Port == "" {
		return e.Host
	}
	return net.JoinHostPort(e.Host, e.Port)
}

// entryLog keeps the newest entries.
type entryLog struct {
	onEntry func(Entry)

	reporting sync.Mutex // serializes the calls of onEntry
	mu        sync.Mutex
	count     int64
	list      []Entry
}

func (el *entryLog) add(e Entry) {
	el.reporting.Lock()
	defer el.reporting.Unlock()
	el.mu.Lock()
	el.count++
	el.list = append(el.list, e)
	if len(el.list) > 2*maxLogEntries {
		el.list = slices.Clone(el.list[len(el.list)-maxLogEntries:])
	}
	el.mu.Unlock()
	if el.onEntry != nil {
		el.onEntry(e)
	}
}

// Entries returns the newest requests, oldest first.
func (p *Proxy) Entries() []Entry {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	return slices.Clone(p.log.list[max(0, len(p.log.list)-maxLogEntries):])
}

// LogMark is a position in the log, for RefusedSince.
func (p *Proxy) LogMark() int64 {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	return p.log.count
}

// RefusedSince returns the distinct requests refused since the mark.
func (p *Proxy) RefusedSince(since int64) []string {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	var list []string
	fresh := min(int(p.log.count-since), len(p.log.list))
	for _, e := range p.log.list[len(p.log.list)-max(fresh, 0):] {
		if text := e.String(); !e.Allowed && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}
