package egress

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// maxLogEntries is how many entries a goal's log holds; older ones are forgotten here.
const maxLogEntries = 1000

// Entry is one request as it was decided. Bodies and paths are not in it.
type Entry struct {
	At      time.Time     `json:"at"`
	From    Source        `json:"from"`
	Method  string        `json:"method"` // CONNECT for a tunnel, NAME for a name that was asked for
	Host    string        `json:"host"`
	Port    string        `json:"port"`
	Own     bool          `json:"own"` // the goal's own loopback
	Allowed bool          `json:"allowed"`
	Reason  string        `json:"reason"` // why not, or what went wrong
	Status  int           `json:"status"` // of a plain answer
	In      int64         `json:"in"`     // bytes of a plain answer, or that came through a tunnel
	Out     int64         `json:"out"`    // bytes of a plain request's body, or that went through a tunnel
	Took    time.Duration `json:"took"`
	More    bool          `json:"more"` // no request of its own: bytes, since the last entry, of one that was told of
}

// String says it in a line: "POST shop.example:80: ...".
func (e Entry) String() string {
	where := e.Host
	if e.Port != "" {
		where = net.JoinHostPort(e.Host, e.Port)
	}
	if e.Reason == "" {
		return fmt.Sprintf("%s %s", e.Method, where)
	}
	return fmt.Sprintf("%s %s: %s", e.Method, where, e.Reason)
}

// entryLog keeps the newest entries.
type entryLog struct {
	onEntry func(Entry)

	telling sync.Mutex // keeps tell's calls one after the other
	mu      sync.Mutex
	count   int64
	list    []Entry
}

func (j *entryLog) add(e Entry) {
	j.telling.Lock()
	defer j.telling.Unlock()
	j.mu.Lock()
	j.count++
	j.list = append(j.list, e)
	if len(j.list) > 2*maxLogEntries {
		j.list = slices.Clone(j.list[len(j.list)-maxLogEntries:])
	}
	j.mu.Unlock()
	if j.onEntry != nil {
		j.onEntry(e)
	}
}

// Entries are the newest requests, oldest first.
func (p *Proxy) Entries() []Entry {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	return slices.Clone(p.log.list[max(0, len(p.log.list)-maxLogEntries):])
}

// LogMark is a place in the log, for Refused.
func (p *Proxy) LogMark() int64 {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	return p.log.count
}

// RefusedSince are what was refused since the mark, each once.
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
