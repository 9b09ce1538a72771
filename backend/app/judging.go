package app

import (
	"context"
	"fmt"

	"goalpost/backend/sandbox"
	"goalpost/backend/verify"
)

// engine evaluates expressions. Its program is laid down when the first goal
// wants one, and started beside the person's own programs: it shuts itself off.
type engine struct{ app *App }

func (e engine) Evaluate(ctx context.Context, expr string, response []byte) (bool, error) {
	program, err := e.program()
	if err != nil {
		return false, err
	}
	return program.Evaluate(ctx, expr, response)
}

func (e engine) Read(ctx context.Context, expr string) error {
	program, err := e.program()
	if err != nil {
		return err
	}
	return program.Read(ctx, expr)
}

func (e engine) program() (verify.Engine, error) {
	path, err := sandbox.InstallPredicate(e.app.cfg.State())
	if err != nil {
		return verify.Engine{}, fmt.Errorf("expressions: %w", err)
	}
	return verify.Engine{Launcher: e.app.person, Program: path}, nil
}
