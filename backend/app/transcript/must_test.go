package transcript_test

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// must checks one condition, which does not depend on the wording of the journal:
//
//	ends STATUS [EXIT] [NAME]   the present state of the goal
//	says TEXT · never TEXT      the output, without truncation, contains the text or does not
//	times N TEXT                N lines contain the text
//	told TEXT · untold TEXT     a message to the model contains the text, or none does
//	shown N RRGGBB              the Nth picture that a judge received has the colour in its middle
//	pictured N                  the agent's last request contains N pictures
//	turns N [MODEL]             a model was asked N times, including failures and repeats
//	offered first|last TOOL… · unoffered first|last TOOL…   tools of the model's first or last request
//	file PATH [TEXT] · nofile PATH
//	kept [NAME] · unkept [NAME] whether something of the goal is stored besides the journal
func (s *stage) must(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	first, second, _ := strings.Cut(rest, " ")
	whole := s.whole.String()
	holds := false
	switch verb {
	case "ends":
		exit, name, _ := strings.Cut(second, " ")
		g, err := s.app.Store().Goals.Get(s.Context(), s.id(name))
		holds = err == nil && string(g.Status) == first && string(g.Exit) == exit
	case "says":
		holds = strings.Contains(whole, rest)
	case "never":
		holds = !strings.Contains(s.happened(), rest)
	case "times":
		holds = strconv.Itoa(s.times(second)) == first
	case "told":
		holds = s.told1(rest)
	case "untold":
		holds = !s.told1(rest)
	case "shown":
		holds = s.shown(first, second)
	case "pictured":
		holds = strconv.Itoa(s.pictured()) == first
	case "turns":
		holds = strconv.Itoa(s.models.next[provider(second)]) == first
	case "offered", "unoffered":
		holds = s.offered(first, strings.Fields(second), verb == "offered")
	case "file":
		b, err := os.ReadFile(filepath.Join(s.dir, first))
		holds = err == nil && strings.Contains(string(b), second)
	case "kept", "unkept":
		_, err := os.Stat(s.app.Store().GoalDir(s.id(rest)))
		holds = (err == nil) == (verb == "kept")
	case "nofile":
		_, err := os.Lstat(filepath.Join(s.dir, first))
		holds = os.IsNotExist(err)
	}
	if !holds {
		s.Errorf("must %s\n%s", line, whole)
	}
}

// offered reports whether the first or last request for a turn offers all of the tools, or none of them.
func (s *stage) offered(which string, tools []string, want bool) bool {
	var found []string
	for _, r := range s.models.server.Requests() {
		if len(r.Tools) > 0 && (found == nil || which == "last") {
			found = r.Tools
		}
	}
	for _, name := range tools {
		if slices.Contains(found, name) != want {
			return false
		}
	}
	return len(found) > 0
}

// happened returns the output without the user's orders.
func (s *stage) happened() string {
	var b strings.Builder
	for line := range strings.Lines(s.whole.String()) {
		if !strings.HasPrefix(line, "> ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func (s *stage) times(text string) int {
	n := 0
	for line := range strings.Lines(s.happened()) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

func (s *stage) told1(text string) bool {
	return slices.ContainsFunc(s.models.server.Requests(), func(r modeltest.Request) bool {
		return slices.ContainsFunc(r.Messages, func(m goal.Message) bool { return strings.Contains(m.Text, text) })
	})
}

// shown reports whether the nth picture of all requests without tools has a colour in its middle.
func (s *stage) shown(nth, colour string) bool {
	n := 0
	for _, r := range s.models.server.Requests() {
		if len(r.Tools) > 0 {
			continue
		}
		for _, m := range r.Messages {
			for _, b := range m.Images {
				if n++; strconv.Itoa(n) != nth {
					continue
				}
				img, err := png.Decode(bytes.NewReader(b))
				if err != nil {
					s.Error(err)
					return false
				}
				at := img.Bounds()
				red, green, blue, _ := img.At(at.Dx()/2, at.Dy()/2).RGBA()
				return fmt.Sprintf("%02x%02x%02x", red>>8, green>>8, blue>>8) == colour
			}
		}
	}
	return false
}

// pictured returns how many pictures the agent's last request contains.
func (s *stage) pictured() (n int) {
	for _, r := range slices.Backward(s.models.server.Requests()) {
		if len(r.Tools) == 0 {
			continue
		}
		for _, m := range r.Messages {
			n += len(m.Images)
		}
		break
	}
	return n
}

// ofRoot reports whether an event warns that a goal runs as root, which depends on the user who runs the
// tests.
func ofRoot(e event.Event) bool {
	w, ok := e.Body.(*event.Warning)
	return ok && strings.HasPrefix(w.Text, "this goal runs as root")
}

// rooted checks the warnings that a goal runs as root: one before its first turn, and at most one in each run, if the
// tests run as root, and none otherwise.
func (s *stage) rooted(events []event.Event) {
	reported, isFirst := map[string]int{}, true
	for _, e := range events {
		if _, ok := e.Body.(*event.Iteration); ok && isFirst {
			if isFirst = false; (len(reported) > 0) != (os.Geteuid() == 0) {
				s.Errorf("before the first turn, %d runs were warned that they are root's", len(reported))
			}
		}
		if ofRoot(e) {
			reported[e.RunID]++
		}
	}
	for run, n := range reported {
		if n > 1 || os.Geteuid() != 0 {
			s.Errorf("the run %s was warned %d times that it is root's", run, n)
		}
	}
}

// lawful checks what must be true of every goal.
func (s *stage) lawful(id goal.ID) {
	events, err := s.app.Store().History.Events(s.Context(), id, 0, 1<<20)
	if err != nil {
		s.Fatal(err)
	}
	if len(events) == 0 {
		return // deleted
	}
	s.rooted(events)
	status, run := goal.Pending, ""
	intents, results := map[int]bool{}, map[int]bool{}
	verdicts := map[int][]goal.Verdict{}
	claim := 0
	panes := map[string]bool{} // the panes that the goal holds
	to := func(next goal.Status) {
		if err := goal.Transition(status, next); err != nil {
			s.Error(err)
		}
		status = next
	}
	for i, e := range events {
		if e.Seq != int64(i+1) || e.GoalID != id {
			s.Fatalf("event %d of %s has seq %d and goal %s", i+1, id, e.Seq, e.GoalID)
		}
		switch b := e.Body.(type) {
		case *event.Created, *event.Queued:
		case *event.Started, *event.Resumed, *event.Reopened, *event.LimitsChanged:
			if e.RunID != run { // the first events of a run
				run = e.RunID
				to(goal.Running)
			}
		case *event.Paused:
			if goal.StatusForExit(b.Exit) != goal.Paused || b.Reason == "" || len(b.Report) == 0 || len(b.Report) > 8 {
				s.Errorf("paused as %q because %q with %d bullets", b.Exit, b.Reason, len(b.Report))
			}
			to(goal.Paused)
			if b.Exit == goal.Interrupted && len(panes) > 0 {
				s.Errorf("interrupted with the panes %v", panes)
			}
		case *event.Ended:
			if goal.StatusForExit(b.Exit) != b.Status || len(b.Report) == 0 || len(b.Report) > 8 {
				s.Errorf("ended %s as %s with %d bullets", b.Status, b.Exit, len(b.Report))
			}
			to(b.Status)
			if len(panes) > 0 {
				s.Errorf("ended with the panes %v", panes)
			}
		case *event.Lease:
			if b.Held == panes[b.Pane] {
				s.Errorf("event %d: the pane %s is leased twice, or given back twice", e.Seq, b.Pane)
			}
			if panes[b.Pane] = true; !b.Held {
				delete(panes, b.Pane)
			}
		case *event.StepStarted:
			if intents[b.StepID] {
				s.Errorf("step %d began twice", b.StepID)
			}
			intents[b.StepID] = true
		case *event.Step:
			if !intents[b.StepID] || results[b.StepID] {
				s.Errorf("step %d: a result without an intent, or a second one", b.StepID)
			}
			results[b.StepID] = true
		case *event.Claim:
			if b.N != claim+1 {
				s.Errorf("claim %d comes after claim %d", b.N, claim)
			}
			claim = b.N
		case *event.Verdict:
			verdicts[b.Claim] = append(verdicts[b.Claim], b.Verdict)
		}
		if e.RunID != run {
			s.Errorf("event %d (%s) belongs to run %q, not to the current one", e.Seq, e.Body.EventType(), e.RunID)
		}
	}
	row, err := s.app.Store().Goals.Get(s.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	if row.Status != status || row.Seq != int64(len(events)) || row.Spent.Steps != len(intents) ||
		row.Spent.Claims != claim {
		s.Errorf("the row says %s, seq %d, %d steps, %d claims; the journal %s, %d, %d, %d", row.Status, row.Seq,
			row.Spent.Steps, row.Spent.Claims,
			status, len(events), len(intents), claim)
	}
	if row.Status == goal.Completed {
		s.passed(row.Criterion, verdicts[claim])
	}
}

// passed checks that the last claim of a completed goal has a verdict for every check, and that all of them pass.
// Nothing else may complete a goal.
func (s *stage) passed(c goal.Criterion, verdicts []goal.Verdict) {
	passes := 0
	for _, v := range verdicts {
		if v.Outcome == goal.Pass {
			passes++
		}
	}
	if c.Any && passes > 0 || !c.Any && passes == len(c.Checks) && passes == len(verdicts) {
		return
	}
	s.Errorf("completed with the verdicts %+v", verdicts)
}

// stable checks that messages which the model has already received stay the same, byte for byte, so that the provider's
// cache hits. Only a full window may be shortened, and only pictures are removed.
func (s *stage) stable(requests []modeltest.Request) {
	if len(s.names()) != 1 || s.tr.comment["window"] != "" {
		return
	}
	freed := strings.Contains(strings.Join(s.tr.play, "\n"), "unprotect") // the system prompt lists the other files then
	var before modeltest.Request
	for _, r := range requests {
		if len(r.Tools) == 0 { // an aside
			continue
		}
		r.Messages = slices.DeleteFunc(slices.Clone(r.Messages), func(m goal.Message) bool { return len(m.Images) > 0 })
		if n := len(before.Tools); n > len(r.Tools) || !slices.Equal(r.Tools[:n], before.Tools) {
			s.Errorf("the tools are %q after they were %q: new ones belong at the end", r.Tools, before.Tools)
		}
		for i, m := range before.Messages {
			if i == 0 && freed {
				continue
			}
			if i >= len(r.Messages) || fmt.Sprint(r.Messages[i]) != fmt.Sprint(m) {
				s.Errorf("message %d of %d is not what it was: %.300v", i, len(r.Messages), m)
				break
			}
		}
		before = r
	}
}

// wellFormed checks that each call in a request has exactly one result, between the call and the next turn.
func (s *stage) wellFormed(r modeltest.Request) {
	open := map[string]bool{}
	for i, m := range r.Messages {
		switch m.Role {
		case goal.Assistant, goal.User:
			for id := range open {
				s.Errorf("message %d comes before the result of the call %s", i, id)
				delete(open, id)
			}
			for _, c := range m.Calls {
				open[c.ID] = true
			}
		case goal.ToolRole:
			if !open[m.CallID] {
				s.Errorf("message %d is a result of %q, which was not called or is answered already", i, m.CallID)
			}
			delete(open, m.CallID)
		case goal.System:
		}
	}
	for id := range open {
		s.Errorf("the call %s has no result", id)
	}
}
