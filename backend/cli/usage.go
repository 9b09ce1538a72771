package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/api"
	"goalpost/backend/fault"
	"goalpost/backend/store"
)

// newCommandGroup makes a command that has only subcommands: without one it shows its help.
func newCommandGroup(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.AddCommand(commands...)
	return c
}

// wrapUsageErrors turns every usage mistake into an error with the correct usage; cobra alone would count arguments,
// or show the help and succeed.
func (p Program) wrapUsageErrors(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		hint := c.CommandPath() + " --help lists its flags"
		if strings.Contains(err.Error(), "unit") && strings.Contains(err.Error(), "in duration") {
			hint = "write a duration with its unit, such as 90s, 45m or 2h"
		}
		return &fault.Error{Code: fault.Refused, Message: err.Error(), Hint: hint}
	})
	walkCommands(root, func(c *cobra.Command) {
		if c.Name() == "completion" && c.Run == nil {
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
		if c.Name() == "help" {
			show := c.Run
			c.Run, c.RunE = nil, func(c *cobra.Command, args []string) error {
				if _, _, err := root.Find(args); err != nil {
					return &fault.Error{Code: fault.Refused, Message: err.Error(), Hint: p.Name + " help lists the commands"}
				}
				show(c, args)
				return nil
			}
		}
		count := c.Args
		if count == nil {
			return
		}
		c.Args = func(c *cobra.Command, args []string) error {
			err := count(c, args)
			switch {
			case err == nil:
				return nil
			case c.HasSubCommands(): // an unknown subcommand
				return &fault.Error{Code: fault.Refused, Message: err.Error(), Hint: c.CommandPath() + " --help lists the commands"}
			}
			return &fault.Error{
				Code: fault.Refused, Message: fmt.Sprintf("%s %s", c.CommandPath(), err),
				Hint: "usage: " + c.UseLine() + isGoalGroup(p.Name, c),
			}
		}
	})
}

func isGoalGroup(program string, c *cobra.Command) string {
	if takesGoal(c) {
		return "; " + program + " list shows the goals"
	}
	return ""
}

// walkCommands visits a command and all below it.
func walkCommands(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		walkCommands(sub, do)
	}
}

// printError prints an error with its hint, and returns its exit code. With --json it is one object on stderr: stdout
// is for results.
func (p Program) printError(c *cobra.Command, args []string, err error) int {
	problem, code := *api.ToProblem(err), exitUsage
	var older *store.OutdatedSchemaError
	switch {
	case strings.HasPrefix(err.Error(), "unknown command"): // cobra's own error, which has no type
		problem.Code, problem.Hint = fault.Refused, p.Name+" help lists the commands"
	// the user's input is not the cause
	case problem.Code == fault.Internal, errors.Is(err, store.ErrNewerSchema), errors.As(err, &older):
		code = exitError
	}
	if !wantsJSON(c, args) {
		p.errorf("%s: %s\n", p.Name, strings.TrimSpace(problem.Message))
		if problem.Hint != "" {
			p.errorf("  %s\n", problem.Hint)
		}
		return code
	}
	line, err := json.Marshal(struct {
		Error fault.Error `json:"error"`
		Exit  int         `json:"exit"`
	}{problem, code})
	if err != nil { // it contains only strings
		return exitError
	}
	p.errorf("%s\n", plainJSON(line))
	return code
}

// wantsJSON also works if the flags could not be parsed.
func wantsJSON(c *cobra.Command, args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return c != nil && c.Flags().Lookup("json") != nil &&
		(slices.Contains(args, "--json") || slices.Contains(args, "--json=true"))
}
