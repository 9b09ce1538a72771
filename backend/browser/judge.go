package browser

import (
	"fmt"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// Sent is a request that a page makes.
type Sent struct {
	GoalID      string
	Lent        bool // by a page of the person
	Method, URL string
}

// judged says whether every request of a goal's pages stops for its judgement.
func (m *Manager) judged(network string) bool {
	return network != "" && m.cfg.Judged != nil && m.cfg.Judge != nil && m.cfg.Judged(network)
}

// refusal says why a request of a page of this network may not be made, "" if it may.
func (m *Manager) refusal(network string, r *proto.NetworkRequest) (why string) {
	if r == nil || !m.judged(network) {
		return ""
	}
	return m.cfg.Judge(Sent{GoalID: network, Method: r.Method, URL: r.URL})
}

// barred says why a request of the pane's page may not be made, "" if it may.
func (p *Pane) barred(r *proto.NetworkRequest) (why string) {
	p.mu.Lock()
	lent := p.lent
	p.mu.Unlock()
	if lent == "" {
		return p.m.refusal(p.network, r)
	}
	if r == nil || p.m.cfg.Judge == nil {
		return ""
	}
	return p.m.cfg.Judge(Sent{GoalID: lent, Lent: true, Method: r.Method, URL: r.URL})
}

// refusedByPolicy is what the person reads beside the page and the agent in its result.
func refusedByPolicy(r *proto.NetworkRequest, why string) string {
	return fmt.Sprintf("refused by this goal's policy: %s to %s: %s. A tool that sends something there, such as a click on its button, asks the person for this host; or use ask_operator",
		clean(r.Method, 20), originOf(r.URL), clean(why, 200))
}

// noteSent tells of a request that nobody judged.
func (p *Pane) noteSent(method, address string) {
	p.mu.Lock()
	goalID, lent := p.lease(), p.goalID == ""
	p.mu.Unlock()
	if goalID == "" || p.m.cfg.OnRequest == nil || !lent && p.m.judged(p.network) {
		return
	}
	p.m.cfg.OnRequest(Sent{GoalID: goalID, Lent: lent, Method: method, URL: address})
}

// guard is a session that holds what no pane attaches to: workers that pages share,
// service workers, and windows until a pane has them.
type guard struct {
	engine  *engine
	network string // whose requests it makes
	target  proto.TargetTargetID
}

// guardTargets makes Chromium hold such targets until onGuard has seen them.
type guardTargets struct{}

// ProtoReq is asked for by proto.
func (guardTargets) ProtoReq() string { return "Target.setAutoAttach" }

// MarshalJSON gives the command's parameters.
func (guardTargets) MarshalJSON() ([]byte, error) {
	return []byte(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,` +
		`"filter":[{"type":"service_worker"},{"type":"shared_worker"},{"type":"page"},{"exclude":true}]}`), nil
}

// onGuard takes a target that Chromium holds, and one that is gone. Those that were
// attached to by a pane are not held.
func (m *Manager) onGuard(e *cdp.Event) {
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
	m.guards[ev.SessionID] = &guard{engine, network, ev.TargetInfo.TargetID}
	m.mu.Unlock()
	gates := m.gates()
	gates.HandleAuthRequests = false // a pane's session asks
	engine.post(ev.SessionID, gates)
	engine.post(ev.SessionID, proto.RuntimeRunIfWaitingForDebugger{})
}

// unguard lets go of a window that a pane has.
func (m *Manager) unguard(target proto.TargetTargetID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for session, g := range m.guards {
		if g.target == target {
			delete(m.guards, session)
			g.engine.post("", proto.TargetDetachFromTarget{SessionID: session})
		}
	}
}

// onGuarded takes an event of a guard's session.
func (m *Manager) onGuarded(g *guard, e *cdp.Event) {
	session := proto.TargetSessionID(e.SessionID)
	var ev proto.FetchRequestPaused
	if e.Method != "Fetch.requestPaused" || !decode(e, &ev) {
		return
	}
	why := m.refusal(g.network, ev.Request)
	if why == "" {
		g.engine.post(session, proto.FetchContinueRequest{RequestID: ev.RequestID})
		return
	}
	for _, p := range m.panesOf(g.network) {
		p.report("%s", refusedByPolicy(ev.Request, why))
	}
	g.engine.post(session, proto.FetchFailRequest{RequestID: ev.RequestID, ErrorReason: proto.NetworkErrorReasonBlockedByClient})
}

func (m *Manager) guardOf(session proto.TargetSessionID) *guard {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.guards[session]
}

func (m *Manager) panesOf(network string) []*Pane {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []*Pane
	for _, p := range m.panes {
		if p.network == network {
			list = append(list, p)
		}
	}
	return list
}
