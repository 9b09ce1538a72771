package engine

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// Limits on how long an agent may send nothing.
const (
	silenceTimeout = 3 * time.Minute // without a running tool or a request to the model
	// with its own sign-in: the host does not see its requests to its provider
	loginSilenceTimeout = 10 * time.Minute
	toolWarning         = 10 * time.Minute // in its own tool, until the user is warned
	toolTimeout         = 30 * time.Minute // in its own tool, as long as a model's commands may run
	silentPark          = 5 * time.Minute  // until a silent agent is prompted again
)

// maxTitle limits the name of a tool in a message for the user, in bytes.
const maxTitle = 200

// silence measures how long the agent has sent nothing. The caller holds Session.mu.
type silence struct {
	since  time.Time     // the last update
	warned bool          // the user was warned about the running tool
	quiet  time.Duration // how long it may send nothing outside of a tool
}

// restart begins to measure again.
func (s *silence) restart(now time.Time) { s.since, s.warned = now, false }

// limit returns the duration of silence after which the user is warned or the turn is ended.
func (s silence) limit(inTool bool) time.Duration {
	switch {
	case !inTool:
		return s.quiet
	case !s.warned:
		return toolWarning
	}
	return toolTimeout
}

// silenceLeft returns how long the agent may still be silent. inTool says that one of its own tools is running.
func (s *Session) silenceLeft(inTool bool) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := s.silence.limit(inTool || len(s.inbox.running) > 0)
	return max(time.Second, limit-s.opts.Now().Sub(s.silence.since))
}

// silenceReason describes a silence that lasted too long; "" if it has not. tool is the agent's tool that the loop
// waits for, "" if none. Before a silent tool is ended, it warns the user.
func (s *Session) silenceReason(tool string) string {
	name := s.opts.Installed.Profile.Name
	s.mu.Lock()
	now := s.opts.Now()
	if s.relay.IsBusy() || tool == "" && len(s.inbox.requests) > 0 {
		s.silence.restart(now)
	}
	for _, title := range s.inbox.running {
		tool = cmp.Or(tool, title, "a tool")
	}
	tool = text.TruncateBytes(tool, maxTitle)
	quiet, warn, reason := now.Sub(s.silence.since), false, ""
	switch {
	case tool == "" && quiet >= s.silence.quiet:
		reason = fmt.Sprintf("%s has sent nothing for %s", name, goal.FormatDuration(s.silence.quiet))
	case tool != "" && quiet >= toolTimeout:
		reason = fmt.Sprintf("%s has reported nothing about %q for %s", name, tool, goal.FormatDuration(toolTimeout))
	case tool != "" && quiet >= toolWarning && !s.silence.warned:
		warn, s.silence.warned = true, true
	}
	s.mu.Unlock()
	if warn {
		s.journalWarning("engine", fmt.Sprintf("%s has reported nothing about %q for %s. The host ends it after %s; to end "+
			"it now, pause or abort the goal", name, tool, goal.FormatDuration(toolWarning), goal.FormatDuration(toolTimeout)))
	}
	return reason
}

// parkSilent ends the turn and returns an error that parks the goal if the agent was silent for too long.
func (s *Session) parkSilent(ctx context.Context, a *program) error {
	reason := s.silenceReason("")
	if reason == "" {
		return nil
	}
	s.Interrupt(ctx) // before its last output is read, because some agents report their problem only then
	return &goal.Unavailable{
		Until: s.opts.Now().Add(silentPark),
		Err:   fmt.Errorf("%s. %s", reason, a.lastOutput()),
	}
}
