package browser

import (
	"context"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/cdp"
)

// Trail is the history of a page that Chromium no longer has, because the page slept: the addresses before and after
// those of Chromium, in the order in which they were visited.
type Trail struct {
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// maxTrail limits each side of a trail.
const maxTrail = 25

// trail is the Trail of a pane, guarded by the state's mutex.
type trail struct {
	Trail
	last int // the id of Chromium's last entry, which After follows; 0 if it is not known yet
}

// set replaces the trail, at the next reading of the history.
func (t *trail) set(now Trail) {
	now.Before = now.Before[max(0, len(now.Before)-maxTrail):]
	now.After = now.After[:min(len(now.After), maxTrail)]
	*t = trail{Trail: now}
}

// follow drops what comes after Chromium's last entry, if that is a new one.
func (t *trail) follow(last int) {
	if t.last != 0 && t.last != last {
		t.After = nil
	}
	t.last = last
}

// whole returns what a page leaves behind when it ends, without the address that it shows.
func (t *trail) whole(history *proto.PageGetNavigationHistoryResult) Trail {
	at := history.CurrentIndex
	return Trail{
		Before: slices.Concat(t.Before, addressesOf(history.Entries[:at])),
		After:  slices.Concat(addressesOf(history.Entries[at+1:]), t.After),
	}
}

// addressesOf lists the addresses of entries that can be loaded again.
func addressesOf(entries []*proto.PageNavigationEntry) (list []string) {
	for _, e := range entries {
		if strings.HasPrefix(e.URL, "http") && len(e.URL) <= 4096 {
			list = append(list, e.URL)
		}
	}
	return list
}

// readHistory returns the history that Chromium has of a page.
func (p *page) readHistory(ctx context.Context) (history *proto.PageGetNavigationHistoryResult, err error) {
	err = p.do(ctx, p.callLimit(), "reading the history", func(c proto.Client) error {
		history, err = cdp.Call(c, proto.PageGetNavigationHistory{})
		return err
	})
	return history, err
}

// trailStep goes to an address of the trail, if Chromium's history has none in that direction. An agent has only
// Chromium's: HistoryTarget decides about where it goes.
func (n *Navigation) trailStep(ctx context.Context, by int) (done bool, err error) {
	pg, err := n.state.currentPage()
	if err != nil || n.driver.isAgentCall(ctx) {
		return false, nil //nolint:nilerr // the caller reports it
	}
	history, err := pg.readHistory(ctx)
	if err != nil {
		return false, err
	}
	n.state.mu.Lock()
	left := n.state.trail.Trail
	n.state.mu.Unlock()
	entries, address := addressesOf(history.Entries), ""
	switch at := history.CurrentIndex + by; {
	case at < 0 && len(left.Before) > 0:
		end := len(left.Before) - 1
		address, left.Before, left.After = left.Before[end], left.Before[:end], slices.Concat(entries, left.After)
	case at >= len(history.Entries) && len(left.After) > 0:
		address, left.After, left.Before = left.After[0], left.After[1:], slices.Concat(left.Before, entries)
	default:
		return false, nil
	}
	return true, n.loadWithTrail(ctx, address, left)
}

// loadWithTrail loads an address that a trail surrounds.
func (n *Navigation) loadWithTrail(ctx context.Context, address string, around Trail) error {
	n.state.change(func() { n.state.trail = trail{} })
	err := n.navigate(ctx, address)
	if pg, pageErr := n.state.currentPage(); pageErr == nil {
		pg.Post(proto.PageResetNavigationHistory{})
	}
	n.state.change(func() { n.state.trail.set(around) })
	n.requestHistory()
	return err
}
