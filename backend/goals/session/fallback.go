package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// fallbackModel asks the goal's model, and others of the user while it is away. Only the loop of the goal uses it.
type fallbackModel struct {
	model.Client
	name   string // of the goal's model
	others []namedModel
	clock  runner.Clock
	away   time.Time // until when the goal's model is not asked
	warn   func(what, text string)
	why    string // why it is not asked
	used   string // the model that answered last, "" for the goal's own
}

// Turn asks the first model that answers. The error is that of the goal's own model.
func (f *fallbackModel) Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	var failure error
	if !f.clock.Now().Before(f.away) {
		reply, err := f.Client.Turn(ctx, t, delta)
		if !f.isAway(err) {
			if err == nil {
				f.note("")
			}
			return reply, err
		}
		failure = err
	}
	for _, other := range f.others {
		if reply, err := other.Turn(ctx, t, delta); err == nil {
			f.note(other.name)
			reply.Usage.Fallback = &goal.Fallback{Model: other.name, Why: f.why}
			return reply, nil
		}
	}
	if failure == nil { // nobody else answers either: the goal waits for its own model
		f.away = time.Time{}
		return f.Client.Turn(ctx, t, delta)
	}
	return goal.Reply{}, failure
}

// isAway reports whether the goal's model does not answer for now, or its quota is used up, and notes until when.
func (f *fallbackModel) isAway(err error) bool {
	const retryQuota = 15 * time.Minute
	var later *goal.Unavailable
	switch e, ok := model.AsError(err); {
	case errors.As(err, &later) && !later.DailyLimit:
		f.away, f.why = later.Until, f.name+" was away"
	case ok && e.Kind == model.Refused && e.IsQuota():
		f.away, f.why = f.clock.Now().Add(retryQuota), f.name+"'s quota was used up"
	default:
		return false
	}
	return true
}

// note journals that another model answers now.
func (f *fallbackModel) note(name string) {
	if name == f.used {
		return
	}
	f.used = name
	if name == "" {
		f.warn(event.FallbackWarning, fmt.Sprintf("%s answers again", f.name))
		return
	}
	f.warn(event.FallbackWarning, fmt.Sprintf("%s, so %s takes its turns until it answers again", f.why, name))
}
