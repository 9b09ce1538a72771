package serve

import (
	"strconv"
	"testing"
	"time"
)

func TestLockout_ManyWrongTokens_LocksEveryone(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	l := newLockout(func() time.Time { return now })
	for i := range globalTries - 1 {
		l.recordFailure("10.0.0." + strconv.Itoa(i))
	}
	if l.wait("127.0.0.1") != 0 {
		t.Fatal("locked too early")
	}
	l.recordFailure("10.0.1.1")
	if got := l.wait("127.0.0.1"); got != globalLock {
		t.Errorf("everyone waits %s", got)
	}
	now = now.Add(globalLock)
	if got := l.wait("127.0.0.1"); got != 0 {
		t.Errorf("afterwards %s", got)
	}
	for i := range globalTries {
		now = now.Add(globalWindow / globalTries * 2)
		l.recordFailure("10.0.2." + strconv.Itoa(i))
	}
	if got := l.wait("127.0.0.1"); got != 0 {
		t.Errorf("slow tries lock everyone: %s", got)
	}
}

func TestLockout_MoreWrongTokens_GrowsToItsLimit(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	l := newLockout(func() time.Time { return now })
	var last time.Duration
	for range 40 {
		l.recordFailure("a")
		wait := l.remotes["a"].until.Sub(now)
		if wait < 0 {
			wait = 0
		}
		if wait < last && wait != maxLock {
			t.Errorf("the lock shrank from %s to %s", last, wait)
		}
		last = wait
	}
	if last != maxLock {
		t.Errorf("the longest lock is %s", last)
	}
	now = now.Add(2 * time.Hour)
	l.recordFailure("a")
	if got := l.wait("a"); got != 0 {
		t.Errorf("an old offender is locked at once: %s", got)
	}
	for i := range maxRemotes + 10 {
		l.recordFailure(strconv.Itoa(i))
	}
	if n := len(l.remotes); n > maxRemotes {
		t.Errorf("%d remotes are remembered", n)
	}
}
