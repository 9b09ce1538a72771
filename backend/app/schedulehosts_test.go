package app_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/schedule"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

// scheduleCommand makes the test binary a host that starts the goals of schedules until its input ends.
const scheduleCommand = "host-of-schedules"

// The moments at which a host of schedules can be held: when it reads the clock in one of these functions, or for the
// first time after it has claimed a due time.
const (
	beforeDecision = "/schedules.(*Service).decide"
	insideClaim    = "/store.(*connection).decide"
	afterClaim     = "claimed"
)

// heldClock is a clock on which the program can be held at a moment.
type heldClock struct {
	*jumpClock
	app  *app.App // nil while it opens
	hold atomic.Pointer[hold]
}

// hold is a moment at which the program stops until it may continue.
type hold struct {
	moment string
	say    sync.Once
	over   chan struct{}
}

func (h *heldClock) Now() time.Time {
	if at := h.hold.Load(); at != nil && h.isAt(at.moment) {
		at.say.Do(func() { fmt.Println("held") })
		<-at.over
	}
	return h.jumpClock.Now()
}

// isAt reports whether the caller of the clock has reached a moment.
func (h *heldClock) isAt(moment string) bool {
	if moment == afterClaim {
		return h.hasClaimed()
	}
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, moment) {
			return true
		}
		if !more {
			return false
		}
	}
}

// hasClaimed reports whether the newest due time of the only schedule is decided.
func (h *heldClock) hasClaimed() bool {
	ctx := context.Background()
	list, err := h.app.Store().Schedules.List(ctx)
	if err != nil || len(list) != 1 {
		return false
	}
	runs, err := h.app.Store().Schedules.Runs(ctx, list[0].ID, 1)
	return err == nil && len(runs) == 1 && runs[0].Due.Equal(h.jumpClock.Now().Truncate(time.Hour))
}

// holdAt lets the program continue, and holds it at the next moment; "" is none.
func (h *heldClock) holdAt(moment string) {
	var next *hold
	if moment != "" {
		next = &hold{moment: moment, over: make(chan struct{})}
	}
	if before := h.hold.Swap(next); before != nil {
		close(before.over)
	}
}

// runScheduleHost opens the program, whose clock is ahead by so many nanoseconds, and obeys its input.
func runScheduleHost(ahead string) error {
	cfg, err := config.Open(os.Getenv)
	if err != nil {
		return fmt.Errorf("open the settings: %w", err)
	}
	clock := &heldClock{jumpClock: &jumpClock{waits: map[*clockWait]bool{}, began: make(chan struct{}, 1)}}
	if err := clock.setAhead(ahead); err != nil {
		return err
	}
	ctx := context.Background()
	a := app.New(app.Options{Config: cfg, Version: "test", Clock: clock, Stays: true})
	if err := a.Open(ctx); err != nil {
		return fmt.Errorf("open: %w", err)
	}
	clock.app = a
	if err := a.Goals.Recover(ctx); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	a.StartSchedules(ctx)
	fmt.Println("open")
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		if err := obey(a, clock, strings.Split(orders.Text(), " ")); err != nil {
			return err
		}
	}
	return a.Close(ctx)
}

// obey follows one order of the test: hold MOMENT, clock NANOSECONDS, or resume GOAL.
func obey(a *app.App, clock *heldClock, order []string) error {
	switch order[0] {
	case "hold":
		clock.holdAt(order[1])
	case "clock":
		return clock.setAhead(order[1])
	case "resume":
		if _, err := a.GoalAPI(context.Background()).Resume(order[1], api.ResumeInput{}); err != nil {
			return fmt.Errorf("resume: %w", err)
		}
	}
	return nil
}

func (j *jumpClock) setAhead(nanoseconds string) error {
	n, err := strconv.ParseInt(nanoseconds, 10, 64)
	if err != nil {
		return fmt.Errorf("read the time: %w", err)
	}
	j.mu.Lock()
	by := time.Duration(n) - j.ahead
	j.mu.Unlock()
	j.jump(by)
	return nil
}

func (j *jumpClock) isAhead() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strconv.FormatInt(int64(j.ahead), 10)
}

// scheduleHost is a process that starts the goals of schedules.
type scheduleHost struct {
	*testing.T
	cmd    *exec.Cmd
	orders io.Writer
	says   chan string
	stderr bytes.Buffer
}

// openScheduleHost starts a process, and returns before it is open.
func openScheduleHost(t *testing.T, home string, clock *jumpClock) *scheduleHost {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	h := &scheduleHost{T: t, says: make(chan string, 64)}
	h.cmd = exec.CommandContext(t.Context(), self, scheduleCommand, clock.isAhead())
	h.cmd.Env = append(os.Environ(), config.HomeVariable+"="+home)
	h.cmd.Stderr = &h.stderr
	in, err := h.cmd.StdinPipe()
	must(t, err)
	h.orders = in
	out, err := h.cmd.StdoutPipe()
	must(t, err)
	must(t, h.cmd.Start())
	go func() {
		defer close(h.says)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			h.says <- lines.Text()
		}
	}()
	return h
}

// tell gives the process an order.
func (h *scheduleHost) tell(words ...string) {
	h.Helper()
	if _, err := fmt.Fprintln(h.orders, strings.Join(words, " ")); err != nil {
		h.Fatalf("%v: %v\n%s", words, err, h.stderr.String())
	}
}

// hear waits until the process has said a word.
func (h *scheduleHost) hear(word string) {
	h.Helper()
	select {
	case said, ok := <-h.says:
		if !ok || said != word {
			_ = h.cmd.Wait()
			h.Fatalf("%q instead of %q: %s", said, word, h.stderr.String())
		}
	case <-time.After(late):
		h.Fatalf("the process does not say %q", word)
	}
}

// kill ends the process with SIGKILL.
func (h *scheduleHost) kill() {
	h.Helper()
	must(h.T, h.cmd.Process.Kill())
	for range h.says { // Wait closes the pipe
		continue
	}
	if err := h.cmd.Wait(); err == nil {
		h.Error("it was not killed")
	}
}

// hostPair is two processes that start the goals of one schedule, and the program of the test, which does not.
type hostPair struct {
	scheduled
	home, dir string
	id        schedule.ID
	hosts     [2]*scheduleHost
	asked     chan struct{} // the model was asked in atModel
	atModel   atomic.Pointer[chan struct{}]
}

func openHostPair(t *testing.T) *hostPair {
	t.Helper()
	p := &hostPair{home: t.TempDir(), dir: filepath.Join(t.TempDir(), "work"), asked: make(chan struct{}, 1)}
	must(t, os.Mkdir(p.dir, 0o700))
	work := turns(runs("echo made >> log.txt; touch result.txt"),
		args("claim_complete", map[string]any{"rationale": "made"}))
	clock := halfPast(t)
	program := startWith(t, p.home, clock)
	program.provide(func(n int, r modeltest.Request) modeltest.Answer {
		if over := p.atModel.Load(); over != nil {
			p.asked <- struct{}{}
			<-*over
		}
		return work(n, r)
	})
	p.scheduled = scheduled{program, clock, program.app.ScheduleAPI(t.Context())}
	plan := everyHour(p.dir)
	plan.Request.Checks = []goal.Check{{Type: goal.File, Path: "result.txt"}}
	v, err := p.schedules.Save("", plan)
	must(t, err)
	v.Mode, v.Tried, p.id = schedule.Active, true, v.ID
	must(t, p.app.Store().Schedules.Save(t.Context(), v.Schedule))
	for i := range p.hosts {
		p.hosts[i] = openScheduleHost(t, p.home, clock)
	}
	for _, h := range p.hosts {
		h.hear("open")
	}
	return p
}

// run returns what is known about the present due time; its State is "" if that was not decided.
func (p *hostPair) run() api.ScheduleRunView {
	p.Helper()
	list, err := p.schedules.Runs(string(p.id))
	must(p.T, err)
	if len(list) == 0 || !list[0].Due.Equal(p.clock.Now().Truncate(time.Hour)) {
		return api.ScheduleRunView{}
	}
	return list[0]
}

// settle waits until the run of the present due time is done. by resumes it if it was interrupted.
func (p *hostPair) settle(by *scheduleHost) {
	p.Helper()
	isResumed := false
	waittest.Until(p.T, "end of the run", func() bool {
		run := p.run()
		if run.State != "" && run.State != schedule.Started {
			p.Fatalf("%+v", run)
		}
		if run.Status == goal.Paused && run.Exit == goal.Interrupted && !isResumed {
			by.tell("resume", string(run.Goal))
			isResumed = true
		}
		return run.Exit == goal.Done
	})
}

// tellTime gives a process the time of the test.
func (p *hostPair) tellTime(h *scheduleHost) { h.tell("clock", p.clock.isAhead()) }

// killAt lets only one of the processes see the due time, and kills it at a moment.
func (p *hostPair) killAt(victim int, moment string) {
	p.Helper()
	v := p.hosts[victim]
	v.tell("hold", moment)
	p.tellTime(v)
	v.hear("held")
	v.kill()
}

// killAtModel does what killAt does, when the goal asks its model.
func (p *hostPair) killAtModel(victim int) {
	over := make(chan struct{})
	p.atModel.Store(&over)
	p.tellTime(p.hosts[victim])
	<-p.asked
	p.hosts[victim].kill()
	p.atModel.Store(nil)
	close(over)
}

// replace starts a process in the place of one that was killed, while the other one sees the due time, and waits until
// the run is done.
func (p *hostPair) replace(victim int) {
	p.Helper()
	p.hosts[victim] = openScheduleHost(p.T, p.home, p.clock)
	p.tellTime(p.hosts[1-victim])
	p.hosts[victim].hear("open")
	p.settle(p.hosts[victim])
}

// stall lets a process sleep from the moment when it has read the schedules until the other one has done the run. When
// it wakes, the folder is gone, so that it would have to refuse the run.
func (p *hostPair) stall(late int) {
	p.Helper()
	h, other := p.hosts[late], p.hosts[1-late]
	h.tell("hold", beforeDecision)
	p.tellTime(h)
	h.hear("held")
	p.tellTime(other)
	p.settle(other)
	must(p.T, os.Rename(p.dir, p.dir+".away"))
	h.tell("hold", beforeDecision) // comes again after the attempt
	h.hear("held")
	must(p.T, os.Rename(p.dir+".away", p.dir))
	h.tell("hold", "")
}

// TestSchedule_TwoProcessesOneKilled_StartEachRunOnce: two hosts share a data folder over twenty due times. Again and
// again, one is killed: before it decides, while it claims the due time, between the claim and the start of the goal,
// and while the goal works. Each due time has one goal, which is done, and whose work was done once.
func TestSchedule_TwoProcessesOneKilled_StartEachRunOnce(t *testing.T) {
	t.Parallel()
	p := openHostPair(t)
	const times = 20
	moments := []struct {
		name string
		left goal.Status // of the goal after the kill; "" is none
		pass func(one int)
	}{
		{"together", "", func(one int) {
			p.tellTime(p.hosts[one])
			p.tellTime(p.hosts[1-one])
			p.settle(p.hosts[one])
		}},
		{"before the decision", "", func(one int) { p.killAt(one, beforeDecision) }},
		{"inside the claim", "", func(one int) { p.killAt(one, insideClaim) }},
		{"after the claim", goal.Pending, func(one int) { p.killAt(one, afterClaim) }},
		{"while it works", goal.Running, p.killAtModel},
		{"late", "", p.stall},
	}
	for n := range times {
		p.nextHour()
		moment, one := moments[n%len(moments)], n/len(moments)%2
		moment.pass(one)
		if p.hosts[one].cmd.ProcessState != nil { // it was killed
			if run := p.run(); run.Status != moment.left {
				t.Errorf("%d, %s: the kill left %+v", n, moment.name, run)
			}
			p.replace(one)
		}
		if run := p.run(); run.State != schedule.Started || run.Exit != goal.Done {
			t.Fatalf("%d, %s: %+v", n, moment.name, run)
		}
		if log, err := os.ReadFile(filepath.Join(p.dir, "log.txt")); string(log) != strings.Repeat("made\n", n+1) {
			t.Fatalf("%d, %s: the work was done %q, %v", n, moment.name, log, err)
		}
		must(t, os.Remove(filepath.Join(p.dir, "result.txt")))
	}
	for _, h := range p.hosts {
		h.kill()
	}
	p.inspect(times)
}

// inspect counts the runs and the goals.
func (p *hostPair) inspect(times int) {
	p.Helper()
	list, err := p.schedules.Runs(string(p.id))
	must(p.T, err)
	goals := map[goal.ID]bool{}
	for _, run := range list {
		if run.State != schedule.Started || run.Exit != goal.Done {
			p.Errorf("%+v", run)
		}
		goals[run.Goal] = true
	}
	_, stored, err := p.app.Store().Goals.List(p.Context(), store.Filter{})
	must(p.T, err)
	one, err := p.app.Store().Schedules.Find(p.Context(), string(p.id))
	must(p.T, err)
	if len(list) != times || len(goals) != times || stored != times || one.Failures != 0 || one.Mode != schedule.Active {
		p.Errorf("%d runs of %d goals, %d goals are stored, the schedule is %s after %d failures", len(list), len(goals),
			stored, one.Mode, one.Failures)
	}
}
