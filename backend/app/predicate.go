package app

import (
	"context"
	"fmt"

	"goalpost/backend/sandbox"
	"goalpost/backend/verify/check"
)

// predicateEngine evaluates expressions. Its program is laid down when the first goal
// wants one, and started beside the user's own programs: it shuts itself off.
type predicateEngine struct{ app *App }

func (e predicateEngine) Evaluate(ctx context.Context, expr string, response []byte) (bool, error) {
	program, err := e.program()
	if err != nil {
		return false, err
	}
	return program.Evaluate(ctx, expr, response)
}

func (e predicateEngine) Read(ctx context.Context, expr string) error {
	program, err := e.program()
	if err != nil {
		return err
	}
	return program.Read(ctx, expr)
}

func (e predicateEngine) program() (check.PredicateEngine, error) {
	path, err := sandbox.InstallPredicate(e.app.cfg.State())
	if err != nil {
		return check.PredicateEngine{}, fmt.Errorf("expressions: %w", err)
	}
	return check.PredicateEngine{Launcher: e.app.userPrograms, Program: path}, nil
}
