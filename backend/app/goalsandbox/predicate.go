package goalsandbox

import (
	"context"
	"fmt"

	"goalpost/backend/process"
	"goalpost/backend/sandbox"
)

// predicateEngine evaluates expressions in a separate program. It is installed when first needed, and started
// beside the user's own programs, because it confines itself.
type predicateEngine struct {
	state    string // the folder of the program
	programs process.Launcher
}

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

func (e predicateEngine) program() (PredicateProgram, error) {
	path, err := sandbox.InstallPredicate(e.state)
	if err != nil {
		return PredicateProgram{}, fmt.Errorf("expressions: %w", err)
	}
	return PredicateProgram{Launcher: e.programs, Program: path}, nil
}
