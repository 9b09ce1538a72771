package store

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestDigests_TwoProcesses_ClaimEachDayOnce: two connections to one database claim twenty days at the same time.
func TestDigests_TwoProcesses_ClaimEachDayOnce(t *testing.T) {
	dir := t.TempDir()
	var both []*Store
	for range 2 {
		s, err := Open(t.Context(), Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		both = append(both, s)
	}
	if used, err := both[0].Digests.IsUsed(t.Context()); err != nil || used {
		t.Errorf("%v %v", used, err)
	}
	const days = 20
	var claimed atomic.Int32
	var work sync.WaitGroup
	for _, s := range both {
		work.Go(func() {
			for i := range days {
				isMine, err := s.Digests.Claim(t.Context(), time.Date(2026, 11, 1+i, 8, 0, 0, 0, time.Local))
				if err != nil {
					t.Error(err)
				}
				if isMine {
					claimed.Add(1)
				}
			}
		})
	}
	work.Wait()
	if n := claimed.Load(); n != days {
		t.Errorf("%d days were claimed %d times", days, n)
	}
	if used, err := both[1].Digests.IsUsed(t.Context()); err != nil || !used {
		t.Errorf("%v %v", used, err)
	}
}
