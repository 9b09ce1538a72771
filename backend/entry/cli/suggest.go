package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/shell"
)

// suggestCommand proposes checks for a goal.
type suggestCommand struct{ program Program }

// suggestion is a proposed check with the result of trying it.
type suggestion struct {
	api.SuggestedCheck
	Flags string         `json:"flags"` // flags of run that accept it, "" if there are none
	Tried *api.TryOutput `json:"tried"` // nil if it was not tried
	Why   string         `json:"why"`   // why it was not tried, if there was an error
}

func (sc suggestCommand) suggest() *cobra.Command {
	var noTry bool
	var in api.SuggestInput
	c := &cobra.Command{
		Use:   "suggest OBJECTIVE",
		Short: "Suggest checks for an objective, and try them",
		Long: "Suggest checks from the objective, from the test commands of the folder, from servers that run on this " +
			"computer and, where a model is connected, from the model. Each is tried at once in the sandbox, in a copy of the " +
			"folder. No goal is made: give the flags of those that you accept to `run`.",
		Example: "  " + sc.program.Name + " suggest 'make the cart tests pass' --dir .",
		RunE: func(c *cobra.Command, args []string) error {
			in.Objective = args[0]
			return sc.program.withApp(c.Context(), app.Options{}, func(a *app.App) error {
				g := a.GoalAPI(c.Context())
				out, err := g.Suggest(in)
				if err != nil {
					return err
				}
				list := make([]suggestion, len(out.Checks))
				for i, k := range out.Checks {
					list[i] = suggestion{SuggestedCheck: k, Flags: acceptFlags(k)}
					if !noTry && k.Check.Type.IsDeterministic() {
						list[i].try(g, in.Dir)
					}
					if !isJSON(c) {
						if err := sc.printSuggestion(list[i]); err != nil {
							return err
						}
					}
				}
				if isJSON(c) {
					return sc.program.json(map[string]any{"checks": list, "notes": out.Notes})
				}
				if in.Dir == "" {
					out.Notes = append(out.Notes, "No folder was searched. --dir . also suggests the test commands of this one.")
				}
				return sc.printSuggestEnd(list, out.Notes)
			})
		},
	}
	c.Flags().StringVar(&in.Dir, "dir", "", "the goal's folder (default: a new one)")
	c.Flags().StringVar(&in.Model, "model", "", "PROVIDER/MODEL, PROVIDER, or a model of the active provider")
	c.Flags().BoolVar(&in.NoModel, "no-model", false, "ask no model")
	c.Flags().BoolVar(&noTry, "no-try", false, "do not try the checks")
	return addJSON(c)
}

// try runs the check as pre-flight would.
func (s *suggestion) try(g *calls.GoalAPI, dir string) {
	out, err := g.TrySuggested(api.TryInput{
		Check:   s.Check,
		Request: goal.Request{Policy: policy.Policy{Dir: dir, AllowLocal: s.AllowLocal}},
	})
	if err != nil {
		s.Why = fault.Of(err).Message
		return
	}
	s.Tried = &out
}

// describe describes the result of trying the check.
func (s *suggestion) describe() string {
	switch {
	case !s.Check.Type.IsDeterministic():
		return "not tried: a model or you decide it when the agent claims"
	case s.Tried == nil && s.Why != "":
		return "not tried: " + s.Why
	case s.Tried == nil:
		return "not tried"
	}
	switch s.Tried.Outcome {
	case goal.FailsAsExpected:
		return "fails now, as it should"
	case goal.AlreadyPasses:
		return "passes already: it would not show that the goal is reached"
	case goal.CheckErr:
		return "not decided: " + s.Tried.Detail
	case goal.Pass, goal.Fail, goal.Tampered, goal.CheckUnrunnable, goal.NotRepeatable:
	}
	return "cannot run: " + s.Tried.Detail
}

func (sc suggestCommand) printSuggestion(s suggestion) error {
	text := fmt.Sprintf("%s: %s\n  %s (from the %s)\n  %s\n", s.Check.Type, oneLine(s.Check.Name()), oneLine(s.Reason),
		s.From, oneLine(s.describe()))
	if s.Flags != "" {
		text += "  " + s.Flags + "\n"
	}
	return sc.program.printf("%s", text)
}

func (sc suggestCommand) printSuggestEnd(list []suggestion, notes []string) error {
	for _, n := range notes {
		sc.program.errorf("%s\n", oneLine(n))
	}
	if len(list) > 0 {
		return sc.program.printf("\nNone of them is used yet: give the flags of those that you accept to %s run.\n",
			sc.program.Name)
	}
	return sc.program.printf("No checks to suggest.\nWrite a check yourself: a command that fails now and succeeds " +
		"when the goal is reached (--check 'make test'), a file that must be there (--check file:report.md), or a " +
		"page that must answer (--check http://127.0.0.1:8080/).\n")
}

// acceptFlags returns the flags of run that accept a proposal, "" if run has no flags for some of its fields.
func acceptFlags(k api.SuggestedCheck) string {
	c := k.Check
	flags, plain := "", goal.Check{Type: c.Type}
	switch c.Type {
	case goal.Shell:
		flags, plain.Command = "--check "+shell.Quote(c.Command), c.Command
	case goal.HTTP:
		flags, plain.URL = "--check "+shell.Quote(c.URL), c.URL
	case goal.File:
		flags, plain.Path = "--check "+shell.Quote("file:"+c.Path), c.Path
		plain.MinSize = min(c.MinSize, 1) // --check file: takes an empty file, too
	case goal.ModelQuestion:
		flags, plain.Question = "--check "+shell.Quote("question:"+c.Question), c.Question
	case goal.JSONPredicate, goal.Visual, goal.Manual:
	}
	if plain != c {
		return ""
	}
	for _, port := range k.AllowLocal {
		flags += fmt.Sprintf(" --allow-local %d", port)
	}
	return flags
}
