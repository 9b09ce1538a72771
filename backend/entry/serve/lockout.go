package serve

import (
	"sync"
	"time"
)

// The lock-out: five wrong tokens from one address lock it for 30 s, and each further one twice as long, up to 15
// minutes. Fifty wrong tokens from anywhere within ten minutes lock all logins for a minute; users who are logged in
// are not affected.
const (
	freeTries    = 5
	firstLock    = 30 * time.Second
	maxLock      = 15 * time.Minute
	globalTries  = 50
	globalWindow = 10 * time.Minute
	globalLock   = time.Minute
	maxRemotes   = 10_000
)

// lockout counts wrong tokens. It is safe for concurrent use.
type lockout struct {
	now func() time.Time

	mu      sync.Mutex
	remotes map[string]*clientAttempts
	recent  []time.Time // wrong tokens from anywhere within globalWindow
	locked  time.Time   // all logins are locked until then
}

type clientAttempts struct {
	bad   int
	until time.Time // locked until then
	last  time.Time
}

func newLockout(now func() time.Time) *lockout {
	return &lockout{now: now, remotes: map[string]*clientAttempts{}}
}

// wait returns how long a remote must wait before its next attempt, 0 if it may try now.
func (l *lockout) wait(remote string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	wait := l.locked.Sub(now)
	if o := l.remotes[remote]; o != nil {
		wait = max(wait, o.until.Sub(now))
	}
	return max(wait, 0)
}

// recordFailure counts a wrong token.
func (l *lockout) recordFailure(remote string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	o := l.remotes[remote]
	if o == nil {
		l.prune(now)
		o = &clientAttempts{}
		l.remotes[remote] = o
	}
	if now.Sub(o.last) > time.Hour {
		o.bad = 0
	}
	o.bad, o.last = o.bad+1, now
	if excess := o.bad - freeTries; excess >= 0 {
		lock := maxLock
		if excess < 5 {
			lock = min(firstLock<<excess, maxLock)
		}
		o.until = now.Add(lock)
	}
	for len(l.recent) > 0 && now.Sub(l.recent[0]) > globalWindow {
		l.recent = l.recent[1:]
	}
	l.recent = append(l.recent, now)
	if len(l.recent) >= globalTries {
		l.locked, l.recent = now.Add(globalLock), nil
	}
}

// reset forgets a remote that has sent the right token.
func (l *lockout) reset(remote string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.remotes, remote)
}

// prune limits the memory that unknown clients can use.
func (l *lockout) prune(now time.Time) {
	if len(l.remotes) < maxRemotes {
		return
	}
	for k, o := range l.remotes {
		if now.Sub(o.last) > maxLock {
			delete(l.remotes, k)
		}
	}
	if len(l.remotes) >= maxRemotes {
		clear(l.remotes) // the lock for all logins stays
	}
}
