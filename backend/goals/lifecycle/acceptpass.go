package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
)

// acceptPass journals that the user accepts the doubted pass of a done goal.
func (r *Resumption) acceptPass(ctx context.Context, id goal.ID) (err error) {
	lock, err := r.lockStopped(ctx, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	row, err := r.store.Goals.Get(ctx, id)
	if err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	proofs, err := r.store.History.Proofs(ctx, id)
	if err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	proof, _ := proofs[id].After(row.Aftermath, "")
	accepted, ok := proof.AcceptedByUser()
	if !ok || row.Exit != goal.Done {
		return fault.New(fault.Conflict, "no pass of this goal waits for your decision",
			"goalctl show "+id.Short()+" says what it proved")
	}
	run := goal.Run{Goal: id, ID: row.RunID}
	if err := r.store.Journal.Append(ctx, run, &event.Accepted{Proof: accepted}); err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	return nil
}
