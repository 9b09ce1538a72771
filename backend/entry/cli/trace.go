package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/core/verify"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/lib/shell"
)

// trace runs a command in the sandbox of a check, and lists what it did with files.
func (s sandboxCommand) trace() *cobra.Command {
	p := policy.Policy{Risk: policy.WriteLocal}
	asJSON := false
	c := &cobra.Command{
		Use:   "trace [flags] -- COMMAND…",
		Short: "Run a command as a check and list the files that it uses",
		Long: "Run a command in the sandbox of a check, and list the files of the folder that it and all programs that it " +
			"starts use: which decide its result, which were not found, which were only read, and which were written. " +
			"The list is printed on standard output when the command has ended; what the command writes goes to standard " +
			"error. The exit code is the command's.",
		Example: "  " + s.program.Name + " trace -- make test\n  " + s.program.Name +
			" trace --dir work --json -- python3 check.py",
		RunE: func(c *cobra.Command, argv []string) error {
			if err := s.program.makePathsAbsolute(&p); err != nil {
				return err
			}
			return s.program.withApp(c.Context(), app.Options{}, func(a *app.App) error {
				return a.OpenTrialSandbox(c.Context(), p, func(w *goalsandbox.TrialSandbox) error {
					return s.runTraced(c.Context(), w, argv, asJSON)
				})
			})
		},
	}
	fl := c.Flags()
	fl.SetInterspersed(false)
	fl.StringVar(&p.Dir, "dir", ".", "the folder that the command runs in")
	fl.BoolVar(&asJSON, "json", false, "as JSON, with the files outside the folder")
	return c
}

// runTraced runs the command to its end and prints its trace.
func (s sandboxCommand) runTraced(ctx context.Context, w *goalsandbox.TrialSandbox, argv []string, asJSON bool) error {
	child, err := runToEnd(ctx, w, process.Command{
		Argv:   argv,
		Env:    w.CheckEnv,
		Dir:    w.Dir,
		Files:  []*os.File{os.Stdin, os.Stderr, os.Stderr},
		Domain: process.DomainCheck,
		Trace:  true,
	}, "a check has the programs of the system and of the usual toolchains")
	if err != nil {
		return err
	}
	trace := process.Trace{Incomplete: "not observed: this sandbox cannot trace"}
	if traced, ok := child.(process.TracedProcess); ok {
		trace = traced.Trace()
	}
	for _, line := range w.Violations() {
		s.program.errorf("%s: %s\n", s.program.Name, oneLine(line))
	}
	command := shell.Join(argv)
	view, err := lifecycle.TracedCheck{
		Dir:   w.Dir,
		Check: goal.Check{Type: goal.Shell, Command: command},
	}.Describe(ctx, verify.ObserveTrace(trace, w.Dir, command))
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	if asJSON {
		err = s.program.json(struct {
			process.Trace

			View   *api.TraceView `json:"preflight"`
			Exit   int            `json:"exit"` // -1 if a signal ended the command
			Signal int            `json:"signal,omitempty"`
		}{trace, view, child.Status().Code, int(child.Status().Signal)})
	} else {
		err = s.program.printf("%s", formatTrace(trace, view, w.Dir))
	}
	if err != nil {
		return err
	}
	if trace.Incomplete != "" {
		s.program.errorf("%s: the list is incomplete: %s\n", s.program.Name, oneLine(trace.Incomplete))
	}
	return s.exitWith(child.Status())
}

// maxListedPrograms limits the programs that the text lists: a compiler runs for every file.
const maxListedPrograms = 50

// maxListedFiles limits the files in each list of the text.
const maxListedFiles = 100

// formatTrace lists the programs of a trace and what they did with the files of the folder.
func formatTrace(trace process.Trace, view *api.TraceView, dir string) string {
	var b strings.Builder
	b.WriteString("Programs\n")
	for i, one := range trace.Programs {
		if i == maxListedPrograms {
			fmt.Fprintf(&b, "  and %d more (--json lists them)\n", len(trace.Programs)-i)
			break
		}
		fmt.Fprintf(&b, "  %s\n", oneLine(strings.Join(one.Args, " ")))
		fmt.Fprintf(&b, "    %s, in %s\n", singleLine(one.Path), singleLine(pathFrom(dir, one.Dir)))
	}
	if len(trace.Programs) == 0 {
		b.WriteString("  none\n")
	}
	for _, part := range []struct {
		title string
		files api.TracedFiles
	}{
		{"Decides (a goal with this check protects it)", view.Decides},
		{"Looked for but not found", view.Missing},
		{"Also read", view.Read},
		{"Written", view.Written},
	} {
		b.WriteString("\n" + part.title + "\n" + formatTracedFiles(part.files, maxListedFiles))
	}
	outside := map[string]bool{}
	for _, a := range trace.Accesses {
		if !isIn(a.Path, dir) {
			outside[a.Path] = true
		}
	}
	fmt.Fprintf(&b, "\nFiles used outside the folder: %d (--json lists them)\n", len(outside))
	b.WriteString(describeProposal(view))
	return b.String()
}

// formatTracedFiles lists files, one a line, and counts those above the limit.
func formatTracedFiles(list api.TracedFiles, limit int) string {
	if list.Total == 0 {
		return "  none\n"
	}
	var b strings.Builder
	for i, f := range list.Files {
		if i == limit {
			break
		}
		details := slices.DeleteFunc([]string{f.Why, f.By}, func(s string) bool { return s == "" })
		line := f.Path
		if len(details) > 0 {
			line += " (" + strings.Join(details, ", ") + ")"
		}
		fmt.Fprintf(&b, "  %s\n", singleLine(line))
	}
	if more := list.Total - min(limit, len(list.Files)); more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	return b.String()
}

// describeProposal proposes what an agent could be limited to, "" if the trace shows nothing.
func describeProposal(view *api.TraceView) string {
	if len(view.Work) == 0 {
		return ""
	}
	flags := make([]string, 0, len(view.Work))
	for _, path := range view.Work {
		flags = append(flags, "--work "+shell.QuoteIfNeeded(singleLine(path)))
	}
	return "The agent can be limited to what else the check reads: " + strings.Join(flags, " ") + "\n"
}

// isIn reports whether a path is a folder or in it.
func isIn(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// pathFrom returns a path relative to a folder if it is in that folder, otherwise the path itself.
func pathFrom(dir, path string) string {
	if path == dir {
		return "."
	}
	return strings.TrimPrefix(path, dir+"/")
}
