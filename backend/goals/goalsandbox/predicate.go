package goalsandbox

import (
	"context"
	"fmt"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
)

// predicateEvaluator evaluates expressions in a separate program. It installs the program when first needed, and starts
// it outside of the goal's sandbox, because the program confines itself.
type predicateEvaluator struct {
	state    string // the folder of the program
	programs process.Launcher
}

func (p predicateEvaluator) Evaluate(ctx context.Context, expr string, response []byte) (bool, error) {
	program, err := p.program()
	if err != nil {
		return false, err
	}
	return program.Evaluate(ctx, expr, response)
}

func (p predicateEvaluator) Validate(ctx context.Context, expr string) error {
	program, err := p.program()
	if err != nil {
		return err
	}
	return program.Validate(ctx, expr)
}

func (p predicateEvaluator) program() (PredicateProgram, error) {
	path, err := sandbox.InstallPredicate(p.state)
	if err != nil {
		return PredicateProgram{}, fmt.Errorf("expressions: %w", err)
	}
	return PredicateProgram{Launcher: p.programs, Program: path}, nil
}
