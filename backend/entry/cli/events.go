package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/store"
)

const followFlag = "follow"

func (r readCommands) events() *cobra.Command {
	var follow bool
	c := &cobra.Command{
		Use: "events ID", Short: "Print a goal's journal, one event per line",
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			if follow {
				return r.program.withApp(ctx, app.Options{}, func(a *app.App) error {
					return r.follow(ctx, a.Store(), a.Events, args[0])
				})
			}
			return r.program.withReadOnlyStore(ctx, func(_ *calls.GoalAPI, s *store.Store) error {
				row, err := s.Goals.Find(ctx, args[0])
				if err != nil {
					return fmt.Errorf("events: %w", err)
				}
				return r.printJournal(ctx, s, &journalReader{goal: row.ID})
			})
		},
	}
	c.Flags().BoolVarP(&follow, followFlag, "f", false, "follow until the goal stops or Ctrl+C")
	return c
}

// journalReader is how far the journal of a goal was printed.
type journalReader struct {
	goal       goal.ID
	last       int64 // seq of the last printed event
	hasStopped bool  // the goal does not continue automatically after it
}

// printJournal prints the events that were not printed yet.
func (r readCommands) printJournal(ctx context.Context, s *store.Store, to *journalReader) error {
	const page = 500
	for {
		events, err := s.History.Events(ctx, to.goal, to.last, page)
		if err != nil {
			return fmt.Errorf("events: %w", err)
		}
		for _, e := range events {
			if err := r.printEvent(e, to); err != nil {
				return err
			}
		}
		if len(events) < page {
			return nil
		}
	}
}

// follow prints a goal's journal, and what is added to it, until the goal stops.
func (r readCommands) follow(
	ctx context.Context, s *store.Store, subscribe func(buffer int) *event.Subscription, id string,
) error {
	row, err := s.Goals.Find(ctx, id)
	if err != nil {
		return fmt.Errorf("events: %w", err)
	}
	signals, stop := r.program.signals()
	defer stop()
	const buffer = 4096
	sub := subscribe(buffer)
	defer func() { sub.Close() }()
	to := &journalReader{goal: row.ID}
	err = r.printJournal(ctx, s, to)
	for err == nil && !to.hasStopped { // the status is not read: it may be newer than the printed events
		select {
		case <-signals:
			return nil
		case <-r.program.gone():
			return nil
		case <-ctx.Done():
			return nil
		case e, ok := <-sub.C:
			switch {
			case !ok: // too many events at once: the journal has all of them
				sub = subscribe(buffer)
				err = r.printJournal(ctx, s, to)
			case e.GoalID == to.goal && e.Seq > to.last:
				err = r.printEvent(e, to)
			}
		}
	}
	return err
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

func (r readCommands) printEvent(e event.Event, to *journalReader) error {
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("event %d: %w", e.Seq, err)
	}
	to.last = e.Seq
	to.hasStopped = isStopEvent(e) || to.hasStopped && !isStartEvent(e)
	return r.program.printf("%s\n", plainJSON(b))
}
