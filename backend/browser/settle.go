package browser

import (
	"context"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// The measures of settling: how long nothing may be fetched, and how long an
// action waits for that at most.
const (
	quietNetwork = 150 * time.Millisecond
	settleLimit  = 2 * time.Second
)

// traffic is what the page fetches while somebody wants to know.
type traffic struct {
	on   bool
	open map[proto.NetworkRequestID]struct{}
	last time.Time // of the last request that began or ended
}

// onNetwork counts requests. What stays open by design does not count.
func (p *Pane) onNetwork(e *cdp.Event) {
	var ev struct {
		RequestID proto.NetworkRequestID    `json:"requestId"`
		Type      proto.NetworkResourceType `json:"type"`
	}
	if !decode(e, &ev) || ev.RequestID == "" {
		return
	}
	switch e.Method {
	case "Network.requestWillBeSent":
		if ev.Type == proto.NetworkResourceTypeEventSource || ev.Type == proto.NetworkResourceTypeWebSocket ||
			ev.Type == proto.NetworkResourceTypeMedia || ev.Type == proto.NetworkResourceTypePing {
			return
		}
		p.change(func() {
			if p.net.open == nil {
				p.net.open = map[proto.NetworkRequestID]struct{}{}
			}
			p.net.open[ev.RequestID] = struct{}{}
			p.net.last = time.Now()
		})
	case "Network.loadingFinished", "Network.loadingFailed":
		p.change(func() {
			if _, ok := p.net.open[ev.RequestID]; ok {
				delete(p.net.open, ev.RequestID)
				p.net.last = time.Now()
			}
		})
	}
}

// watchTraffic counts requests while on.
func (p *Pane) watchTraffic(pg *page, on bool) {
	p.change(func() { p.net = traffic{on: on, last: time.Now()} })
	if on {
		pg.post(proto.NetworkEnable{})
	} else {
		pg.post(proto.NetworkDisable{})
	}
}

// settle waits until the page has loaded, fetched nothing for a moment and drawn
// twice. It gives up after two seconds, or when the page is gone: that is for
// the next call to find.
func (p *Pane) settle(ctx context.Context, pg *page) {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	ctx, loose := tie(ctx, pg.alive)
	defer loose(nil)
	for {
		p.mu.Lock()
		busy := p.info.Loading || len(p.net.open) > 0
		rest := quietNetwork - time.Since(p.net.last)
		moved := p.moved
		p.mu.Unlock()
		if !busy && rest <= 0 {
			break
		}
		timer := time.NewTimer(max(rest, time.Millisecond))
		tick := timer.C
		if busy {
			tick = nil // only news can end this
		}
		select {
		case <-moved:
		case <-tick:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
	}
	if err := pg.ask(ctx, nil, "frame"); err != nil {
		p.m.cfg.Log.Debug("settling", "pane", p.id, "error", err)
	}
}
