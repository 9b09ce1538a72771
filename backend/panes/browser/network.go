package browser

import (
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/cdp"
)

// networkActivity holds the requests and announced navigations of the page while trackNetwork is on.
type networkActivity struct {
	on   bool
	open map[proto.NetworkRequestID]struct{}
	last time.Time // of the last request that began or ended, zero if there was none
	// leaving is the time at which the page announced a navigation, zero without one.
	leaving      time.Time
	opening      time.Time // when a window was opened that has no pane yet
	expectsDelay bool      // the effect of the action is usually delayed
	ref          string    // of the element that the action is about, whose own state is not a delayed effect
}

// onNetwork counts requests. It ignores requests that stay open by design.
func (s *State) onNetwork(e *cdp.Event) {
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

// trackNetwork turns the counting of requests on or off. In a goal's pane Chromium always
// reports them.
func (s *State) trackNetwork(pg *page, on bool) {
	always := false
	s.change(func() { s.network, always = networkActivity{on: on}, s.needsNetworkTracking() })
	if always {
		return
	}
	if on {
		pg.Post(proto.NetworkEnable{})
	} else {
		pg.Post(proto.NetworkDisable{})
	}
}
