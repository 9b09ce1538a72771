package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/host/notify/notifytest"
	"goalpost/backend/lib/waittest"
)

// hookToken is in the address of a webhook, which nobody may see.
const hookToken = "T0K3N-hookaddress-4711"

// received is a message in our own form.
type received struct {
	Event, Title, Text, Asked, Time, Link string
	Urgent                                bool
	Waited                                int `json:"waited_seconds"`
	Goal                                  *struct{ ID, Objective, Status string }
}

// hookServer is a service of the user.
type hookServer struct {
	*testing.T
	*httptest.Server
	messages chan received
	status   atomic.Int32 // of its answers
	asked    atomic.Int32 // how many requests it received
}

func startHook(t *testing.T) *hookServer {
	t.Helper()
	h := &hookServer{T: t, messages: make(chan received, 64)}
	h.status.Store(http.StatusOK)
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		var m received
		if err == nil {
			err = json.Unmarshal(b, &m)
		}
		if err != nil || r.URL.Path != "/"+hookToken {
			t.Errorf("%s: %v: %s", r.URL.Path, err, b)
		}
		h.asked.Add(1)
		status := int(h.status.Load())
		w.WriteHeader(status)
		if status == http.StatusOK {
			h.messages <- m
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// next waits for the next message that arrived.
func (h *hookServer) next() received {
	h.Helper()
	select {
	case m := <-h.messages:
		return m
	case <-time.After(late):
		h.Fatal("no message arrived")
		panic("unreachable")
	}
}

// addHook adds the server as a webhook of a program.
func (p *program) addHook(h *hookServer, events ...string) *calls.WebhookAPI {
	p.Helper()
	hooks := area[*calls.WebhookAPI](p.T, p.app)
	_, err := hooks.Save(api.ArgsSaveWebhook{
		Name: "own", Form: "generic", Events: events, PlainHTTP: true, URL: h.URL + "/" + hookToken,
	})
	must(p.T, err)
	return hooks
}

// startAsking starts a goal that opens one page of a host that needs an approval, and then gives up.
func (p *program) startAsking(objective string) string {
	p.Helper()
	p.provide(turns(
		call("browser_open", `{"url":"http://first.invalid/"}`),
		call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`),
	))
	return p.startAnother(objective)
}

func (p *program) startAnother(objective string) string {
	p.Helper()
	in := goal.Request{Objective: objective, Options: goal.Options{CriticEvery: goal.NoLimit}}
	in.Checks, in.Policy.Dir = shell("test -f never"), p.TempDir()
	out, err := p.goal.Start(in)
	must(p.T, err)
	return out.GoalID
}

// asksFor waits until a goal asks for an approval.
func (p *program) asksFor(id string) {
	p.Helper()
	p.await("the approval of "+id, func(e event.Event) bool {
		_, ok := e.Body.(*event.ApprovalRequested)
		return ok && string(e.GoalID) == id
	})
}

func (p *program) deny(id string) {
	p.Helper()
	_, err := area[*calls.ApprovalAPI](p.T, p.app).Answer([]calls.AnswerInput{{GoalID: id, Request: "a1"}})
	must(p.T, err)
}

// TestWebhook_GoalAsksAndEnds_ReceivesBoth also checks that the address, which is a secret, is in no file, and that a
// program that starts later sends nothing old.
func TestWebhook_GoalAsksAndEnds_ReceivesBoth(t *testing.T) {
	t.Parallel()
	hook, home := startHook(t), t.TempDir()
	p := start(t, home)
	s := p.cfg.Settings()
	s.LinkAddress = "https://desk.example/"
	must(t, p.cfg.SaveSettings(s))
	hooks := p.addHook(hook, "needs_you", "ended")
	id := p.startAsking("open a page")

	m := hook.next()
	if m.Event != "needs_you" || m.Title != "A goal needs you" || !m.Urgent || m.Goal == nil || m.Goal.ID != id ||
		m.Goal.Objective != "open a page" || !strings.Contains(m.Asked, "url: http://first.invalid/") ||
		m.Text != "open a page\n"+m.Asked || m.Link != "https://desk.example/?goal="+id {
		t.Errorf("%+v", m)
	}
	p.deny(id)
	p.done(id)
	if m := hook.next(); m.Event != "ended" || !strings.HasPrefix(m.Title, "A goal ended") || m.Asked != "" {
		t.Errorf("%+v", m)
	}
	list, err := hooks.List()
	must(t, err)
	if len(list) != 1 || list[0].Host != "127.0.0.1" || list[0].FailedAt != "" {
		t.Errorf("%+v", list)
	}
	must(t, p.app.Close(t.Context()))
	must(t, filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), hookToken) {
			t.Errorf("%s has the address of the webhook", path)
		}
		return err
	}))
	before := hook.asked.Load()
	again := start(t, home)
	_, err = area[*calls.WebhookAPI](t, again.app).Test("own")
	must(t, err)
	if m := hook.next(); m.Event != "test" || hook.asked.Load() != before+1 {
		t.Errorf("after the start: %d requests, %+v", hook.asked.Load()-before, m)
	}
}

// TestWebhook_ServiceFails_IsShownUntilAMessageArrives: the pauses are those of the test's clock.
func TestWebhook_ServiceFails_IsShownUntilAMessageArrives(t *testing.T) {
	t.Parallel()
	hook, clock := startHook(t), newJumpClock(t)
	p := startWith(t, t.TempDir(), clock)
	hooks := p.addHook(hook, "ended")
	hook.status.Store(http.StatusInternalServerError)
	p.provide(func(int, modeltest.Request) modeltest.Answer {
		return call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)
	})
	p.done(p.startAnother("give up"))
	clock.jumpOver(t, 2*time.Second)
	clock.jumpOver(t, 10*time.Second)
	var list []api.Webhook
	waittest.Until(t, "the failure of the delivery", func() (failed bool) {
		var err error
		list, err = hooks.List()
		must(t, err)
		return list[0].FailedAt != ""
	})
	if hook.asked.Load() != 3 || !strings.Contains(list[0].Failure, "it answered 500 Internal Server Error") ||
		strings.Contains(list[0].Failure, hookToken) {
		t.Errorf("%d requests: %+v", hook.asked.Load(), list)
	}
	if _, err := hooks.Test("own"); err == nil || strings.Contains(err.Error(), hookToken) {
		t.Errorf("%v", err)
	}
	hook.status.Store(http.StatusOK)
	got, err := hooks.Test("own")
	if must(t, err); got.Status != http.StatusOK {
		t.Errorf("%+v", got)
	}
	if list, err = hooks.List(); err != nil || list[0].FailedAt != "" {
		t.Errorf("%+v %v", list, err)
	}
}

// TestWebhook_Removed_CanBePutBack: its address leaves the secrets, and comes back with it.
func TestWebhook_Removed_CanBePutBack(t *testing.T) {
	t.Parallel()
	hook := startHook(t)
	p := start(t, t.TempDir())
	hooks := p.addHook(hook, "ended")
	_, err := hooks.Delete("own")
	must(t, err)
	if list, err := hooks.List(); err != nil || len(list) != 0 {
		t.Errorf("%+v %v", list, err)
	}
	if secrets, err := p.app.Secrets().List(); err != nil || len(secrets) != 0 {
		t.Errorf("%+v %v", secrets, err)
	}
	_, err = hooks.Restore("own")
	must(t, err)
	_, err = hooks.Test("own")
	must(t, err)
	hook.next()
	if _, err := hooks.Restore("own"); err == nil {
		t.Error("it was put back twice")
	}
	for _, in := range []api.ArgsSaveWebhook{
		{Name: "a b", Form: "generic", Events: []string{"ended"}, URL: "https://x.example/" + hookToken},
		{Name: "a", Form: "generic", URL: "https://x.example/" + hookToken},
		{Name: "a", Form: "generic", Events: []string{"all"}, URL: "https://x.example/" + hookToken},
		{Name: "a", Form: "generic", Events: []string{"ended"}},
		{Name: "a", Form: "generic", Events: []string{"ended"}, URL: "http://x.example/" + hookToken},
	} {
		if _, err := hooks.Save(in); err == nil || strings.Contains(err.Error(), hookToken) {
			t.Errorf("%+v: %v", in, err)
		}
	}
}

// TestQuietHours_StillNeedsYouAtTheirEnd_ArrivesAsOneMessage: of two requests in quiet hours, the answered one is left
// out, and the other one arrives with the end of its goal, at the webhook and on the desktop of a real session bus.
func TestQuietHours_StillNeedsYouAtTheirEnd_ArrivesAsOneMessage(t *testing.T) {
	screen := notifytest.Open(t, startBus(t, t.TempDir()), "actions")
	hook, clock := startHook(t), newJumpClock(t)
	p := startWith(t, t.TempDir(), clock)
	p.addHook(hook, "needs_you", "ended")
	now := clock.Now().Local()
	s := p.cfg.Settings()
	s.QuietHours = now.Add(-time.Hour).Format("15:04") + "-" + now.Add(2*time.Hour).Format("15:04")
	s.ApprovalMinutes = 1440
	must(t, p.cfg.SaveSettings(s))

	answered := p.startAsking("answered at night")
	p.asksFor(answered)
	p.deny(answered)
	p.done(answered)
	waiting := p.startAnother("waits until the morning")
	p.asksFor(waiting)
	waittest.Until(t, "two messages to be held back", func() bool { return p.app.UnsentNotices() == 2 })
	clock.jump(30 * time.Minute) // longer than a reminder needs
	if n := hook.asked.Load(); n != 0 || !screen.IsEmpty() {
		t.Fatalf("%d messages in quiet hours, or a notification", n)
	}
	clock.jump(2 * time.Hour)
	m := hook.next()
	if m.Event != "summary" || m.Title != "1 goal needs you, 1 goal ended" || !m.Urgent ||
		!strings.Contains(m.Text, "waits until the morning: a goal needs you") ||
		!strings.Contains(m.Text, "answered at night: a goal ended") {
		t.Errorf("%+v", m)
	}
	if shown := screen.Next(); shown.Title != m.Title || !strings.Contains(shown.Text, "waits until the morning") {
		t.Errorf("%+v", shown)
	}
	p.deny(waiting)
	p.done(waiting)
	if m := hook.next(); m.Event != "ended" || hook.asked.Load() != 2 { // no reminder came besides
		t.Errorf("%d messages, then %+v", hook.asked.Load(), m)
	}
}

// TestReminder_RequestWaits_IsAnnouncedOnceMore: once, with the time that it has waited. On the desktop it replaces the
// first notification, and its button answers the request.
func TestReminder_RequestWaits_IsAnnouncedOnceMore(t *testing.T) {
	screen := notifytest.Open(t, startBus(t, t.TempDir()), "actions")
	hook, clock := startHook(t), newJumpClock(t)
	p := startWith(t, t.TempDir(), clock)
	p.addHook(hook, "needs_you", "ended")
	s := p.cfg.Settings()
	s.ApprovalMinutes = 1440
	must(t, p.cfg.SaveSettings(s))
	id := p.startAsking("wait")
	if m := hook.next(); m.Title != "A goal needs you" || m.Waited != 0 {
		t.Errorf("%+v", m)
	}
	first := screen.Next()
	clock.jump(9 * time.Minute)
	m := hook.next()
	if m.Title != "A goal has waited 9 minutes for you" || m.Waited != 540 || m.Event != "needs_you" || m.Goal.ID != id ||
		!strings.Contains(m.Asked, "first.invalid") {
		t.Errorf("%+v", m)
	}
	again := screen.Next()
	if again.Title != m.Title || screen.Withdrawn() != first.ID {
		t.Errorf("%+v replaced %+v", again, first)
	}
	clock.jump(9 * time.Minute)
	screen.Press(again, "Deny")
	p.done(id)
	if m := hook.next(); m.Event != "ended" || hook.asked.Load() != 3 {
		t.Errorf("%d messages, then %+v", hook.asked.Load(), m)
	}
}

// TestDigest_TimeOfDay_ArrivesOnceADay: only a webhook that chose it receives it, and a time before the user chose one
// is not made up for.
func TestDigest_TimeOfDay_ArrivesOnceADay(t *testing.T) {
	t.Parallel()
	hook, clock, home := startHook(t), newJumpClock(t), t.TempDir()
	p := startWith(t, home, clock)
	p.addHook(hook, "digest")
	p.provide(func(int, modeltest.Request) modeltest.Answer {
		return call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)
	})
	p.done(p.startAnother("give up\nsoon"))
	now := clock.Now().Local()
	setTime := func(at time.Time) {
		s := p.cfg.Settings()
		s.DigestAt = at.Format("15:04")
		must(t, p.cfg.SaveSettings(s))
	}
	setTime(now.Add(2 * time.Hour))
	clock.jumpOver(t, time.Minute) // the notifier knows the time, and waits for it
	if n := hook.asked.Load(); n != 0 || p.app.UnsentNotices() != 1 {
		t.Errorf("%d messages before its time, %d planned", n, p.app.UnsentNotices())
	}
	clock.jump(2*time.Hour + time.Minute)
	m := hook.next()
	if m.Event != "digest" || m.Title != "Your goals: 1 failed" || m.Goal != nil ||
		!strings.HasPrefix(m.Text, "Failed: give up ($0.00)\n0 still running") {
		t.Errorf("%+v", m)
	}
	p.done(p.startAnother("give up again"))
	clock.jump(24 * time.Hour)
	if m := hook.next(); m.Event != "digest" || !strings.Contains(m.Text, "give up again") {
		t.Errorf("%+v", m)
	}
	if n := hook.asked.Load(); n != 2 {
		t.Errorf("%d messages", n)
	}
}
