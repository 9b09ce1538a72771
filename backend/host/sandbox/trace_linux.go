package sandbox

import (
	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox/wire"
)

// tracedProgram is a program whose trace was asked for.
type tracedProgram struct{ *program }

var _ process.TracedProcess = tracedProgram{}

// Trace returns the trace so far, which is complete once Done is closed.
func (t tracedProgram) Trace() process.Trace {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.trace.get()
}

// isTraced reports whether the programs of a command are traced: those of checks, inside a sandbox.
func (s *Supervisor) isTraced(c process.Command) bool {
	return c.Trace && s.sandboxed && c.Domain == process.DomainCheck
}

// traceCollector assembles the trace of one program. The program's lock guards it.
type traceCollector struct {
	trace      process.Trace
	isComplete bool
}

// add appends a batch.
func (t *traceCollector) add(b wire.TraceBatch) {
	for _, p := range b.Programs {
		one := process.TracedProgram{Path: string(p.Path), Dir: string(p.Dir)}
		for _, arg := range p.Args {
			one.Args = append(one.Args, string(arg))
		}
		t.trace.Programs = append(t.trace.Programs, one)
	}
	for _, a := range b.Accesses {
		if a.Program < 0 || a.Program >= len(t.trace.Programs) {
			t.trace.Incomplete = "the helper named a program that it did not describe"
			continue
		}
		t.trace.Accesses = append(t.trace.Accesses, process.FileAccess{
			Path:    string(a.Path),
			Use:     process.FileUse(a.Use),
			Missing: a.Missing,
			Program: a.Program,
		})
	}
	t.isComplete = t.isComplete || b.Complete
	if b.Incomplete != "" {
		t.trace.Incomplete = b.Incomplete
	}
}

// get returns the trace. Without its last batch it is incomplete.
func (t *traceCollector) get() process.Trace {
	all := t.trace
	if !t.isComplete && all.Incomplete == "" {
		all.Incomplete = "the sandbox ended before the trace was complete"
	}
	return all
}
