package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
)

// The values of the argument way of GoHistory.
const (
	HistoryBack    = "back"
	HistoryForward = "forward"
	HistoryReload  = "reload"
)

// GoHistory goes back, forward, or reloads the page, which also restores one that crashed.
func (p *Pane) GoHistory(ctx context.Context, way string) (Acted, error) {
	go1, known := map[string]func(context.Context) error{
		HistoryBack:    p.Back,
		HistoryForward: p.Forward,
		HistoryReload:  p.Reload,
	}[way]
	if !known {
		return Acted{}, fmt.Errorf("%q is no way to go: back, forward or reload", sanitize.Line(way, 40))
	}
	if _, err := p.state.currentPage(); errors.Is(err, ErrCrashed) || errors.Is(err, ErrEnded) {
		if err := p.driver.checkDriver(ctx); err != nil {
			return Acted{}, err
		}
		if err := go1(ctx); err != nil {
			return Acted{}, err
		}
		info := p.Info()
		return Acted{URL: info.URL, Title: info.Title, Changed: "the page is back"}, nil
	}
	return p.actions.runDuringDialog(ctx, "going "+way, func(ctx context.Context, _ *page) error { return go1(ctx) })
}

// HistoryTarget is the address that a way leads to, and whether going there submits a form again.
func (n *navigation) HistoryTarget(ctx context.Context, way string) (address string, again bool, err error) {
	by := map[string]int{HistoryBack: -1, HistoryForward: 1}[way]
	if by == 0 {
		n.state.mu.Lock()
		defer n.state.mu.Unlock()
		return n.state.info.URL, n.state.load.posted, nil
	}
	err = n.state.withPage("reading the history", func(pg *page) error {
		return pg.do(ctx, callLimit, "reading the history", func(c proto.Client) error {
			entry, err := historyEntry(c, by, "there is no page in that direction")
			if err == nil {
				address = entry.URL
			}
			return err
		})
	})
	return address, false, err
}

// historyEntry is the entry of the history that is by steps away; end is the error if there is none.
func historyEntry(c proto.Client, by int, end string) (*proto.PageNavigationEntry, error) {
	history, err := cdp.Call(c, proto.PageGetNavigationHistory{})
	if err != nil {
		return nil, err
	}
	i := history.CurrentIndex + by
	if i < 0 || i >= len(history.Entries) {
		return nil, errors.New(end)
	}
	return history.Entries[i], nil
}
