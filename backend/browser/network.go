package browser

import (
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
)

// networkActivity is what the page fetches while somebody wants to know.
type networkActivity struct {
	on   bool
	open map[proto.NetworkRequestID]struct{}
	last time.Time // of the last request that began or ended, zero if there was none
	// leaving is when the page began to go elsewhere, zero if it does not.
	leaving time.Time
	opening time.Time // and a window that has not become a pane yet
	patient bool      // what was done takes a moment to have an effect
}

// onNetwork counts requests. What stays open by design does not count.
func (s *state) onNetwork(e *cdp.Event) {
	var ev struct {
		RequestID proto.NetworkRequestID    `json:"requestId"`
		Type      proto.NetworkResourceType `json:"type"`
	}
	if !decodeEvent(e, &ev) || ev.RequestID == "" {
		return
	}
	switch e.Method {
	case "Network.requestWillBeSent":
		if ev.Type == proto.NetworkResourceTypeEventSource || ev.Type == proto.NetworkResourceTypeWebSocket ||
			ev.Type == proto.NetworkResourceTypeMedia || ev.Type == proto.NetworkResourceTypePing {
			return
		}
		s.change(func() {
			if s.network.open == nil {
				s.network.open = map[proto.NetworkRequestID]struct{}{}
			}
			s.network.open[ev.RequestID] = struct{}{}
			s.network.last = time.Now()
		})
	case "Network.loadingFinished", "Network.loadingFailed":
		s.change(func() {
			if _, ok := s.network.open[ev.RequestID]; ok {
				delete(s.network.open, ev.RequestID)
				s.network.last = time.Now()
			}
		})
	}
}

// trackNetwork counts requests while on. Of a pane that a goal has Chromium tells always.
func (s *state) trackNetwork(pg *page, on bool) {
	always := false
	s.change(func() { s.network, always = networkActivity{on: on}, s.alwaysTracksNetwork() })
	if always {
		return
	}
	if on {
		pg.Post(proto.NetworkEnable{})
	} else {
		pg.Post(networkOff)
	}
}
