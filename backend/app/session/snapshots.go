package session

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"goalpost/backend/app/goalsandbox"
	"goalpost/backend/config"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/runner"
	"goalpost/backend/snapshot"
)

// snapshotInterval is the least time between two snapshots during a run.
const snapshotInterval = 30 * time.Second

// SnapshotOptions returns which folder the snapshots of a goal cover, and where they are stored. state is the program's
// data folder, and dir the goal's private folder in it.
func SnapshotOptions(g goal.Goal, state, dir string) snapshot.Options {
	o := snapshot.Options{
		Dir:     g.Policy.Dir,
		Private: filepath.Join(dir, "snapshot"),
		Free:    func() (uint64, error) { return config.FreeBytes(state) },
	}
	for _, path := range append([]string{state}, goalsandbox.HiddenPaths(g.Policy)...) {
		if rel, err := filepath.Rel(g.Policy.Dir, path); err == nil && filepath.IsLocal(rel) && rel != "." {
			o.Hidden = append(o.Hidden, filepath.ToSlash(rel))
		}
	}
	return o
}

// TakesSnapshots reports whether a goal can change its folder at all.
func TakesSnapshots(p policy.Policy) bool { return p.Risk != policy.ReadOnly || p.Unconfined }

// snapshots takes the snapshots of one run in a goroutine of its own. All methods may be called concurrently, and on
// nil, which takes none.
type snapshots struct {
	archive *snapshot.Archive
	clock   runner.Clock
	log     *slog.Logger
	goal    goal.ID

	first chan struct{} // closed when the first one was taken, or failed
	steps chan int      // the newest step that may have changed something
	stop  context.CancelFunc
	done  chan struct{}
	once  sync.Once

	mu   sync.Mutex
	step int // the newest one
}

// startSnapshots begins the first snapshot of a run. A goal continues without snapshots if they cannot be taken, and
// its user is warned.
func (reg *Registry) startSnapshots(ctx context.Context, g goal.Goal, warn func(what, text string)) *snapshots {
	if !TakesSnapshots(g.Policy) {
		return nil
	}
	complain := func(err error) {
		warn("snapshot", fmt.Sprintf("changes in the folder cannot be undone later: %v", err))
	}
	archive, err := snapshot.Open(SnapshotOptions(g, reg.Config.State(), reg.Store.GoalDir(g.ID)))
	if err != nil {
		complain(err)
		return nil
	}
	s := &snapshots{
		archive: archive,
		clock:   reg.Clock,
		log:     reg.Log,
		goal:    g.ID,
		first:   make(chan struct{}),
		steps:   make(chan int, 1),
		done:    make(chan struct{}),
		step:    g.Spent.Steps,
	}
	kind := snapshot.Start
	if len(archive.Checkpoints()) > 0 {
		kind = snapshot.Resume
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	go s.run(ctx, kind, g.Spent.Steps, complain)
	return s
}

// run takes the snapshots until ctx ends.
func (s *snapshots) run(ctx context.Context, kind snapshot.Kind, step int, complain func(error)) {
	defer close(s.done)
	err := s.archive.Take(ctx, kind, step)
	close(s.first)
	if err != nil {
		if ctx.Err() == nil {
			complain(err)
		}
		return
	}
	s.sync()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case step := <-s.steps:
			if now := s.clock.Now(); now.Sub(last) >= snapshotInterval {
				last = now
				if err := s.archive.Take(ctx, snapshot.Step, step); err != nil && ctx.Err() == nil {
					s.log.Warn("no snapshot was taken", "goal", s.goal, "step", step, "error", err)
				}
			}
		}
	}
}

func (s *snapshots) sync() {
	if err := s.archive.Sync(); err != nil {
		s.log.Warn("snapshots may be lost with the machine's power", "goal", s.goal, "error", err)
	}
}

// end stops the goroutine, and takes the last snapshot of the run.
func (s *snapshots) end(ctx context.Context) {
	if s == nil {
		return
	}
	s.once.Do(func() {
		s.stop()
		<-s.done
		s.mu.Lock()
		step := s.step
		s.mu.Unlock()
		if len(s.archive.Checkpoints()) > 0 {
			if err := s.archive.Take(ctx, snapshot.End, step); err != nil {
				s.log.Warn("no snapshot was taken at the end of a run", "goal", s.goal, "error", err)
			}
			s.sync()
		}
		if err := s.archive.Close(); err != nil {
			s.log.Warn("closing snapshots", "goal", s.goal, "error", err)
		}
	})
}

// AwaitSnapshot waits for the first snapshot, which has the folder as it was when the session was opened.
func (r *Session) AwaitSnapshot(ctx context.Context) {
	if r.snapshots == nil {
		return
	}
	select {
	case <-r.snapshots.first:
	case <-ctx.Done():
	}
}

// SnapshotAfter requests a snapshot because a step may have changed the folder. It does not wait.
func (r *Session) SnapshotAfter(step int) {
	s := r.snapshots
	if s == nil {
		return
	}
	s.mu.Lock()
	s.step = step
	s.mu.Unlock()
	select {
	case <-s.steps: // the older one is obsolete
	default:
	}
	select {
	case s.steps <- step:
	default:
	}
}
