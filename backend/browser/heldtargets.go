package browser

import (
	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
)

// heldTarget is a session that holds what no pane attaches to: workers that pages share,
// service workers, and windows until a pane has them.
type heldTarget struct {
	engine  *browserProcess
	network string // whose requests it makes
	target  proto.TargetTargetID
}

// pauseNewTargets makes Chromium hold such targets until onHeldTarget has seen them.
type pauseNewTargets struct{}

// ProtoReq is asked for by proto.
func (pauseNewTargets) ProtoReq() string { return "Target.setAutoAttach" }

// MarshalJSON gives the command's parameters.
func (pauseNewTargets) MarshalJSON() ([]byte, error) {
	return []byte(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,` +
		`"filter":[{"type":"service_worker"},{"type":"shared_worker"},{"type":"page"},{"exclude":true}]}`), nil
}

// onHeldTarget takes a target that Chromium holds, and one that is gone. Those that were
// attached to by a pane are not held.
func (m *Manager) onHeldTarget(e *cdp.Event) {
	var ev struct {
		SessionID          proto.TargetSessionID `json:"sessionId"`
		WaitingForDebugger bool                  `json:"waitingForDebugger"`
		TargetInfo         struct {
			TargetID         proto.TargetTargetID          `json:"targetId"`
			BrowserContextID proto.BrowserBrowserContextID `json:"browserContextId"`
		} `json:"targetInfo"`
	}
	if !decode(e, &ev) || ev.SessionID == "" {
		return
	}
	m.mu.Lock()
	if e.Method == "Target.detachedFromTarget" {
		delete(m.guards, ev.SessionID)
		m.mu.Unlock()
		return
	}
	engine := m.engines[goalEngine]
	if !ev.WaitingForDebugger || engine == nil {
		m.mu.Unlock()
		return
	}
	network := ""
	if held, ok := engine.networks.Load(ev.TargetInfo.BrowserContextID); ok {
		network, _ = held.(string)
	}
	m.guards[ev.SessionID] = &heldTarget{engine, network, ev.TargetInfo.TargetID}
	m.mu.Unlock()
	gates := m.fetchPatterns()
	gates.HandleAuthRequests = false // a pane's session asks
	engine.Post(ev.SessionID, gates)
	engine.Post(ev.SessionID, proto.RuntimeRunIfWaitingForDebugger{})
}

// releaseTarget lets go of a window that a pane has.
func (m *Manager) releaseTarget(target proto.TargetTargetID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for session, g := range m.guards {
		if g.target == target {
			delete(m.guards, session)
			g.engine.Post("", proto.TargetDetachFromTarget{SessionID: session})
		}
	}
}

// onHeldTargetEvent takes an event of a guard's session.
func (m *Manager) onHeldTargetEvent(g *heldTarget, e *cdp.Event) {
	session := proto.TargetSessionID(e.SessionID)
	var ev proto.FetchRequestPaused
	if e.Method != "Fetch.requestPaused" || !decode(e, &ev) {
		return
	}
	why := m.blockReason(g.network, ev.Request)
	if why == "" {
		g.engine.Post(session, proto.FetchContinueRequest{RequestID: ev.RequestID})
		return
	}
	for _, p := range m.panesOf(g.network) {
		p.activity.noticeForBoth("%s", blockedNotice(ev.Request, why))
	}
	g.engine.Post(session, proto.FetchFailRequest{RequestID: ev.RequestID, ErrorReason: proto.NetworkErrorReasonBlockedByClient})
}

func (m *Manager) heldTarget(session proto.TargetSessionID) *heldTarget {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.guards[session]
}
