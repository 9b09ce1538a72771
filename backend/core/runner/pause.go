package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"goalpost/backend/domain/goal"
)

// pauser pauses a goal of this process. Each request to one of the goal's models needs its permission: once the
// goal is paused, running requests are cancelled and no new one begins. It is safe for concurrent use.
type pauser struct {
	mu       sync.Mutex
	paused   chan struct{} // closed when somebody pauses it
	why      *Stop         // the user's pause takes precedence
	attached bool          // a run is attached and handles the pause itself
	open     map[*modelRequest]bool
}

// modelRequest is a request to a model that is in progress.
type modelRequest struct {
	cancel context.CancelCauseFunc
	end    chan struct{}
}

func newPauser() *pauser {
	return &pauser{paused: make(chan struct{}), open: map[*modelRequest]bool{}}
}

// pause pauses the goal and returns the requests that it cancelled, which may take a moment to end.
func (p *pauser) pause(why *Stop) []*modelRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.paused:
		if p.why.By != "" {
			p.why = why
		}
	default:
		p.why = why
		close(p.paused)
	}
	var cut []*modelRequest
	for r := range p.open {
		r.cancel(goal.ErrPaused)
		cut = append(cut, r)
	}
	return cut
}

// attachRun marks that a run handles the pause from now on, until detachRun.
func (p *pauser) attachRun() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.attached = true
}

func (p *pauser) detachRun() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.attached = false
}

// unpause ends the pause, unless a run already stops for it. It reports whether it did.
func (p *pauser) unpause() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.attached {
		return false
	}
	select {
	case <-p.paused:
		p.paused = make(chan struct{})
	default:
	}
	return true
}

// requested returns the channel that is closed when somebody pauses the goal. It stays the same as long as a run is
// attached.
func (p *pauser) requested() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.paused
}

func (p *pauser) isPaused() bool {
	select {
	case <-p.requested():
		return true
	default:
		return false
	}
}

// stop returns the stop that the pause requests.
func (p *pauser) stop() *Stop {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why
}

// admit admits a request. The caller must call the returned function when the request is over.
func (p *pauser) admit(ctx context.Context) (context.Context, func(), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.paused:
		return nil, nil, goal.ErrPaused
	default:
	}
	ctx, cut := context.WithCancelCause(ctx)
	r := &modelRequest{cut, make(chan struct{})}
	p.open[r] = true
	return ctx, func() {
		cut(nil)
		p.mu.Lock()
		delete(p.open, r)
		p.mu.Unlock()
		close(r.end)
	}, nil
}

// askModel asks a model. The error is goal.ErrPaused if the goal is or becomes paused.
func (p *pauser) askModel(ctx context.Context, m Model, t goal.Turn, delta func(string)) (goal.Reply, error) {
	ctx, end, err := p.admit(ctx)
	if err != nil {
		return goal.Reply{}, err
	}
	defer end()
	reply, err := m.Turn(ctx, t, delta)
	if err != nil && context.Cause(ctx) == goal.ErrPaused { //nolint:errorlint // this very error, not one that wraps it
		return reply, goal.ErrPaused
	}
	return reply, err
}

// stopForError turns an error into a stop. A cancelled run stops for the reason of its cancellation; a run whose
// model is unavailable for now is parked.
func (p *pauser) stopForError(ctx context.Context, doing string, err error) *Stop {
	if stop := stopCause(ctx); stop != nil {
		return stop
	}
	if errors.Is(err, goal.ErrPaused) {
		return p.stop()
	}
	var later *goal.Unavailable
	if errors.As(err, &later) {
		return parkedStop(later, doing+": "+err.Error())
	}
	return &Stop{Exit: goal.ExitError, Reason: doing + ": " + err.Error()}
}

// PauseNow pauses a goal that this process runs or has queued. When it returns, no request to a model is running,
// and none begins until the goal is resumed; a tool call may still be ending. It reports whether this process has
// the goal.
func (r *Runner) PauseNow(ctx context.Context, id goal.ID, why string) (bool, error) {
	a := r.active(id)
	if a == nil {
		return false, nil
	}
	for _, cut := range a.pauser.pause(&Stop{Exit: goal.PausedByUser, Reason: why}) {
		select {
		case <-cut.end:
		case <-ctx.Done():
			return true, fmt.Errorf("waiting for requests to the model to end: %w", ctx.Err())
		}
	}
	return true, nil
}

// UndoPause undoes PauseNow. It returns false if a run has begun to stop for it, or if this process no longer has
// the goal; then the goal must be resumed.
func (r *Runner) UndoPause(id goal.ID) bool {
	a := r.active(id)
	return a != nil && a.pauser.unpause()
}

func (r *Runner) active(id goal.ID) *active {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live[id]
}

// AskModel asks a model for the run that ctx belongs to. The error is goal.ErrPaused if the run is or becomes
// paused. Without a run in ctx, it asks the model directly.
func AskModel(ctx context.Context, m Model, t goal.Turn, delta func(string)) (goal.Reply, error) {
	if run, _ := goal.RunOf(ctx); run.Control != nil {
		if r, ok := run.Control.(*runControl); ok {
			return r.pauser.askModel(ctx, m, t, delta)
		}
	}
	return m.Turn(ctx, t, delta)
}
