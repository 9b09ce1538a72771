package transcript_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/app"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/config"
)

// late is when a test stops waiting. Everything is much faster than that.
var late = waittest.Scale(2 * time.Minute)

// stage is a program with its own folders, on which a transcript is played. do also runs on the model's goroutine, so
// mu guards the fields after it.
type stage struct {
	*testing.T
	tr     *transcript
	home   string
	dir    string // the goal's folder
	cfg    *config.Config
	clock  *jumpClock
	models *scriptedModels
	app    *app.App
	api    *calls.GoalAPI
	ears   *ears
	wg     sync.WaitGroup // orders that wait for the end of a goal

	mu       sync.Mutex
	ids      map[string]goal.ID
	order    []string            // names, in the order in which their goals were created
	reported map[goal.ID]int64   // the seq up to which each journal is in out
	out      strings.Builder     // the output
	whole    strings.Builder     // the same without truncation
	words    *strings.Replacer   // replaces $DIR, $SELF and others in sections
	norm     func(string) string // normalises the output
}

// perform plays a transcript and returns its journal.
func perform(t *testing.T, tr *transcript) string {
	t.Helper()
	s := &stage{T: t, tr: tr, clock: newJumpClock(), ids: map[string]goal.ID{}, reported: map[goal.ID]int64{}}
	s.build()
	s.open()
	t.Cleanup(func() { s.close(); s.clock.stop() })
	for _, line := range tr.play {
		s.say("> %s", line)
		if err := s.command(line); err != nil {
			problem := api.ToProblem(err)
			s.say("! %s %s: %s (%s)", problem.Code, problem.Field, s.norm(problem.Message), s.norm(problem.Hint))
		}
	}
	for _, name := range s.names() {
		s.report(name, 0)
	}
	for _, r := range s.models.server.Requests() {
		s.wellFormed(r)
	}
	s.stable(s.models.server.Requests())
	for _, name := range s.names() {
		s.lawful(s.id(name))
	}
	for _, line := range tr.must {
		s.must(line)
	}
	return s.out.String()
}

// build makes the folders, the goal's files and the providers. Names are short, because the path of a socket is limited
// to about a hundred bytes.
func (s *stage) build() {
	home, err := os.MkdirTemp("", "t-*")
	if err != nil {
		s.Fatal(err)
	}
	if home, err = filepath.EvalSymlinks(home); err != nil {
		s.Fatal(err)
	}
	s.home, s.dir = home, filepath.Join(home, "world")
	s.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			s.Error(err)
		}
	})
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		s.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		s.Fatal(err)
	}
	s.words = strings.NewReplacer("$DIR", s.dir, "$SELF", self, "$STATE", filepath.Join(home, "state"), "$HOME", home,
		"$PORT", ownPort(s.T))
	for _, f := range s.tr.world {
		name, mode, _ := strings.Cut(strings.TrimPrefix(f.Name, "world/"), " ")
		s.write(name, s.words.Replace(string(f.Data)), mode == "+x")
	}
	s.warm()
	s.models = newScriptedModels(s.T, s.tr)
	s.models.expand = s.expand
	s.models.do = s.aside
	s.cfg = openConfig(s.T, home)
	names := map[string]bool{"": true}
	for _, scripts := range []map[string][]turn{s.tr.models, s.tr.asides} {
		for name := range scripts {
			names[name] = true
		}
	}
	for name := range names {
		id := provider(name)
		window, err := strconv.Atoi(cmp.Or(s.tr.comment["window"], "0"))
		if err != nil {
			s.Fatal(err)
		}
		p := config.Provider{ID: id, Kind: config.OpenAI, BaseURL: s.models.server.URL, Model: id, ContextWindow: window}
		if err := s.cfg.SaveProvider(p); err != nil {
			s.Fatal(err)
		}
	}
	if err := s.cfg.Use(provider("")); err != nil {
		s.Fatal(err)
	}
	if minutes, err := strconv.Atoi(s.tr.comment["turn"]); err == nil {
		settings := s.cfg.Settings()
		settings.SilenceMinutes = minutes
		if err := s.cfg.SaveSettings(settings); err != nil {
			s.Fatal(err)
		}
	}
	if hours, err := strconv.Atoi(s.tr.comment["model-wait"]); err == nil {
		settings := s.cfg.Settings()
		settings.ModelWaitHours = hours
		if err := s.cfg.SaveSettings(settings); err != nil {
			s.Fatal(err)
		}
	}
	s.norm = s.normaliser()
}

// openConfig makes the folders of a program and installs the helper.
func openConfig(t *testing.T, home string) *config.Config {
	cfg, err := config.Open(func(name string) string {
		return map[string]string{config.HomeVariable: home, "HOME": home}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cfg.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := os.Link(installed, filepath.Join(cfg.State(), filepath.Base(installed))); err != nil {
		t.Fatal(err)
	}
	return cfg
}

func (s *stage) write(name, text string, program bool) {
	mode := os.FileMode(0o644)
	if program {
		mode = 0o755
	}
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
		s.Fatal(err)
	}
}

// warm runs a command in the goal's folder that fills the user's caches. Otherwise a compiler on a busy machine could
// use up the timeout of a check.
func (s *stage) warm() {
	words := strings.Fields(s.tr.comment["warm"])
	if len(words) == 0 {
		return
	}
	cmd := exec.CommandContext(s.Context(), words[0], words[1:]...)
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%q: %v\n%s", words, err, out)
	}
}

func (s *stage) open() {
	slots, err := strconv.Atoi(cmp.Or(s.tr.comment["slots"], "0"))
	if err != nil {
		s.Fatal(err)
	}
	s.app = app.New(app.Options{
		Config:   s.cfg,
		Log:      s.cfg.Log(),
		Version:  "test",
		Clock:    s.clock,
		Slots:    slots,
		Slowness: waittest.Slowness(),
		Attended: s.tr.comment["attended"] == "yes",
		Stays:    s.tr.comment["watch"] == "yes",
	})
	if err := s.app.Open(s.Context()); err != nil {
		s.Fatal(err)
	}
	s.api = s.app.GoalAPI(context.WithoutCancel(s.Context()))
	s.ears = listen(s.app)
}

func (s *stage) close() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.Context()), late)
	defer cancel()
	s.ears.close()
	if err := s.app.Close(ctx); err != nil {
		s.Error(err)
	}
	s.wg.Wait()
}

// aside executes an order of the user while the model answers. An order that waits for the end of the run must not
// block the model.
func (s *stage) aside(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	if verb != "abort" && verb != "delete" {
		if err := s.command(line); err != nil {
			s.Errorf("%s: %v", line, err)
		}
		if verb == "revoke" { // the grant must have ended before the model answers
			name, request := s.named(rest)
			if err := s.ears.wait(s.id(name), "grant_ended", request); err != nil {
				s.Errorf("%s: %v", line, err)
			}
		}
		return
	}
	name, _ := s.named(rest)
	s.wg.Go(func() {
		if err := s.ask(verb, s.id(name), ""); err != nil {
			s.Errorf("%s: %v", line, err)
		}
	})
}

// command executes one line of play. It reports new events of a journal only where the user waits for the goal, so that
// they are always in the same place. The name of the goal follows the verb; a goal without a name needs none.
//
//	start [NAME]            starts a goal and waits for the end of its run; start& does not wait
//	resume|reopen [NAME] …  resumes or reopens a goal and waits; a note, or limits as JSON, may follow
//	accept|reject [NAME] …  answers a manual check and waits; the note of a reject may follow
//	wait [NAME]             waits until the run is over
//	until [NAME] TYPE [TEXT] waits for an event of the type that contains the text
//	approve [NAME] REQUEST [SCOPE] · deny [NAME] REQUEST [WHY] · revoke [NAME] REQUEST
//	file PATH               waits until the file exists
//	recorded [NAME] PANE TEXT  waits until the recording of the pane contains the text; "a picture" is any picture
//	pause|abort|delete [NAME] · steer [NAME] TEXT
//	clock DURATION          puts the clock forward once a wait would end in the second half of that; clock! at once
//	restart                 closes the program and opens it again
//	write PATH TEXT · remove PATH
//	status|receipt|report [NAME] · list
//	status|receipt|report [NAME] · list
func (s *stage) command(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	verb, leave := strings.CutSuffix(verb, "&")
	name, rest := s.named(rest)
	id := s.id(name)
	switch verb {
	case "start":
		return s.start(name, leave)
	case "wait":
		return s.wait(name)
	case "until":
		kind, text, _ := strings.Cut(rest, " ")
		seq, err := s.ears.until(id, kind, text)
		s.report(name, seq)
		return err
	case "file":
		return awaitFile(filepath.Join(s.dir, rest))
	case "recorded":
		return s.recorded(id, rest)
	case "clock", "clock!":
		d, err := time.ParseDuration(rest)
		if err != nil {
			s.Fatal(err)
		}
		if verb == "clock" {
			return s.clock.reach(d)
		}
		s.clock.jump(d)
		return nil
	case "restart":
		s.close()
		s.open()
		for _, name := range s.names() {
			s.report(name, 0)
		}
		return s.app.Goals.Recover(s.Context())
	case "write":
		path, text, _ := strings.Cut(rest, " ")
		s.write(path, text+"\n", false)
		return nil
	case "remove":
		return os.RemoveAll(filepath.Join(s.dir, rest))
	case "status", "receipt", "report", "list":
		return s.show(verb, id)
	}
	if err := s.ask(verb, id, rest); err != nil {
		return err
	}
	if verb == "abort" || !leave && (verb == "resume" || verb == "reopen" || verb == "accept" || verb == "reject") {
		return s.wait(name)
	}
	return nil
}

// recorded waits until the recording of a pane contains a text or, for "a picture", a picture.
func (s *stage) recorded(id goal.ID, rest string) error {
	name, text, _ := strings.Cut(rest, " ")
	var all []byte
	err := poll(func() (bool, error) {
		page, err := s.api.Replay(string(id), name, 0)
		all = nil
		for _, r := range page.Records {
			b, err := base64.StdEncoding.DecodeString(r.Data)
			if err != nil {
				return false, fmt.Errorf("record %d: %w", r.N, err)
			}
			if img, err := jpeg.Decode(bytes.NewReader(b)); err == nil && img.Bounds().Dx() > 0 && r.Width > 0 {
				b = []byte("a picture")
			}
			all = append(all, b...)
		}
		return strings.Contains(string(all), text), err
	})
	if err != nil {
		return fmt.Errorf("the recording of %s, for %q: %w: %.2000q", name, text, err, all)
	}
	return nil
}

// ask gives an order about a goal.
func (s *stage) ask(verb string, id goal.ID, rest string) error {
	ctx := context.WithoutCancel(s.Context())
	goals, approvals := s.app.GoalAPI(ctx), s.app.ApprovalAPI(ctx)
	var err error
	switch verb {
	case "approve", "deny":
		request, more, _ := strings.Cut(rest, " ")
		in := calls.AnswerInput{GoalID: string(id), Request: request, Allow: verb == "approve"}
		if in.Allow {
			in.Scope = policy.Scope(more)
		} else {
			in.Why = more
		}
		_, err = approvals.Answer([]calls.AnswerInput{in})
	case "revoke":
		_, err = approvals.Revoke(string(id), rest)
	case "resume":
		_, err = goals.Resume(string(id), s.goingOn(rest))
	case "reopen":
		_, err = goals.Reopen(string(id), s.goingOn(rest))
	case "accept":
		_, err = goals.Accept(string(id))
	case "reject":
		_, err = goals.Reject(string(id), rest)
	case "pause":
		_, err = goals.Pause(string(id))
	case "abort":
		_, err = goals.Abort(string(id))
	case "delete":
		_, err = goals.Delete(string(id))
	case "steer":
		_, err = goals.Steer(string(id), rest)
	default:
		err = fmt.Errorf("the transcript asks for %q, which is not known", verb)
	}
	return err
}

func (s *stage) named(rest string) (name, others string) {
	first, others, _ := strings.Cut(rest, " ")
	if _, ok := s.tr.goals[first]; ok && first != "" {
		return first, others
	}
	return "", rest
}

func (s *stage) id(name string) goal.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[name]
}

func (s *stage) start(name string, leave bool) error {
	in, err := s.tr.input(name, s.expand)
	if err != nil {
		s.Fatal(err)
	}
	if in.Dir == "" {
		in.Dir = s.dir
	}
	switch {
	case in.Dir == "new":
		in.Dir = ""
	case strings.HasPrefix(in.Dir, s.home):
		if err := os.MkdirAll(in.Dir, 0o755); err != nil {
			s.Fatal(err)
		}
	}
	out, err := s.api.Start(in)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.ids[name] = goal.ID(out.GoalID)
	s.order = append(s.order, name)
	s.mu.Unlock()
	if leave {
		return nil
	}
	return s.wait(name)
}

func (s *stage) wait(name string) error {
	select {
	case <-s.app.Done(s.id(name)):
		s.wg.Wait() // an abort also waits for the end
		s.report(name, 0)
		return nil
	case <-time.After(late):
		return fmt.Errorf("the run did not end within %s", late)
	}
}

func (s *stage) show(what string, id goal.ID) error {
	switch what {
	case "status":
		v, err := s.api.Status(string(id))
		if err != nil {
			return err
		}
		if v == nil {
			s.say("null")
		} else {
			s.say("%s %s", v.Status, v.Exit)
		}
	case "report":
		v, err := s.api.Get(string(id))
		if err != nil {
			return err
		}
		if v.Result != "" {
			s.say("  Result: %s", v.Result)
		}
		for _, line := range v.Report {
			s.say("  %s", s.norm(line))
		}
	case "receipt":
		v, err := s.api.Receipt(string(id))
		if err != nil {
			return err
		}
		s.say("%s %s verified=%t reviewed=%t", v.Status, v.Exit, v.Verified, v.Reviewed)
		if v.Basis == goal.BasisUser && v.AssuranceReason != "" {
			s.say("  %s: %s", v.AssuranceWords, v.AssuranceReason)
		}
		for _, c := range v.Claims {
			s.say("  claim %d deciding=%t %q", c.N, c.Deciding, c.Rationale)
			for _, k := range c.Verdicts {
				s.say("    check %d %s: %s", k.Check+1, k.Outcome, s.norm(k.Detail))
			}
		}
	case "list":
		v, err := s.api.List(calls.ListInput{})
		if err != nil {
			return err
		}
		for _, c := range v.Goals {
			waits := ""
			if c.Queued != "" {
				waits = ", waits: " + c.Queued
			}
			s.say("%s %s %q%s", c.Status, c.Exit, c.Objective, waits)
		}
	}
	return nil
}

// expand replaces what only the stage knows.
func (s *stage) expand(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, id := range s.ids {
		text = strings.ReplaceAll(text, "$GOAL("+name+")", string(id))
	}
	return s.words.Replace(text)
}

func (s *stage) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	s.put(line, line)
}

func (s *stage) put(line, whole string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.WriteString(line + "\n")
	s.whole.WriteString(whole + "\n")
}

// report writes the new events of a journal up to seq, or all new events if seq is 0. In a transcript with several
// goals each line names its goal.
func (s *stage) report(name string, seq int64) {
	id := s.id(name)
	events, err := s.app.Store().History.Events(s.Context(), id, s.reported[id], 1<<20)
	if err != nil {
		s.Fatal(err)
	}
	whose := ""
	if len(s.tr.goals) > 1 {
		whose = cmp.Or(name, "-") + ": "
	}
	for _, e := range events {
		if seq > 0 && e.Seq > seq {
			return
		}
		s.reported[id] = e.Seq
		if w, ok := e.Body.(*event.Warning); ok && strings.HasPrefix(w.Text, "the kernel refused") {
			continue // comes from outside of the run, so its place differs
		}
		if ofRoot(e) { // lawful checks them
			continue
		}
		line, whole := render(s.T, e)
		s.put(whose+short(s.norm(line)), whose+s.norm(whole))
	}
}

func (s *stage) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.order...)
}

// ears records the journaled events of a program.
type ears struct {
	sub  *event.Subscription
	done chan struct{}

	mu     sync.Mutex
	events []event.Event
	used   map[goal.ID]int64 // the seq up to which until has skipped events
	more   chan struct{}     // closed and replaced at each event
}

func listen(a *app.App) *ears {
	e := &ears{sub: a.Events(4096), done: make(chan struct{}), more: make(chan struct{}), used: map[goal.ID]int64{}}
	go func() {
		defer close(e.done)
		for ev := range e.sub.C {
			if ev.Seq == 0 {
				continue
			}
			e.mu.Lock()
			e.events = append(e.events, ev)
			close(e.more)
			e.more = make(chan struct{})
			e.mu.Unlock()
		}
	}()
	return e
}

func (e *ears) close() { e.sub.Close(); <-e.done }

// until skips a goal's events up to the first one of the type that contains the text, and returns its seq.
func (e *ears) until(id goal.ID, kind, text string) (seq int64, err error) {
	err = e.await(kind+" "+text, func() bool {
		if seq = e.find(id, e.used[id], kind, text); seq > 0 {
			e.used[id] = seq
		}
		return seq > 0
	})
	return seq, err
}

// wait does what until does, but skips no events for later calls of until.
func (e *ears) wait(id goal.ID, kind, text string) error {
	return e.await(kind+" "+text, func() bool { return e.find(id, 0, kind, text) > 0 })
}

// await calls found, with mu held, after each event until it returns true.
func (e *ears) await(what string, found func() bool) error {
	timeout := time.After(late)
	for {
		e.mu.Lock()
		more, ok := e.more, found()
		e.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-more:
		case <-timeout:
			return fmt.Errorf("no event %s within %s", what, late)
		}
	}
}

// find returns the seq of the first such event after the seq after, 0 if there is none. The caller holds mu.
func (e *ears) find(id goal.ID, after int64, kind, text string) int64 {
	for _, ev := range e.events {
		if ev.GoalID != id || ev.Seq <= after || ofRoot(ev) {
			continue
		}
		if raw, err := json.Marshal(ev.Body); err == nil && ev.Body.EventType() == kind &&
			strings.Contains(string(raw), text) {
			return ev.Seq
		}
	}
	return 0
}

// goingOn parses the input of resume and reopen: a note, or JSON with limits.
func (s *stage) goingOn(rest string) (in api.ResumeInput) {
	s.Helper()
	if !strings.HasPrefix(rest, "{") {
		return api.ResumeInput{Note: rest}
	}
	if err := json.Unmarshal([]byte(rest), &in); err != nil {
		s.Fatal(err)
	}
	return in
}
