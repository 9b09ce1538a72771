package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/snapshot"
)

// minSnapshotInterval is the minimum time between two snapshots during a run.
const minSnapshotInterval = 30 * time.Second

// maxSnapshotTime limits the last snapshot of a run.
const maxSnapshotTime = time.Minute

// SnapshotOptions returns the folder that the snapshots of a goal cover, and where they are stored. state is Goalpost's
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

// MayChangeFolder reports whether a goal may change its folder without an approval.
func MayChangeFolder(p policy.Policy) bool { return p.Risk != policy.ReadOnly || p.Unconfined }

// snapshots takes the snapshots of one run in its own goroutine. All methods may be called concurrently, and on nil,
// which takes none.
type snapshots struct {
	options snapshot.Options
	folder  *openFolder
	clock   runner.Clock
	log     *slog.Logger
	goal    goal.ID

	want    func()        // closes request
	request chan struct{} // closed when the first one is needed
	first   chan struct{} // closed when the first one was taken, or failed
	steps   chan int      // the newest step that may have changed something
	stop    context.CancelFunc
	done    chan struct{}
	once    sync.Once

	archive  *snapshot.Archive // the goroutine's until first is closed
	firstErr error             // why there is no first snapshot

	mu   sync.Mutex
	step int // the newest one
}

// startSnapshots begins the first snapshot of a run. For a goal that may only read, the snapshot waits until the user
// approves a change. If snapshots cannot be taken, the user is warned, and the goal continues without them.
func (reg *Registry) startSnapshots(
	ctx context.Context, g goal.Goal, folder *openFolder, warn func(what, text string),
) *snapshots {
	s := &snapshots{
		options: SnapshotOptions(g, reg.Config.State(), reg.Store.GoalDir(g.ID)),
		folder:  folder,
		clock:   reg.Clock,
		log:     reg.Log,
		goal:    g.ID,
		request: make(chan struct{}),
		first:   make(chan struct{}),
		steps:   make(chan int, 1),
		done:    make(chan struct{}),
		step:    g.Spent.Steps,
	}
	s.want = sync.OnceFunc(func() { close(s.request) })
	if MayChangeFolder(g.Policy) {
		s.want()
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	go s.run(ctx, g.Spent.Steps, func(err error) {
		warn("snapshot", fmt.Sprintf("changes in the folder can neither be listed nor undone: %v", err))
	})
	return s
}

// run takes the snapshots until ctx ends.
func (s *snapshots) run(ctx context.Context, step int, onFailure func(error)) {
	defer close(s.done)
	select {
	case <-s.request:
	case <-ctx.Done():
		return
	}
	s.firstErr = s.takeFirst(ctx, step)
	if s.firstErr != nil && ctx.Err() == nil {
		onFailure(s.firstErr) // before a step that waits for the snapshot
	}
	close(s.first)
	if s.firstErr != nil {
		return
	}
	s.sync()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case step := <-s.steps:
			if now := s.clock.Now(); now.Sub(last) >= minSnapshotInterval {
				last = now
				if err := s.take(ctx, snapshot.Step, step); err != nil && ctx.Err() == nil {
					s.log.Warn("no snapshot was taken", "goal", s.goal, "step", step, "error", err)
				}
			}
		}
	}
}

func (s *snapshots) takeFirst(ctx context.Context, step int) (err error) {
	if s.archive, err = snapshot.Open(s.options); err != nil {
		return err
	}
	kind := snapshot.Start
	if len(s.archive.Checkpoints()) > 0 {
		kind = snapshot.Resume
	}
	return s.archive.Take(ctx, kind, step)
}

// take takes a later snapshot, unless another folder is in the place of the goal's: what differs there was not changed
// by the goal.
func (s *snapshots) take(ctx context.Context, kind snapshot.Kind, step int) error {
	if err := s.folder.problem(); err != nil {
		return err
	}
	return s.archive.Take(ctx, kind, step)
}

// ChangesSinceStart compares the folder with the first snapshot of the goal. While none was needed, the goal has
// changed nothing.
func (s *snapshots) ChangesSinceStart(ctx context.Context) (goal.FolderChanges, error) {
	select {
	case <-s.request:
	default:
		return storedChanges(ctx, s.options)
	}
	select {
	case <-s.first:
	case <-s.done:
	case <-ctx.Done():
		return goal.FolderChanges{}, fmt.Errorf("waiting for the first snapshot: %w", context.Cause(ctx))
	}
	select {
	case <-s.first:
	default: // the run ended before it began
		return storedChanges(ctx, s.options)
	}
	if err := cmp.Or(s.folder.problem(), s.firstErr); err != nil {
		return goal.FolderChanges{Unavailable: err.Error()}, nil
	}
	return s.archive.ChangesSinceStart(ctx)
}

// storedChanges compares a folder with the snapshots that are stored, if there are any.
func storedChanges(ctx context.Context, o snapshot.Options) (goal.FolderChanges, error) {
	a, err := snapshot.Read(o)
	if errors.Is(err, fs.ErrNotExist) {
		return goal.FolderChanges{}, nil
	}
	if err != nil {
		return goal.FolderChanges{}, err
	}
	return a.ChangesSinceStart(ctx)
}

// storedSnapshots lists the changes of a goal that has no run.
type storedSnapshots struct{ options snapshot.Options }

// ChangesSinceStart compares the folder with the stored snapshots.
func (st storedSnapshots) ChangesSinceStart(ctx context.Context) (goal.FolderChanges, error) {
	return storedChanges(ctx, st.options)
}

func (s *snapshots) sync() {
	if err := s.archive.Sync(); err != nil {
		s.log.Warn("snapshots may be lost with the machine's power", "goal", s.goal, "error", err)
	}
}

// end stops the goroutine, and takes the last snapshot of the run. It has a time limit of its own: without this
// snapshot an undo would treat the last changes of the goal as those of the user.
func (s *snapshots) end(ctx context.Context) {
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxSnapshotTime)
	defer cancel()
	s.once.Do(func() {
		s.stop()
		<-s.done
		if s.archive == nil {
			return
		}
		s.mu.Lock()
		step := s.step
		s.mu.Unlock()
		if len(s.archive.Checkpoints()) > 0 {
			if err := s.take(ctx, snapshot.End, step); err != nil {
				s.log.Warn("no snapshot was taken at the end of a run", "goal", s.goal, "error", err)
			}
			s.sync()
		}
		if err := s.archive.Close(); err != nil {
			s.log.Warn("the snapshots were not closed", "goal", s.goal, "error", err)
		}
	})
}

// AwaitSnapshot waits for the first snapshot, if one is needed already.
func (se *Session) AwaitSnapshot(ctx context.Context) {
	select {
	case <-se.snapshots.request:
		se.SnapshotBefore(ctx)
	default:
	}
}

// SnapshotBefore requests the first snapshot and waits for it, because a step may change the folder.
func (se *Session) SnapshotBefore(ctx context.Context) {
	se.snapshots.want()
	select {
	case <-se.snapshots.first:
	case <-se.snapshots.done:
	case <-ctx.Done():
	}
}

// SnapshotAfter requests a snapshot because a step may have changed the folder. It does not wait.
func (se *Session) SnapshotAfter(step int) {
	s := se.snapshots
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
