package browser

import (
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/cdp"
)

// heldTargets are the targets that Chromium pauses and no pane attaches to. Its mutex is never
// held during a call of the manager.
type heldTargets struct {
	manager *Manager

	mu      sync.Mutex
	targets map[proto.TargetSessionID]*heldTarget
}

// heldTarget is the session of a paused target that belongs to no pane: a shared worker, a
// service worker, or a window until a pane has it.
type heldTarget struct {
	process *browserProcess
	network string // the goal whose network it uses
	target  proto.TargetTargetID
}

// onTarget handles a target that Chromium paused or removed. A target that a pane has attached to
// is not held.
func (h *heldTargets) onTarget(e *cdp.Event) {
	var ev struct {
		SessionID          proto.TargetSessionID `json:"sessionId"`
		WaitingForDebugger bool                  `json:"waitingForDebugger"`
		TargetInfo         struct {
			TargetID         proto.TargetTargetID          `json:"targetId"`
			BrowserContextID proto.BrowserBrowserContextID `json:"browserContextId"`
		} `json:"targetInfo"`
	}
	if !decodeEvent(e, &ev) || ev.SessionID == "" {
		return
	}
	if e.Method == "Target.detachedFromTarget" {
		h.mu.Lock()
		delete(h.targets, ev.SessionID)
		h.mu.Unlock()
		return
	}
	process := h.manager.findProcess(goalProcess)
	if !ev.WaitingForDebugger || process == nil {
		return
	}
	network := ""
	if value, ok := process.networks.Load(ev.TargetInfo.BrowserContextID); ok {
		network, _ = value.(string)
	}
	h.mu.Lock()
	h.targets[ev.SessionID] = &heldTarget{process, network, ev.TargetInfo.TargetID}
	h.mu.Unlock()
	gates := h.manager.rules.fetchPatterns()
	gates.HandleAuthRequests = false // the session of a pane handles them
	process.Post(ev.SessionID, gates)
	process.Post(ev.SessionID, proto.RuntimeRunIfWaitingForDebugger{})
}

// release gives up a window that now has a pane.
func (h *heldTargets) release(target proto.TargetTargetID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for session, g := range h.targets {
		if g.target == target {
			delete(h.targets, session)
			g.process.Post("", proto.TargetDetachFromTarget{SessionID: session})
		}
	}
}

// onEvent handles an event of a held target's session.
func (h *heldTargets) onEvent(g *heldTarget, e *cdp.Event) {
	session := proto.TargetSessionID(e.SessionID)
	var ev proto.FetchRequestPaused
	if e.Method != "Fetch.requestPaused" || !decodeEvent(e, &ev) {
		return
	}
	why := h.manager.rules.blockReason(g.network, ev.Request)
	if why == "" {
		g.process.Post(session, proto.FetchContinueRequest{RequestID: ev.RequestID})
		return
	}
	for _, p := range h.manager.panesOf(g.network) {
		p.Activity.noticeForBoth("%s", blockedNotice(ev.Request, why))
	}
	g.process.Post(session, proto.FetchFailRequest{
		RequestID:   ev.RequestID,
		ErrorReason: proto.NetworkErrorReasonBlockedByClient,
	})
}

// get returns the target of a session, nil if none is held.
func (h *heldTargets) get(session proto.TargetSessionID) *heldTarget {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.targets[session]
}
