package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/storage/store"
)

// post is a tool whose effect is to send data to a host. It sends nothing.
type post struct {
	mu   sync.Mutex
	sent []string
	// effects and previews count how often the host asked for the effect and the preview of a call.
	effects, previews int
	away              string        // the host to which later calls would send instead
	more              string        // added to the preview
	hold              chan struct{} // if set, a call waits until it is closed
	runs              chan struct{} // if hold is set, receives when a call has begun
}

type postArgs struct{ Host, Text string }

func (*post) Spec() goal.ToolSpec { return goal.ToolSpec{Name: "post"} }

func (p *post) Effect(_ context.Context, raw json.RawMessage) (policy.Effect, error) {
	var a postArgs
	if err := json.Unmarshal(raw, &a); err != nil {
		return policy.Effect{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.effects++
	if p.away != "" {
		a.Host = p.away
	}
	if a.Host == "shell.example" {
		return policy.Effect{Risk: policy.WriteLocal, Pane: "t9"}, nil
	}
	if a.Host == "pay.example" {
		return policy.Effect{Risk: policy.SpendsMoney, Hosts: []string{a.Host}}, nil
	}
	return policy.Effect{Risk: policy.NetworkWrite, Hosts: []string{a.Host}, Reason: "POST to " + a.Host}, nil
}

func (p *post) Show(_ context.Context, c goal.Call) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.previews++
	return "POST " + c.Arguments + p.more
}

func (p *post) Do(_ context.Context, raw json.RawMessage) goal.Result {
	if p.hold != nil {
		p.runs <- struct{}{}
		<-p.hold
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, string(raw))
	return goal.Result{OK: true, Text: "sent"}
}

func (p *post) times() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sent)
}

func (p *post) move(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = host
}

const posting = `post {"host":"shop.example","text":"x"}`

// BlockedHosts and ApplyGrants make the environment a session that blocks hosts.
func (en *environment) BlockedHosts() []policy.Effect {
	var list []policy.Effect
	for {
		select {
		case e := <-en.world.stops:
			list = append(list, e)
		default:
			return list
		}
	}
}

func (en *environment) ApplyGrants(list, now []policy.Grant) {
	en.world.mu.Lock()
	defer en.world.mu.Unlock()
	en.world.granted = append(en.world.granted, list)
	en.world.during = append(en.world.during, now)
}

func yes(request string, s policy.Scope) goal.Order {
	return goal.Order{Kind: goal.OrderApprove, Request: request, Scope: s}
}

func (w *world) approvals(g *goal.Goal) []goal.Approval {
	w.Helper()
	list, err := w.store.Approvals.List(w.Context(), g.ID)
	if err != nil {
		w.Fatal(err)
	}
	return list
}

func (w *world) grants(g *goal.Goal) []policy.Grant {
	w.Helper()
	list, err := w.store.Approvals.Grants(w.Context(), g.ID)
	if err != nil {
		w.Fatal(err)
	}
	return list
}

func (w *world) turns() int {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	return w.model.n
}

const finish = `write_file {"path":"done.txt","content":"x"}`

// TestApproval_Given_ExecutesTheCall: before the answer, no call is executed and no model is asked. A grant for once
// covers one call, and one for the host covers all calls to that host.
func TestApproval_Given_ExecutesTheCall(t *testing.T) {
	for _, c := range []struct {
		scope policy.Scope
		asked int
	}{{policy.ScopeOnce, 2}, {policy.ScopeHost, 1}, {"goal", 1}} {
		t.Run(string(c.scope), func(t *testing.T) {
			w := newWorld(t, call(posting), call(`post {"host":"shop.example","text":"y"}`), call(finish, pendingClaim))
			w.patience.Store(int64(time.Hour))
			g := w.create(nil)
			w.start(g, &event.Started{})
			w.await("approval_requested")
			a := w.approvals(g)[0]
			if a.ID != "a1" || a.Tool != "post" || !strings.Contains(a.Arguments, "shop.example") || a.Show == "" ||
				!strings.Contains(a.Why, "to send data") || len(a.Offers) != 2 {
				t.Errorf("%+v", a)
			}
			if w.post.times() != 0 || w.turns() != 1 {
				t.Errorf("%d calls and %d turns before the answer", w.post.times(), w.turns())
			}
			w.order(g, yes("a1", c.scope))
			if c.asked == 2 {
				w.await("step")
				w.awaitN("approval_requested", 2)
				w.order(g, yes("a2", c.scope))
			}
			expect(t, w.end(g), goal.Completed, goal.Done)
			if list := w.approvals(g); len(list) != c.asked || w.post.times() != 2 {
				t.Errorf("asked %d times for %d calls", len(list), w.post.times())
			}
			if list := w.grants(g); len(list) != 0 {
				t.Errorf("grants outlive the goal: %+v", list)
			}
		})
	}
}

// TestCall_EffectAndPreview_AreComputedOnce checks that they are computed only once more if the user was asked in
// between, and that an allowed call needs no preview.
func TestCall_EffectAndPreview_AreComputedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		scope             policy.Scope
		effects, previews int
	}{
		"asked each time": {policy.ScopeOnce, 4, 4},
		"asked once":      {policy.ScopeHost, 3, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, call(posting), call(posting), call(finish, pendingClaim))
			w.patience.Store(int64(time.Hour))
			g := w.create(nil)
			w.start(g, &event.Started{})
			w.await("approval_requested")
			w.post.mu.Lock()
			if w.post.effects != 1 || w.post.previews != 1 {
				t.Errorf("%d effects and %d previews before the answer", w.post.effects, w.post.previews)
			}
			w.post.mu.Unlock()
			w.order(g, yes("a1", c.scope))
			if c.scope == policy.ScopeOnce {
				w.awaitN("approval_requested", 2)
				w.order(g, yes("a2", c.scope))
			}
			expect(t, w.end(g), goal.Completed, goal.Done)
			if w.post.effects != c.effects || w.post.previews != c.previews {
				t.Errorf("%d effects and %d previews, want %d and %d", w.post.effects, w.post.previews, c.effects, c.previews)
			}
		})
	}
}

// TestApproval_ChangedPreview_IsComputedOnce: an approval from an earlier run covers only what the user was shown then.
// A changed preview becomes part of a new request.
func TestApproval_ChangedPreview_IsComputedOnce(t *testing.T) {
	w := newWorld(t, call(posting, finish), call(posting), call(finish, pendingClaim))
	g, row := w.run(nil)
	expect(t, row, goal.Paused, goal.NeedsUser)
	w.order(g, yes("a1", policy.ScopeOnce))
	w.post.more, w.post.effects, w.post.previews = " and a tip", 0, 0
	w.start(g, &event.Resumed{})
	expect(t, w.end(g), goal.Paused, goal.NeedsUser)
	if len(w.approvals(g)) != 2 || w.post.effects != 1 || w.post.previews != 1 {
		t.Errorf("asked %d times, with %d effects and %d previews", len(w.approvals(g)), w.post.effects, w.post.previews)
	}
}

// TestApproval_NoAnswer_PausesTheGoal also checks that the request stays open, and that the agent is informed of a
// later answer and may repeat the call.
func TestApproval_NoAnswer_PausesTheGoal(t *testing.T) {
	w := newWorld(t, call(posting, finish), call(posting), call(finish, pendingClaim))
	g, row := w.run(nil)
	expect(t, row, goal.Paused, goal.NeedsUser)
	if !strings.Contains(row.Report[0], "waits for an approval") || w.turns() != 1 || w.post.times() != 0 {
		t.Fatalf("%q, %d turns, %d calls", row.Report[0], w.turns(), w.post.times())
	}
	open, err := w.store.Approvals.OpenApprovals(t.Context(), "")
	if err != nil || len(open) != 1 || open[0].Goal != g.ID || open[0].Given != nil {
		t.Fatalf("%+v %v", open, err)
	}
	if steps, err := w.store.History.Steps(t.Context(), g.ID, 0, 9); err != nil || len(steps) != 1 ||
		steps[0].Outcome != event.Denied || !strings.Contains(steps[0].Preview, "waits for the user") {
		t.Errorf("%+v %v", steps, err)
	}
	w.order(g, yes("a1", policy.ScopeOnce))
	open, err = w.store.Approvals.OpenApprovals(t.Context(), g.ID)
	if err != nil || len(open) != 1 || open[0].Given == nil {
		t.Fatalf("an answer that waits is not seen: %+v %v", open, err)
	}
	w.start(g, &event.Resumed{})
	expect(t, w.end(g), goal.Completed, goal.Done)
	if reported := w.model.lastUser(1); !strings.Contains(reported, "The user allowed") ||
		!strings.Contains(reported, "not executed") {
		t.Errorf("told %q", reported)
	}
	if w.post.times() != 1 || len(w.approvals(g)) != 1 {
		t.Errorf("%d calls, asked %d times", w.post.times(), len(w.approvals(g)))
	}
}

func TestRefusal_IsReportedToTheModel(t *testing.T) {
	w := newWorld(t, call(posting), call(finish, pendingClaim))
	w.patience.Store(int64(time.Hour))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("approval_requested")
	w.order(g, goal.Order{Kind: goal.OrderDeny, Request: "a1", Text: "not from this machine"})
	expect(t, w.end(g), goal.Completed, goal.Done)
	reported := w.model.seen[1].Messages
	if last := reported[len(reported)-1].Text; !strings.Contains(last, "denied by the user") ||
		!strings.Contains(last, "not from this machine") {
		t.Errorf("told %q", last)
	}
	if w.post.times() != 0 {
		t.Error("executed although refused")
	}
}

// TestOnAsk_EachSetting_DecidesWithoutTheUser also checks that allow does not cover calls that always need the user.
func TestOnAsk_EachSetting_DecidesWithoutTheUser(t *testing.T) {
	w := newWorld(t, call(posting), call(finish, pendingClaim))
	_, row := w.run(func(g *goal.Goal) { g.Options.OnAsk = goal.OnAskAllow })
	expect(t, row, goal.Completed, goal.Done)
	if w.post.times() != 1 {
		t.Errorf("%d calls with allow", w.post.times())
	}
	w = newWorld(t, call(posting), call(finish, pendingClaim))
	g, row := w.run(func(g *goal.Goal) { g.Options.OnAsk = goal.OnAskDeny })
	expect(t, row, goal.Completed, goal.Done)
	if a := w.approvals(g)[0]; w.post.times() != 0 || a.Answer == nil || a.Answer.By != "policy" || a.Answer.Allowed {
		t.Errorf("%d calls with deny, %+v", w.post.times(), a.Answer)
	}
	// for blocked hosts, the call has ended, so allow cannot apply to once
	w = newWorld(t, call(posting), call(finish, pendingClaim))
	w.stops <- policy.Effect{
		Risk:   policy.NetworkGet,
		Hosts:  []string{"pkg.example"},
		Reason: "a program wanted to connect",
	}
	g, row = w.run(func(g *goal.Goal) { g.Options.OnAsk = goal.OnAskAllow })
	expect(t, row, goal.Completed, goal.Done)
	if list := w.approvals(g); len(list) != 2 || list[1].Answer == nil || !list[1].Answer.Allowed ||
		list[1].Answer.Grant.Scope != policy.ScopeHost {
		t.Errorf("blocked hosts with allow: %+v", list)
	}
	for _, host := range []string{"pay.example", "shell.example"} { // spending money, and the user's own shell
		w = newWorld(t, call(`post {"host":"`+host+`","text":"x"}`), call(finish, pendingClaim))
		_, row = w.run(func(g *goal.Goal) { g.Options.OnAsk, g.Policy.Risk = goal.OnAskAllow, policy.SpendsMoney })
		expect(t, row, goal.Paused, goal.NeedsUser)
	}
}

// TestPause_OpenApproval_StaysOpen also checks that a denial reaches the model after the goal is resumed.
func TestPause_OpenApproval_StaysOpen(t *testing.T) {
	w := newWorld(t, call(posting), call(finish, pendingClaim))
	w.patience.Store(int64(time.Hour))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("approval_requested")
	w.order(g, goal.Order{Kind: goal.OrderPause})
	row := w.end(g)
	expect(t, row, goal.Paused, goal.PausedByUser)
	if open, err := w.store.Approvals.OpenApprovals(t.Context(), g.ID); err != nil || len(open) != 1 {
		t.Errorf("%+v %v", open, err)
	}
	w.order(g, goal.Order{Kind: goal.OrderDeny, Request: "a1"})
	w.start(g, &event.Resumed{})
	expect(t, w.end(g), goal.Completed, goal.Done)
	if reported := w.model.lastUser(1); !strings.Contains(reported, "The user refused") {
		t.Errorf("told %q", reported)
	}
}

func TestAbort_OpenApproval_IsClosed(t *testing.T) {
	w := newWorld(t, call(posting))
	w.patience.Store(int64(time.Hour))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("approval_requested")
	w.order(g, goal.Order{Kind: goal.OrderAbort})
	expect(t, w.end(g), goal.Aborted, goal.AbortedByUser)
	open, err := w.store.Approvals.OpenApprovals(t.Context(), g.ID)
	if err != nil || len(open) != 0 || w.post.times() != 0 {
		t.Errorf("%+v %v, %d calls", open, err, w.post.times())
	}
}

// TestGrant_Revoked_NoLongerCovers checks that the next call asks the user again.
func TestGrant_Revoked_NoLongerCovers(t *testing.T) {
	hold := make(chan struct{})
	w := newWorld(t, call(posting), func(ctx context.Context, m goal.Turn) (goal.Reply, error) {
		<-hold
		return call(posting)(ctx, m)
	}, call(finish, pendingClaim))
	w.patience.Store(int64(time.Hour))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("approval_requested")
	w.order(g, yes("a1", policy.ScopeHost))
	w.await("step")
	if list := w.grants(g); len(list) != 1 || list[0].ID != "a1" || list[0].Hosts[0] != "shop.example" {
		t.Errorf("%+v", list)
	}
	w.order(g, goal.Order{Kind: goal.OrderRevoke, Request: "a1"})
	if list := w.grants(g); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	close(hold)
	w.awaitN("approval_requested", 2)
	w.order(g, goal.Order{Kind: goal.OrderDeny, Request: "a2"})
	expect(t, w.end(g), goal.Completed, goal.Done)
	if w.post.times() != 1 {
		t.Errorf("%d calls", w.post.times())
	}
}

// TestGrant_RevokedDuringCall_ClosesItsHosts checks that the hosts are closed before the call has ended.
func TestGrant_RevokedDuringCall_ClosesItsHosts(t *testing.T) {
	w := newWorld(t, call(posting), call(finish, pendingClaim))
	w.post.hold, w.post.runs = make(chan struct{}), make(chan struct{})
	w.patience.Store(int64(time.Hour))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("approval_requested")
	w.order(g, yes("a1", policy.ScopeHost))
	<-w.post.runs
	w.order(g, goal.Order{Kind: goal.OrderRevoke, Request: "a1"})
	w.await("grant_ended")
	w.mu.Lock()
	if grants, now := w.granted[len(w.granted)-1], w.during[len(w.during)-1]; len(grants)+len(now) > 0 {
		t.Errorf("while the call runs, %+v and %+v are open", grants, now)
	}
	w.mu.Unlock()
	close(w.post.hold)
	expect(t, w.end(g), goal.Completed, goal.Done)
}

// TestAllowOnce_AllowsTheCallsConnection checks that the host is open during the call and closed after it.
func TestAllowOnce_AllowsTheCallsConnection(t *testing.T) {
	w := newWorld(t, call(posting), call(finish, pendingClaim))
	w.patience.Store(int64(time.Hour))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("approval_requested")
	w.order(g, yes("a1", policy.ScopeOnce))
	expect(t, w.end(g), goal.Completed, goal.Done)
	w.mu.Lock()
	defer w.mu.Unlock()
	var open []policy.Grant
	for _, now := range w.during {
		open = append(open, now...)
	}
	if len(open) != 1 || open[0].Hosts[0] != "shop.example" || open[0].Risk != policy.NetworkWrite ||
		open[0].Tool != "post" || len(w.during[len(w.during)-1]) > 0 {
		t.Errorf("during the calls the session received %+v", w.during)
	}
}

// TestApproval_FormChangedWhileAsking_IsNotSent: if the page changes what its form would send while the user decides,
// the approval does not cover the call.
func TestApproval_FormChangedWhileAsking_IsNotSent(t *testing.T) {
	w := newWorld(t, call(posting), call(finish, pendingClaim))
	w.patience.Store(int64(time.Hour))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("approval_requested")
	w.post.mu.Lock()
	w.post.more = "\nto = somebody else"
	w.post.mu.Unlock()
	w.order(g, yes("a1", policy.ScopeOnce))
	expect(t, w.end(g), goal.Completed, goal.Done)
	reported := w.model.seen[1].Messages
	if last := reported[len(reported)-1].Text; w.post.times() != 0 ||
		!strings.Contains(last, "changed while the user was asked") {
		t.Errorf("%d calls, told %q", w.post.times(), last)
	}
}

// TestApproval_CallWouldDoSomethingElse_IsNotExecuted: an approval covers what the user was shown, not what the
// same call would do later.
func TestApproval_CallWouldDoSomethingElse_IsNotExecuted(t *testing.T) {
	w := newWorld(t, call(posting), call(finish, pendingClaim))
	w.patience.Store(int64(time.Hour))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("approval_requested")
	w.post.move("evil.example")
	w.order(g, yes("a1", policy.ScopeHost))
	expect(t, w.end(g), goal.Completed, goal.Done)
	reported := w.model.seen[1].Messages
	if last := reported[len(reported)-1].Text; w.post.times() != 0 ||
		!strings.Contains(last, "changed while the user was asked") {
		t.Errorf("%d calls, told %q", w.post.times(), last)
	}
}

// blockedHost is a host that a program wanted to reach.
func blockedHost(host string) policy.Effect {
	return policy.Effect{Risk: policy.NetworkGet, Hosts: []string{host}, Reason: "a program wanted to connect"}
}

// held is a turn that tells when it has begun, and goes on when the test says so.
func held(
	begun, goOn chan struct{}, turn func(context.Context, goal.Turn) (goal.Reply, error),
) func(context.Context, goal.Turn) (goal.Reply, error) {
	return func(ctx context.Context, t goal.Turn) (goal.Reply, error) {
		close(begun)
		<-goOn
		return turn(ctx, t)
	}
}

const runTrue = `run_command {"command":"true"}`

// TestNetwork_UnknownHost_AsksWithoutStopping: the agent learns what was refused and continues with the same turn and
// the next one. Without anything else to do, it waits. An approval opens the host for the rest of the goal.
func TestNetwork_UnknownHost_AsksWithoutStopping(t *testing.T) {
	w := newWorld(t, call(runTrue, `list_files {}`), call(`list_files {"path":"."}`), says("I need the host."),
		call(runTrue), call(finish, pendingClaim))
	w.patience.Store(int64(time.Hour))
	w.stops <- blockedHost("proxy.example")
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.awaitN("iteration", 3)
	if a := w.approvals(g)[0]; a.Tool != "run_command" || len(a.Offers) != 1 || a.Offers[0].Scope != policy.ScopeHost {
		t.Errorf("%+v", a)
	}
	if reported := w.model.lastUser(1); !strings.Contains(reported, "stopped from reaching proxy.example: ") ||
		!strings.Contains(reported, "Continue with what does not need it") {
		t.Errorf("told %q", reported)
	}
	w.stops <- blockedHost("proxy.example") // the grant covers this host, so the user is not asked again
	w.order(g, yes("a1", "goal"))
	expect(t, w.end(g), goal.Completed, goal.Done)
	if reported := w.model.lastUser(3); !strings.Contains(reported, "allowed it now") {
		t.Errorf("told %q", reported)
	}
	if n := len(w.approvals(g)); n != 1 {
		t.Errorf("asked %d times", n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	last := w.granted[len(w.granted)-1]
	if len(last) != 1 || last[0].Hosts[0] != "proxy.example" {
		t.Errorf("the session received %+v", w.granted)
	}
}

// TestNetwork_AnswerWhileTheAgentWorks_IsReported: the answer comes during another call, and a host that is still open
// to the user's answer is not asked about again.
func TestNetwork_AnswerWhileTheAgentWorks_IsReported(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	w := newWorld(t, call(runTrue), held(begun, goOn, call(runTrue)), call(finish, pendingClaim))
	w.patience.Store(int64(time.Hour))
	w.stops <- blockedHost("proxy.example")
	g := w.create(nil)
	w.start(g, &event.Started{})
	<-begun
	w.stops <- blockedHost("proxy.example")
	w.order(g, goal.Order{Kind: goal.OrderDeny, Request: "a1", Text: "not there"})
	close(goOn)
	expect(t, w.end(g), goal.Completed, goal.Done)
	if reported := w.model.lastUser(2); !strings.Contains(reported, "proxy.example, and the user refused it") ||
		!strings.Contains(reported, "The reason: not there.") {
		t.Errorf("told %q", reported)
	}
	if n := len(w.approvals(g)); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// TestNetwork_NobodyAnswers_PausesOnlyAtTheEnd: a goal that can be reached without the host is done. One that is stuck,
// gives up or ends its turn pauses for the answer.
func TestNetwork_NobodyAnswers_PausesOnlyAtTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		turns  []func(context.Context, goal.Turn) (goal.Reply, error)
		status goal.Status
		exit   goal.Exit
		reason string
	}{
		"reached": {
			[]func(context.Context, goal.Turn) (goal.Reply, error){call(runTrue), call(finish, pendingClaim)},
			goal.Completed, goal.Done, "",
		},
		"ends its turn": {
			[]func(context.Context, goal.Turn) (goal.Reply, error){call(runTrue), says("I need it.")},
			goal.Paused, goal.NeedsUser, "waits for an approval: it needs network access",
		},
		"gives up": {
			[]func(context.Context, goal.Turn) (goal.Reply, error){
				call(runTrue), call(`abort_with_report {"reason":"no index","what_was_learned":"nothing"}`),
			},
			goal.Paused, goal.NeedsUser, "got no further: no index",
		},
		"stuck": {
			[]func(context.Context, goal.Turn) (goal.Reply, error){call(runTrue), call(`read_file {"path":"x"}`)},
			goal.Paused, goal.NeedsUser, "got no further: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.turns...)
			w.stops <- blockedHost("proxy.example")
			_, row := w.run(nil)
			expect(t, row, c.status, c.exit)
			if !strings.Contains(strings.Join(row.Report, " "), c.reason) {
				t.Errorf("the report is %q", row.Report)
			}
		})
	}
}

// TestNetwork_RuleForNoAnswer_AppliesAfterTheTime: while a user may answer, the rule waits, and the agent does not.
func TestNetwork_RuleForNoAnswer_AppliesAfterTheTime(t *testing.T) {
	hands, begun, goOn := newHandClock(), make(chan struct{}), make(chan struct{})
	w := newWorldAt(t, hands, call(runTrue), held(begun, goOn, call(runTrue)), call(finish, pendingClaim))
	w.patience.Store(int64(10 * time.Minute))
	w.stops <- blockedHost("proxy.example")
	g := w.create(func(g *goal.Goal) { g.Options.OnAsk = goal.OnAskDeny })
	w.start(g, &event.Started{})
	<-begun
	if a := w.approvals(g)[0]; a.Answer != nil {
		t.Errorf("answered at once: %+v", a.Answer)
	}
	hands.move(11 * time.Minute)
	close(goOn)
	expect(t, w.end(g), goal.Completed, goal.Done)
	if reported := w.model.lastUser(2); !strings.Contains(reported, "the rule of this goal for when nobody answers") {
		t.Errorf("told %q", reported)
	}
}

// TestNetwork_SeveralHosts_AskAtOnce: if several hosts were blocked, there is one request for each, and the user can
// answer them together.
func TestNetwork_SeveralHosts_AskAtOnce(t *testing.T) {
	w := newWorld(t, call(runTrue), says("I need them."), call(finish, pendingClaim))
	for _, host := range []string{"a.example", "b.example", "c.example"} {
		w.stops <- blockedHost(host)
	}
	g := w.create(nil)
	w.start(g, &event.Started{})
	expect(t, w.end(g), goal.Paused, goal.NeedsUser)
	if n := len(w.approvals(g)); n != 3 {
		t.Fatalf("%d are asked", n)
	}
	w.order(g, yes("a1", "host"))
	w.order(g, goal.Order{Kind: goal.OrderDeny, Request: "a2"})
	w.order(g, yes("a3", "host"))
	w.start(g, &event.Resumed{})
	expect(t, w.end(g), goal.Completed, goal.Done)
	reported := w.model.lastUser(2)
	for _, part := range []string{"a.example", "c.example", "The user refused"} {
		if !strings.Contains(reported, part) {
			t.Errorf("%q is not in %q", part, reported)
		}
	}
	if n := len(w.approvals(g)); n != 3 {
		t.Errorf("asked %d times", n)
	}
}

// TestApproval_RecordedTwice_IsRefused checks that neither a request nor its answer can be replaced.
func TestApproval_RecordedTwice_IsRefused(t *testing.T) {
	w := newWorld(t, call(posting))
	g, row := w.run(nil)
	run := goal.Run{Goal: g.ID, ID: row.RunID}
	again := &event.ApprovalRequested{Approval: w.approvals(g)[0]}
	if err := w.store.Journal.Append(t.Context(), run, again); err == nil {
		t.Error("a request is made twice")
	}
	answer := &event.ApprovalResolved{Request: "a1", Answer: goal.Answer{By: "user"}}
	if err := w.store.Journal.Append(t.Context(), run, answer); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Journal.Append(t.Context(), run, answer); err == nil {
		t.Error("a request is answered twice")
	}
	if err := w.store.Journal.Append(t.Context(), goal.Run{Goal: g.ID, ID: store.NewID()},
		&event.GrantEnded{Request: "a1"}); err == nil {
		t.Error("another run writes")
	}
}

// forgetful is a history whose next RunHistory fails if cut is set.
type forgetful struct {
	*store.History
	cut atomic.Bool
}

func (f *forgetful) RunHistory(ctx context.Context, id goal.ID, steps int) (goal.RunHistory, error) {
	if f.cut.Swap(false) {
		return goal.RunHistory{}, errors.New("the disk is away")
	}
	return f.History.RunHistory(ctx, id, steps)
}

// TestAnswer_RunWasCut_IsDeliveredByTheNext: a run ends before it reports an approval that the user answered in a
// pause, or that the goal's end closed. The next run reports it once, in its first message.
func TestAnswer_RunWasCut_IsDeliveredByTheNext(t *testing.T) {
	const honest = `abort_with_report {"reason":"no","what_was_learned":"nothing"}`
	for name, c := range map[string]struct {
		order *goal.Order
		words string
	}{
		"answered": {&goal.Order{Kind: goal.OrderDeny, Request: "a1", Text: "not there"}, "The reason: not there."},
		"closed":   {nil, "Nobody answered this before the goal ended"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, call(posting), call(honest))
			f := &forgetful{History: w.store.History}
			j := storeOf(w.store)
			j.History = f
			w.runs(j)
			g := w.create(nil)
			w.start(g, &event.Started{})
			row := w.end(g)
			expect(t, row, goal.Paused, goal.NeedsUser)
			if c.order != nil {
				w.order(g, *c.order)
			} else {
				run := goal.Run{Goal: g.ID, ID: row.RunID}
				if err := w.store.Journal.Append(t.Context(), run, &event.Ended{
					Status: goal.Aborted,
					Exit:   goal.AbortedByUser,
					Report: []string{"x"},
				}); err != nil {
					t.Fatal(err)
				}
			}
			f.cut.Store(true)
			w.start(g, &event.Resumed{})
			expect(t, w.end(g), goal.Failed, goal.ExitError)
			for i, times := range []int{1, 1} { // the second run reports it, and the third only has it in its history
				w.start(g, &event.Resumed{})
				expect(t, w.end(g), goal.Aborted, goal.GaveUp)
				reported := 0
				for _, m := range w.model.seen[i+1].Messages {
					reported += strings.Count(m.Text, c.words)
				}
				if reported != times {
					t.Errorf("run %d got %d reports", i, reported)
				}
			}
		})
	}
}
