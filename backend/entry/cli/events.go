package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/store"
)

func (r readCommands) events() *cobra.Command {
	var follow bool
	c := &cobra.Command{
		Use: "events ID", Short: "Print a goal's journal, one event per line",
		RunE: r.program.runWithStore(func(c *cobra.Command, _ *calls.GoalAPI, s *store.Store, args []string) error {
			row, err := s.Goals.Find(c.Context(), args[0])
			if err != nil {
				return fmt.Errorf("events: %w", err)
			}
			return r.journal(c.Context(), s, row.ID, follow)
		}),
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "follow until the goal stops or Ctrl+C")
	return c
}

func (r readCommands) journal(ctx context.Context, s *store.Store, id goal.ID, follow bool) error {
	const page = 500
	seq, hasStopped := int64(0), false
	for {
		events, err := s.History.Events(ctx, id, seq, page)
		if err != nil {
			return fmt.Errorf("events: %w", err)
		}
		for _, e := range events {
			if err := r.printEvent(e); err != nil {
				return err
			}
			seq = e.Seq
			hasStopped = isStopEvent(e) || hasStopped && !isStartEvent(e)
		}
		if len(events) < page {
			break
		}
	}
	if !follow || hasStopped { // the status is not read: it may be newer than the printed events
		return nil
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return r.followJournal(ctx, s, id, seq)
}

// followJournal prints a goal's events while another process writes them.
func (r readCommands) followJournal(ctx context.Context, s *store.Store, id goal.ID, seq int64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var printErr error
	err := s.History.Follow(ctx, map[goal.ID]int64{id: seq}, func(goal.ID) int64 { return 0 }, func(e event.Event) {
		if e.GoalID != id || e.Seq <= seq {
			return
		}
		seq = e.Seq
		printErr = errors.Join(printErr, r.printEvent(e))
		if isStopEvent(e) {
			cancel()
		}
	})
	return errors.Join(err, printErr)
}

// isStopEvent reports whether a goal does not continue automatically after an event.
func isStopEvent(e event.Event) bool {
	switch b := e.Body.(type) {
	case *event.Ended:
		return true
	case *event.Paused:
		return !b.Exit.IsParked()
	case *event.Queued:
		return b.Left != ""
	}
	return false
}

// isStartEvent reports whether a goal continues, or waits to continue, with an event.
func isStartEvent(e event.Event) bool {
	switch b := e.Body.(type) {
	case *event.Started, *event.Resumed, *event.Reopened:
		return true
	case *event.Queued:
		return b.Left == ""
	}
	return false
}

func (r readCommands) printEvent(e event.Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("event %d: %w", e.Seq, err)
	}
	return r.program.printf("%s\n", plainJSON(b))
}
