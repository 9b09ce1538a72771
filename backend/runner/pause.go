package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"goalpost/backend/goal"
)

// pauseGate pauses a goal of this process. Each request to one of the goal's models passes it: once it is shut,
// running requests are cancelled and no new one begins. Safe for concurrent use.
type pauseGate struct {
	mu      sync.Mutex
	asked   chan struct{} // closed when somebody pauses it
	why     *Stop         // the user's, if they are among them
	running bool          // a run has begun, and sees the pause itself
	open    map[*modelRequest]bool
}

// modelRequest is a request to a model that is in progress.
type modelRequest struct {
	cut  context.CancelCauseFunc
	over chan struct{}
}

func newPausing() *pauseGate {
	return &pauseGate{asked: make(chan struct{}), open: map[*modelRequest]bool{}}
}

// shut shuts the gate and returns the requests that it cancelled, which may take a moment to end.
func (p *pauseGate) shut(why *Stop) []*modelRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.asked:
		if p.why.By != "" {
			p.why = why
		}
	default:
		p.why = why
		close(p.asked)
	}
	var cut []*modelRequest
	for r := range p.open {
		r.cut(goal.ErrPaused)
		cut = append(cut, r)
	}
	return cut
}

// attachRun marks that a run handles the pause from now on, until detachRun.
func (p *pauseGate) attachRun() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = true
}

func (p *pauseGate) detachRun() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = false
}

// reopen opens the gate again, unless a run stops for it already.
func (p *pauseGate) reopen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running {
		return false
	}
	select {
	case <-p.asked:
		p.asked = make(chan struct{})
	default:
	}
	return true
}

// requested returns the channel that is closed when somebody pauses the goal. It stays
// the same as long as a run is attached.
func (p *pauseGate) requested() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func (p *pauseGate) isShut() bool {
	select {
	case <-p.requested():
		return true
	default:
		return false
	}
}

// stop returns the stop that the pause requests.
func (p *pauseGate) stop() *Stop {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why
}

// admit lets a request through the gate. The caller must call the returned function when the request is over.
func (p *pauseGate) admit(ctx context.Context) (context.Context, func(), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.asked:
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
		close(r.over)
	}, nil
}

// askModel asks a model, through the gate. An error is goal.ErrPaused when the user's
// pause shut it.
func (p *pauseGate) askModel(ctx context.Context, m Model, t goal.Turn, delta func(string)) (goal.Reply, error) {
	ctx, over, err := p.admit(ctx)
	if err != nil {
		return goal.Reply{}, err
	}
	defer over()
	reply, err := m.Turn(ctx, t, delta)
	if err != nil && context.Cause(ctx) == goal.ErrPaused { //nolint:errorlint // the very cause
		return reply, goal.ErrPaused
	}
	return reply, err
}

// stopForError turns an error into a stop. A cancelled run stops for the reason of its cancellation; a run whose
// judge is unavailable for now is parked.
func (p *pauseGate) stopForError(ctx context.Context, doing string, err error) *Stop {
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

// PauseNow pauses a goal that this process runs or has queued. When it returns, no request to a model is running, and
// none begins until the goal is resumed; a tool call may still be ending. It reports whether this process has the
// goal.
func (r *Runner) PauseNow(ctx context.Context, id goal.ID, why string) (bool, error) {
	a := r.active(id)
	if a == nil {
		return false, nil
	}
	for _, cut := range a.pausing.shut(&Stop{Exit: goal.PausedByUser, Reason: why}) {
		select {
		case <-cut.over:
		case <-ctx.Done():
			return true, fmt.Errorf("waiting until the model is not asked any more: %w", ctx.Err())
		}
	}
	return true, nil
}

// UndoPause undoes PauseNow. It returns false if a run has begun to stop for it, or if this process no longer has the
// goal: then the goal must be resumed.
func (r *Runner) UndoPause(id goal.ID) bool {
	a := r.active(id)
	return a != nil && a.pausing.reopen()
}

func (r *Runner) active(id goal.ID) *active {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live[id]
}

// AskModel asks a model for the run that ctx belongs to, through its gate. An error is goal.ErrPaused when the user's
// pause shut it. Outside of a run there is no gate.
func AskModel(ctx context.Context, m Model, t goal.Turn, delta func(string)) (goal.Reply, error) {
	if run, _ := goal.RunOf(ctx); run.Control != nil {
		if r, ok := run.Control.(*runControl); ok {
			return r.gate.askModel(ctx, m, t, delta)
		}
	}
	return m.Turn(ctx, t, delta)
}
