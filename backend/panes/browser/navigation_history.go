package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// The directions of GoHistory.
const (
	HistoryBack    = "back"
	HistoryForward = "forward"
	HistoryReload  = "reload"
)

// GoHistory goes back, forward, or reloads the page, which also restores one that crashed.
func (p *Pane) GoHistory(ctx context.Context, way string) (ActionResult, error) {
	navigate, isKnown := map[string]func(context.Context) error{
		HistoryBack:    p.Navigation.Back,
		HistoryForward: p.Navigation.Forward,
		HistoryReload:  p.Navigation.Reload,
	}[way]
	if !isKnown {
		return ActionResult{}, fmt.Errorf("unknown direction %q: use back, forward or reload", text.SanitizeLine(way, 40))
	}
	if _, err := p.State.currentPage(); errors.Is(err, ErrCrashed) || errors.Is(err, ErrEnded) {
		if err := p.Driver.checkDriver(ctx); err != nil {
			return ActionResult{}, err
		}
		if err := navigate(ctx); err != nil {
			return ActionResult{}, err
		}
		info := p.State.Info()
		return ActionResult{URL: info.URL, Title: info.Title, Changed: "the page is back"}, nil
	}
	return p.Actions.runDuringDialog(ctx, "going "+way, func(ctx context.Context, _ *page) error { return navigate(ctx) })
}

// HistoryTarget returns the address that a direction leads to, and whether going there submits a form again.
func (n *Navigation) HistoryTarget(ctx context.Context, way string) (address string, resubmits bool, err error) {
	by := map[string]int{HistoryBack: -1, HistoryForward: 1}[way]
	if by == 0 {
		n.state.mu.Lock()
		defer n.state.mu.Unlock()
		return n.state.info.URL, n.state.load.posted, nil
	}
	err = n.state.withPage("reading the history", func(pg *page) error {
		return pg.do(ctx, pg.callLimit(), "reading the history", func(c proto.Client) error {
			entry, err := historyEntry(c, by, "there is no page in that direction")
			if err == nil {
				address = entry.URL
			}
			return err
		})
	})
	return address, false, err
}

// historyEntry returns the entry of the history that is by steps away; end is the text of the error if it is missing.
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
