package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Activity records what happens on the page, for the agent: the console, the requests, and the
// events during its action. The state's mutex guards its fields, because the driver of the pane
// decides whether anything is recorded.
type Activity struct {
	state *State

	actionEvents []string // since the agent's action began
	journal      activityLog
}

// maxJournalEntries limits the lines of the console, and the requests, that a pane remembers.
const maxJournalEntries = 200

// activityLog holds the latest console lines and requests of a page, for the agent. It records nothing while
// a user has a goal's pane.
type activityLog struct {
	console []string
	network []Request
	from    time.Time // earlier events are left out, even if they are reported later
}

// Request is something that a page fetched.
type Request = pane.Request

// fromUnixMillis converts milliseconds since 1970, as Chromium's console reports times.
func fromUnixMillis(ms float64) time.Time { return time.UnixMicro(int64(ms * 1000)) }

// onConsole records a line of the page's console.
func (ac *Activity) onConsole(e *cdp.Event) {
	var ev struct {
		Type      string  `json:"type"`
		Timestamp float64 `json:"timestamp"`
		Args      []struct {
			Value       json.RawMessage `json:"value"`
			Description string          `json:"description"`
		} `json:"args"`
	}
	if !decodeEvent(e, &ev) {
		return
	}
	words := make([]string, 0, len(ev.Args))
	for _, a := range ev.Args {
		var word string
		switch {
		case json.Unmarshal(a.Value, &word) == nil:
			words = append(words, word)
		case a.Description != "":
			words = append(words, a.Description)
		default:
			words = append(words, string(a.Value))
		}
	}
	ac.logConsole(fromUnixMillis(ev.Timestamp), text.SanitizeLine(ev.Type+": "+strings.Join(words, " "), 500))
}

func (ac *Activity) onException(e *cdp.Event) {
	var ev proto.RuntimeExceptionThrown
	if decodeEvent(e, &ev) && ev.ExceptionDetails != nil {
		what := exceptionError(ev.ExceptionDetails).Error()
		ac.logConsole(fromUnixMillis(float64(ev.Timestamp)), text.SanitizeLine("error: "+what, 500))
		ac.noteScriptError(text.SanitizeLine(what, 200))
	}
}

// noteScriptError adds the first error of the page's script to the result of the agent's next action, which may have
// had no effect because of it.
func (ac *Activity) noteScriptError(what string) {
	ac.state.mu.Lock()
	defer ac.state.mu.Unlock()
	noted := slices.ContainsFunc(ac.actionEvents, func(e string) bool { return strings.HasPrefix(e, scriptFailed) })
	if ac.state.isActivityLogged() && !noted {
		ac.actionEvents = append(ac.actionEvents, what)
	}
}

func (ac *Activity) logConsole(at time.Time, line string) {
	ac.state.mu.Lock()
	defer ac.state.mu.Unlock()
	if ac.state.isActivityLogged() && !at.Before(ac.journal.from) {
		ac.journal.console = recentEntries(append(ac.journal.console, line))
	}
}

func recentEntries[T any](list []T) []T { return list[max(0, len(list)-maxJournalEntries):] }

// noteRequest records what the page fetches while trackNetwork is on.
func (ac *Activity) noteRequest(e *cdp.Event) {
	var ev struct {
		RequestID proto.NetworkRequestID       `json:"requestId"`
		WallTime  float64                      `json:"wallTime"` // seconds; only when a request is sent
		LoaderID  proto.NetworkLoaderID        `json:"loaderId"`
		FrameID   proto.PageFrameID            `json:"frameId"`
		Type      string                       `json:"type"`
		Request   struct{ Method, URL string } `json:"request"`
		Response  struct{ Status int }         `json:"response"`
		ErrorText string                       `json:"errorText"`
		Redirect  *struct{ Status int }        `json:"redirectResponse"`
	}
	if !decodeEvent(e, &ev) {
		return
	}
	if e.Method == "Network.requestWillBeSent" {
		ac.notifyRequest(ev.Request.Method, ev.Request.URL)
	}
	ac.state.mu.Lock()
	defer ac.state.mu.Unlock()
	if e.Method == "Network.requestWillBeSent" && ev.Type == "Document" && ac.state.page != nil &&
		ev.FrameID == ac.state.page.mainFrame() {
		ac.state.load.posting = ""
		if ev.Request.Method != "GET" {
			ac.state.load.posting = ev.LoaderID
		}
	}
	if !ac.state.isActivityLogged() {
		return
	}
	list := ac.journal.network
	i := -1
	for j := range list {
		if list[j].ID == string(ev.RequestID) {
			i = j
		}
	}
	switch {
	case e.Method == "Network.requestWillBeSent":
		if fromUnixMillis(ev.WallTime * 1000).Before(ac.journal.from) {
			return
		}
		if i >= 0 && ev.Redirect != nil {
			list[i].Status = ev.Redirect.Status
		}
		ac.journal.network = recentEntries(append(list, Request{
			Method: text.SanitizeLine(ev.Request.Method, 20),
			URL:    text.SanitizeLine(ev.Request.URL, 500),
			ID:     string(ev.RequestID),
			Kind:   text.SanitizeLine(ev.Type, 20),
		}))
	case i < 0:
	case e.Method == "Network.responseReceived":
		list[i].Status = ev.Response.Status
	case e.Method == "Network.loadingFailed":
		list[i].Error = text.SanitizeLine(ev.ErrorText, 100)
	}
}

// readJournal reads the journal when every event that the page sent before its last answer has been handled: a caller
// that reads right after an action must not miss any.
func readJournal[T any](log *Activity, what string, list func(activityLog) []T) ([]T, error) {
	if pg, err := log.state.currentPage(); err == nil {
		pg.process.DrainEvents()
	}
	log.state.mu.Lock()
	defer log.state.mu.Unlock()
	if !log.state.isActivityLogged() {
		return nil, fmt.Errorf("reading %s: %w", what, ErrTakenOver)
	}
	return slices.Clone(list(log.journal)), nil
}

// Console returns what the page recently wrote to its console, with uncaught errors, oldest
// first, one sanitized line each.
func (ac *Activity) Console() ([]string, error) {
	return readJournal(ac, "the console", func(l activityLog) []string { return l.console })
}

// Network returns what the page recently fetched during actions and navigations of the agent,
// oldest first.
func (ac *Activity) Network() ([]Request, error) {
	return readJournal(ac, "the requests", func(l activityLog) []Request { return l.network })
}

// notifyVisit reports the page that a user's pane shows, if the user navigated there: the driver
// may have changed by the time it has loaded.
func (ac *Activity) notifyVisit() {
	ac.state.mu.Lock()
	info, isUser := ac.state.info, ac.state.load.byUser
	ac.state.mu.Unlock()
	if !isUser || ac.state.m.cfg.OnVisit == nil || info.Problem != "" || !strings.HasPrefix(info.URL, "http") {
		return
	}
	ac.state.m.news.visit(ac.state.profile, info.URL, info.Title)
}

// noteDuringAction adds an event to the result of the current action.
func (ac *Activity) noteDuringAction(what string) {
	ac.state.change(func() {
		if len(ac.actionEvents) < 5 {
			ac.actionEvents = append(ac.actionEvents, what)
		}
	})
}

// noticeForBoth shows a notice to the user and adds it to the result of the current action.
func (ac *Activity) noticeForBoth(format string, args ...any) {
	ac.noteDuringAction(fmt.Sprintf(format, args...))
	ac.state.showNotice(format, args...)
}

// notifyRequest reports a request that no policy has decided on.
func (ac *Activity) notifyRequest(method, address string) {
	ac.state.mu.Lock()
	goalID, isShared := ac.state.leaseHolder(), ac.state.goalID == ""
	ac.state.mu.Unlock()
	if goalID == "" || ac.state.m.cfg.OnRequest == nil || !isShared &&
		ac.state.m.rules.needsDecision(ac.state.proxyGoal) {
		return
	}
	ac.state.m.cfg.OnRequest(PageRequest{GoalID: goalID, Shared: isShared, Method: method, URL: address})
}
