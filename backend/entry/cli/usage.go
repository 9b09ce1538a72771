package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/store"
)

// newCommandGroup makes a command that has only subcommands: without one it shows its help.
func newCommandGroup(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.AddCommand(commands...)
	return c
}

// wrapUsageErrors turns every usage mistake into an error that says what is wrong, the correct usage and an example.
// cobra alone would count arguments, or show the help and succeed.
func (p Program) wrapUsageErrors(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	root.SetFlagErrorFunc(describeFlagError)
	walkCommands(root, func(c *cobra.Command) {
		switch {
		case c.Name() == "completion":
			c.Args, c.RunE = nil, func(c *cobra.Command, _ []string) error { return c.Help() }
		case c.HasParent() && c.Parent().Name() == "completion":
			c.Args = nil
		case c.Name() == "help":
			show := c.Run
			c.Args, c.Run = cobra.ArbitraryArgs, nil
			c.RunE = func(c *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 && found.HasSubCommands() {
					return unknownCommand(found, rest[0])
				}
				show(c, args)
				return nil
			}
			return
		}
		if c.Example == "" && takesGoal(c) {
			c.Example = "  " + c.CommandPath() + exampleArguments(c)
		}
		if c.Args == nil {
			c.Args = checkArguments
		}
	})
}

// argument is one argument in a command's use line.
type argument struct {
	name             string
	isOptional, many bool
}

// notArguments matches the parts of a use line that are not arguments: flags with their values, and the dashes before
// a command.
var notArguments = text.NewPattern(`\[--[a-z]+ [A-Z]+\]|--[a-z]+ [A-Z]+|\[flags\]|-- `)

// parseArguments parses the arguments of a command from its use line, such as "diff ID [PATH…]" or "trace -- COMMAND…".
func parseArguments(c *cobra.Command) (list []argument) {
	for _, word := range strings.Fields(notArguments.ReplaceAllString(c.Use, ""))[1:] {
		name := strings.Trim(word, "[]")
		list = append(list, argument{
			name:       strings.TrimSuffix(name, "…"),
			isOptional: name != word,
			many:       strings.HasSuffix(name, "…"),
		})
	}
	return list
}

// exampleArguments returns the arguments for an example of a command that takes a goal.
func exampleArguments(c *cobra.Command) (words string) {
	for _, a := range parseArguments(c) {
		words += map[string]string{"ID": " 01k3abcd", "REQUEST": " a1", "TEXT": " 'use port 8081'"}[a.name]
	}
	return words
}

// checkArguments refuses arguments that do not fit the use line of a command.
func checkArguments(c *cobra.Command, args []string) error {
	list := parseArguments(c)
	if len(args) > 0 && len(list) == 0 && c.HasSubCommands() {
		return unknownCommand(c, args[0])
	}
	var missing []string
	for i, a := range list {
		if !a.isOptional && i >= len(args) {
			missing = append(missing, a.name)
		}
	}
	switch {
	case len(missing) == 1:
		return usageError(c, missing[0]+" is missing", "")
	case len(missing) > 1:
		return usageError(c, strings.Join(missing, " and ")+" are missing", "")
	case len(args) <= len(list) || len(list) > 0 && list[len(list)-1].many:
		return nil
	}
	advice := ""
	if len(list) > 0 && (list[len(list)-1].name == "OBJECTIVE" || list[len(list)-1].name == "TEXT") {
		advice = "put a text of several words between quotes; "
	}
	return usageError(c, fmt.Sprintf("unexpected argument %q", args[len(list)]), advice)
}

// usageError is the error of wrong arguments. Its hint has the advice, the usage and an example.
func usageError(c *cobra.Command, message, advice string) error {
	hint := advice + "usage: " + c.UseLine()
	if example, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n"); example != "" {
		hint += "; for example: " + example
	}
	if takesGoal(c) {
		hint += "; " + c.Root().Name() + " list shows the goals"
	}
	for _, sibling := range c.Parent().Commands() {
		if sibling.Name() == "list" && c.Parent().HasParent() && sibling != c {
			hint += "; " + sibling.CommandPath() + " shows the names"
		}
	}
	return refuseUsage(c, message, hint)
}

func refuseUsage(c *cobra.Command, message, hint string) error {
	if _, name, isSub := strings.Cut(c.CommandPath(), " "); isSub {
		message = name + ": " + message
	}
	return &fault.Error{Code: fault.Refused, Message: message, Hint: hint}
}

// unknownCommand is the error of a subcommand that does not exist.
func unknownCommand(c *cobra.Command, word string) error {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return refuseUsage(c, fmt.Sprintf("there is no command %q", word),
		suggestNames(word, "", names)+c.CommandPath()+" --help lists the commands")
}

// suggestNames asks whether one of the names was meant, "" if none is similar.
func suggestNames(word, prefix string, names []string) string {
	found := similarNames(word, names)
	if len(found) == 0 {
		return ""
	}
	return "did you mean " + prefix + strings.Join(found, " or "+prefix) + "? "
}

// similarNames returns the names that differ from a word in a few letters or, if there are none, those that have the
// most of its parts: --critic for --critic-rounds. It returns none if there are many.
func similarNames(word string, names []string) []string {
	const maxDistance, maxNames = 2, 3
	similar := cobra.Command{SuggestionsMinimumDistance: maxDistance}
	for _, name := range names {
		similar.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	found := similar.SuggestionsFor(word)
	if len(found) == 0 {
		best := 0.0
		for _, name := range names {
			switch share := sharedParts(word, name); {
			case share == 0 || share < best:
			case share > best:
				best, found = share, []string{name}
			default:
				found = append(found, name)
			}
		}
	}
	if len(found) > maxNames {
		return nil
	}
	return found
}

// sharedParts returns which share of the parts of two names, between their hyphens, both have.
func sharedParts(a, b string) float64 {
	parts, shared := strings.Split(a, "-"), 0
	for part := range strings.SplitSeq(b, "-") {
		if slices.Contains(strings.Split(a, "-"), part) {
			shared++
		} else {
			parts = append(parts, part)
		}
	}
	return float64(shared) / float64(len(parts))
}

// describeFlagError describes an error of a flag, and the values that the flag takes.
func describeFlagError(c *cobra.Command, err error) error {
	if args := c.Flags().Args(); c.HasSubCommands() && len(args) > 0 {
		return unknownCommand(c, args[0]) // the flag is one of the command that was meant
	}
	var unknown *pflag.NotExistError
	var noValue *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	help := c.CommandPath() + " --help lists its flags"
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return refuseUsage(c, "there is no flag -"+unknown.GetSpecifiedName(), help)
	case errors.As(err, &unknown):
		return refuseUsage(c, "there is no flag --"+unknown.GetSpecifiedName(),
			suggestFlags(c, unknown.GetSpecifiedName()))
	case errors.As(err, &noValue):
		return refuseUsage(c, "--"+noValue.GetFlag().Name+" needs a value", describeFlag(noValue.GetFlag()))
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		if words, ok := flagKinds[f.Value.Type()]; ok {
			return refuseUsage(c, fmt.Sprintf("%q for --%s is not %s", invalid.GetValue(), f.Name, words), describeFlag(f))
		}
		return refuseUsage(c, fmt.Sprintf("--%s: %v", f.Name, invalid.Unwrap()), describeFlag(f))
	}
	return refuseUsage(c, err.Error(), help)
}

// suggestFlags asks whether another flag of a command was meant, and says what it does if it is the only one.
func suggestFlags(c *cobra.Command, word string) string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	found := similarNames(word, names)
	if len(found) == 1 {
		return "did you mean --" + found[0] + "? " + describeFlag(c.Flags().Lookup(found[0]))
	}
	return suggestNames(word, "--", names) + c.CommandPath() + " --help lists its flags"
}

// flagKinds describes the values of flags, by their types.
var flagKinds = map[string]string{
	"int":      "a whole number",
	"int64":    "a whole number",
	"intSlice": "a whole number",
	"float64":  "a number",
	"bool":     "true or false",
	"duration": "a time with its unit, such as 90s, 45m or 2h",
}

// describeFlag formats a flag with its value and meaning, as in the help.
func describeFlag(f *pflag.Flag) string {
	kind, usage := pflag.UnquoteUsage(f)
	return strings.TrimSpace("--"+f.Name+" "+kind) + ": " + usage
}

// excludeFlags refuses a flag together with any of the others.
func excludeFlags(c *cobra.Command, flag string, others ...string) error {
	for _, other := range others {
		if c.Flags().Changed(flag) && c.Flags().Changed(other) {
			return fault.Invalid(flag, fmt.Sprintf("--%s and --%s cannot be used together", flag, other), "keep one of them")
		}
	}
	return nil
}

// walkCommands visits a command and all its subcommands.
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
	problem.Hint = cmp.Or(problem.CommandHint, problem.Hint)
	var older *store.OutdatedSchemaError
	var development *store.DevelopmentSchemaError
	if problem.Code == fault.Internal || errors.Is(err, store.ErrNewerSchema) || errors.As(err, &older) ||
		errors.As(err, &development) {
		code = exitError // the user's input is not the cause
	}
	if problem.Code == fault.ProtectedChanged {
		code = exitNeedsUser // the goal is as before
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

// wantsJSON reports whether the user wants JSON. It also works if the flags could not be parsed.
func wantsJSON(c *cobra.Command, args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return c != nil && c.Flags().Lookup("json") != nil &&
		slices.ContainsFunc(args, func(a string) bool { return a == "--json" || strings.HasPrefix(a, "--json=") })
}
