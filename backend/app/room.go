package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/model"
	"goalpost/backend/policy"
	"goalpost/backend/runner"
	"goalpost/backend/sandbox"
	"goalpost/backend/tools"
	"goalpost/backend/verify"
)

// room is what one goal runs in. It outlives a pause, so that terminals and
// pages are still there when the goal is resumed.
type room struct {
	app      *App
	goal     goal.ID
	provider string
	policy   policy.Policy
	held     *enclosure
	box      *tools.Box
	guests   *guests // the person's MCP servers; opened with the room
	host     verify.Host
	world    *verify.World // opened with the room
	minds    minds
	parks    map[string]*model.Parks // by role
	parked   int                     // in a row, when the room was opened
	camera   *camera
	hearing  hearing
	warn     func(what, text string)
	sealed   error  // secrets of this goal cannot be opened, so nothing would hide them
	lingers  func() // after done, and nil else: ends the wait for its end; guarded by rooms.mu
	children *children
	run      goal.Run     // the one that goes on, none between two; guarded by rooms.mu
	windows  []event.Body // of pages, not journaled yet; guarded by rooms.mu
}

// rooms are the open rooms by goal.
type rooms struct {
	mu    sync.Mutex
	open  map[goal.ID]*room
	waits sync.WaitGroup // for the ends of those whose goals are done
}

// openRoom gives the goal its room: the one it had before a pause, or a new one.
func (a *App) openRoom(ctx context.Context, g goal.Goal, run goal.Run, warn func(what, text string)) (runner.Session, error) {
	if err := a.makePlace(ctx, g); err != nil {
		return nil, err
	}
	if err := a.leaseAll(ctx, run); err != nil {
		return nil, err
	}
	r, err := a.roomFor(ctx, g, run, warn)
	if err != nil {
		return nil, err
	}
	a.sockets.follow() // of what the goal is lent, whose rules are there now
	return r, r.journalWindows(ctx, run)
}

func (a *App) roomFor(ctx context.Context, g goal.Goal, run goal.Run, warn func(what, text string)) (*room, error) {
	if err := a.learn(ctx, g.Policy); err != nil { // may take a while, so before others have to wait
		return nil, err
	}
	sealed, err := a.recall(ctx, g, warn) // before anything shows what is kept
	if err != nil {
		return nil, err
	}
	a.rooms.mu.Lock()
	defer a.rooms.mu.Unlock()
	if r := a.rooms.open[g.ID]; r != nil && !r.dead() {
		r.stay()
		r.sealed = sealed
		world, err := a.worldOf(ctx, g) // the user may have accepted other versions, also in another process
		if err == nil {
			r.world = world
			err = r.equip(ctx, g, warn)
		}
		if err != nil {
			delete(a.rooms.open, g.ID) // nobody would close it
			return nil, errors.Join(err, r.end(ctx))
		}
		r.run = run
		return r, nil
	} else if r != nil {
		delete(a.rooms.open, g.ID)
		if err := r.end(ctx); err != nil {
			a.log.Warn("closing a room whose helper died", "goal", g.ID, "error", err)
		}
	}
	world, err := a.worldOf(ctx, g)
	if err != nil {
		return nil, err
	}
	held, err := a.enclose(ctx, string(g.ID), g.Policy, a.layer(g.ID), heldIn(g.Policy.Dir, world)...)
	if err != nil {
		return nil, err
	}
	held.keep(a.netLog(g.ID))
	if err := lookBefore(g.Policy, a.layer(g.ID)); err != nil && !g.Policy.Unconfined {
		return nil, errors.Join(err, held.close(ctx))
	}
	r := &room{app: a, goal: g.ID, held: held, world: world, sealed: sealed, parks: map[string]*model.Parks{}}
	if r.children, err = a.childrenOf(ctx, g); err != nil {
		return nil, errors.Join(err, held.close(ctx))
	}
	if r.parked, err = a.store.ParkedInARow(ctx, g.ID); err != nil {
		return nil, errors.Join(err, held.close(ctx))
	}
	r.camera = a.newCamera(g.ID)
	if err := r.equip(ctx, g, warn); err != nil {
		return nil, errors.Join(err, r.guests.close(), r.camera.close(), held.close(ctx))
	}
	a.rooms.open[g.ID], r.run = r, run
	return r, nil
}

// equip gives the room the tools, the checks and the models of a run.
func (r *room) equip(ctx context.Context, g goal.Goal, warn func(what, text string)) error {
	env, set := r.held.env, r.held.set
	r.policy, r.provider = g.Policy, g.Provider
	panes := &goalPanes{app: r.app, goal: g.ID, dir: g.Policy.Dir, launcher: set, env: env, camera: r.camera}
	words := tools.Room{Dir: g.Policy.Dir, Launcher: set, Env: env, Terminals: goalTerminals{panes}, Browsers: goalBrowsers{panes}, Panes: goalScreen{panes}, Logins: pageLogins{r.app.vault.Logins()}, Goals: r.children, Eyes: eyes{r}, Recipes: goalRecipes{r.app, g.ID}, Lines: &r.app.lines}
	words.Protected = r.protected()
	if r.held.proxy != nil {
		words.Held, words.Network, words.Access, words.Bounds = g.Policy.Risk, r.held.proxy, asking{r}, set
		words.Obeyed = r.held.obeyed
		for _, line := range r.held.lacks {
			warn("sandbox", line)
		}
		r.held.border.grant(rulesOf(r.policy), nil, nil, r.held.proxy.SetRules) // the run tells what its person allowed
	} else {
		warn("sandbox", "this goal runs unconfined: its programs have your own rights"+roots()+", because that was asked for")
	}
	if idle := g.Policy.UnusedParts(); idle != "" {
		warn("network", idle)
	}
	r.held.journal(warn)
	if hosts := hostsOf(g); len(hosts) > 0 && r.held.proxy != nil {
		warn("network", "open to the checks while they run, and to nothing else: "+strings.Join(hosts, ", "))
	}
	box, err := tools.New(words)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(g.Policy.Dir); err != nil || real != g.Policy.Dir { // a program has put a link there
		return errors.Join(fmt.Errorf("the goal's folder %s is not where it was when the goal was made: it is %q now", g.Policy.Dir, real), err, box.Close())
	}
	r.warn = warn
	m, err := r.mindsOf(ctx, g)
	if err != nil {
		return errors.Join(err, box.Close())
	}
	if r.guests == nil {
		if r.guests, err = r.app.invite(ctx, r.held, g.Policy, warn); err != nil {
			return errors.Join(err, box.Close())
		}
	}
	r.box, r.minds = box, m
	r.camera.run(true)
	r.host = r.held.host(r.app, g.Policy.Dir, hostsOf(g))
	r.host.World, r.host.Pages = r.world, r.app.pagesOf(g.ID)
	if m.judge != nil {
		r.host.Judge, r.host.Window = m.judge, m.window // it knows its model's name
	}
	return nil
}

// roots says that the person's rights are all there are, if they are root's.
func roots() string {
	if os.Geteuid() == 0 {
		return ", which are root's,"
	}
	return ""
}

func (r *room) dead() bool {
	select {
	case <-r.held.set.Done():
		return true
	default:
		return false
	}
}

// Ready says what keeps the goal from working here.
func (r *room) Ready() error {
	if r.dead() {
		return errors.New("its sandbox has ended; continue it for a new one")
	}
	if r.sealed != nil {
		return r.sealed
	}
	if _, err := r.app.provider(r.provider); err != nil {
		return told(err)
	}
	return nil
}

// told is an error with its hint, where only words are kept.
func told(err error) error {
	var refusal *goal.InvalidError
	if errors.As(err, &refusal) && refusal.Hint != "" {
		return fmt.Errorf("%w: %s", err, refusal.Hint)
	}
	return err
}

func (r *room) stay() {
	if r.lingers != nil {
		r.lingers()
		r.lingers = nil
	}
}

// makePlace ends what is left of goals that are done where another one begins to
// work: their programs would write in its folder.
func (a *App) makePlace(ctx context.Context, g goal.Goal) error {
	a.rooms.mu.Lock()
	var over []goal.ID
	for id, r := range a.rooms.open {
		if id != g.ID && r.lingers != nil && meet(r.policy, g.Policy) {
			over = append(over, id)
		}
	}
	a.rooms.mu.Unlock()
	var errs []error
	for _, id := range over {
		a.log.Info("another goal needs the folder: what a goal that is done left running ends", "goal", id)
		errs = append(errs, a.closeRoom(ctx, id))
	}
	return errors.Join(errs...)
}

// meet says whether the programs of two goals would write in one folder.
func meet(one, other policy.Policy) bool {
	for _, a := range writes(one) {
		for _, b := range writes(other) {
			if policy.IsWithin(a, b) || policy.IsWithin(b, a) {
				return true
			}
		}
	}
	return false
}

func writes(p policy.Policy) []string {
	if p.Risk == policy.ReadOnly {
		return p.AllowWrite
	}
	return append([]string{p.Dir}, p.AllowWrite...)
}

func (r *room) Models() runner.Models { return r.minds.Models }

func (r *room) Tools() []runner.Tool {
	list := make([]runner.Tool, 0, len(r.box.Tools()))
	for _, t := range r.box.Tools() {
		list = append(list, t)
	}
	return append(list, r.guests.tools()...)
}

func (r *room) Judge() runner.Verifier { return r.host }

// TotalSpend is what the goals that work for this one have spent.
func (r *room) TotalSpend() goal.Spend { return r.children.TotalSpend() }

func (r *room) World() runner.Workspace { return r.world }

// Close lets go of the run's tools. After a pause the room stays; after done it
// stays for a while; otherwise everything in it ends now.
func (r *room) Close(ctx context.Context, exit goal.Exit) error {
	r.app.rooms.mu.Lock()
	r.run = goal.Run{}
	r.app.rooms.mu.Unlock()
	r.held.journal(nil) // the run's journal is closed
	err := errors.Join(r.box.Close(), r.children.follow(ctx, exit))
	r.camera.run(false)
	switch {
	case exit == goal.Interrupted || goal.StatusForExit(exit) != goal.Paused && exit != goal.Done:
		return errors.Join(err, r.app.closeRoom(ctx, r.goal))
	case exit == goal.Done:
		r.shut(context.WithoutCancel(ctx))
		stays := time.Duration(r.app.cfg.Settings().LingerMinutes) * time.Minute
		if stays == 0 {
			return errors.Join(err, r.app.closeRoom(ctx, r.goal))
		}
		r.linger(context.WithoutCancel(ctx), stays)
	}
	return err
}

// linger closes the room of a goal that is done after a while, in which its person
// can look at what was built. She may have deleted the goal at once.
func (r *room) linger(ctx context.Context, stays time.Duration) {
	r.app.rooms.mu.Lock()
	defer r.app.rooms.mu.Unlock()
	if r.app.rooms.open[r.goal] != r {
		return
	}
	waiting, stop := context.WithCancel(ctx)
	r.lingers = stop
	over := r.app.clock.After(stays)
	r.app.rooms.waits.Go(func() {
		select {
		case <-waiting.Done():
			return
		case <-over:
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := r.app.closeDone(ctx, r.goal); err != nil {
			r.app.log.Warn("closing a room", "goal", r.goal, "error", err)
		}
	})
}

// end ends every program of the goal and closes its pages.
func (r *room) end(ctx context.Context) error {
	return errors.Join(r.guests.close(), r.held.close(ctx), r.app.browsers.CloseGoal(ctx, string(r.goal)), r.camera.close())
}

// closeRoom ends every program of a goal. Its terminals stay on the screen with
// their exit; its pages are closed.
func (a *App) closeRoom(ctx context.Context, id goal.ID) error {
	return a.closeWhere(ctx, id, func(*room) bool { return true })
}

// closeDone does so where the goal is done, and leaves one alone that goes on.
func (a *App) closeDone(ctx context.Context, id goal.ID) error {
	return a.closeWhere(ctx, id, func(r *room) bool { return r.lingers != nil })
}

func (a *App) closeWhere(ctx context.Context, id goal.ID, wanted func(*room) bool) error {
	a.rooms.mu.Lock()
	r := a.rooms.open[id]
	if r == nil || !wanted(r) {
		a.rooms.mu.Unlock()
		return nil
	}
	delete(a.rooms.open, id)
	r.stay()
	a.rooms.mu.Unlock()
	return r.end(ctx)
}

func (a *App) closeRooms(ctx context.Context) error {
	a.rooms.mu.Lock()
	ids := make([]goal.ID, 0, len(a.rooms.open))
	for id := range a.rooms.open {
		ids = append(ids, id)
	}
	a.rooms.mu.Unlock()
	var errs []error
	for _, id := range ids {
		errs = append(errs, a.closeRoom(ctx, id))
	}
	a.rooms.waits.Wait()
	return errors.Join(errs...)
}

// private matches variables that a goal's programs have no business with: by their
// names, and by addresses with a password in them.
var private = regexp.MustCompile(`(?is)^[^=]*((api_?key|token|secret|pass|credential|webhook)[^=]*|_(key|pwd|pat|auth|dsn))=|^[^=]*=.*://[^/\s@:]*:[^/\s@]+@`)

// KeepVariable names variables, with commas between, that the person wants the
// programs of goals to have, too.
const KeepVariable = "GOALPOST_KEEP_ENV"

func keptEnv() []string {
	return strings.FieldsFunc(os.Getenv(KeepVariable), func(r rune) bool { return r == ',' || r == ' ' })
}

// goalEnv is the environment of a goal's programs: this program's own without
// keys and tokens, and without what a provider names as its key. Inside a sandbox
// much less of it is kept.
func (a *App) goalEnv() []string {
	keys := map[string]bool{}
	for _, p := range a.cfg.Providers() {
		keys[p.APIKeyEnv] = true
	}
	var base []string
	kept := keptEnv()
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !keys[name] && (!private.MatchString(entry) || slices.Contains(kept, name)) {
			base = append(base, entry)
		}
	}
	return sandbox.Env(base)
}
