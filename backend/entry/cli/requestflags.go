package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"goalpost/backend/domain/goal"
)

// How flags are grouped in the help: the annotation of a flag has its group.
const (
	groupAnnotation = "goalpost_group"
	helpWidth       = 100 // characters
)

// bindFlags adds flags that fill a request: all of them, or those with the given names.
func bindFlags(fl *pflag.FlagSet, flags []goal.Flag, names ...string) {
	for _, f := range flags {
		if len(names) > 0 && !slices.Contains(names, f.Name) {
			continue
		}
		switch v := f.Value.(type) {
		case *bool:
			fl.BoolVar(v, f.Name, *v, f.Usage)
		case *int:
			fl.IntVar(v, f.Name, *v, f.Usage)
		case *string:
			fl.StringVar(v, f.Name, *v, f.Usage)
		case *[]string:
			fl.StringArrayVar(v, f.Name, *v, f.Usage)
		case *[]int:
			fl.IntSliceVar(v, f.Name, *v, f.Usage)
		case goal.FlagValue:
			fl.Var(v, f.Name, f.Usage)
		default:
			panic(fmt.Sprintf("the flag --%s has a value of the type %T", f.Name, v))
		}
		setGroup(fl, f.Group, f.Name)
	}
}

// setGroup puts flags in a group of the help.
func setGroup(fl *pflag.FlagSet, group goal.FlagGroup, names ...string) {
	for _, name := range names {
		_ = fl.SetAnnotation(name, groupAnnotation, []string{string(group)}) // the flag exists
	}
}

// groupFlagsInHelp prints the flags of a command below the headings of their groups.
func groupFlagsInHelp(c *cobra.Command) {
	c.Flags().SortFlags = false
	c.SetUsageFunc(func(c *cobra.Command) error {
		var b strings.Builder
		fmt.Fprintf(&b, "Usage:\n  %s\n\nExamples:\n%s\n", c.UseLine(), c.Example)
		for _, group := range []goal.FlagGroup{
			goal.UsualFlags, goal.CheckFlags, goal.AccessFlags, goal.SupervisionFlags, goal.ModelFlags, goal.ProcessFlags,
		} {
			in := pflag.NewFlagSet("", pflag.ContinueOnError)
			in.SortFlags = false
			c.LocalFlags().VisitAll(func(f *pflag.Flag) {
				if slices.Equal(f.Annotations[groupAnnotation], []string{string(group)}) {
					in.AddFlag(f)
				}
			})
			fmt.Fprintf(&b, "\n%s:\n%s", group, in.FlagUsagesWrapped(helpWidth))
		}
		if _, err := io.WriteString(c.OutOrStderr(), b.String()); err != nil {
			return fmt.Errorf("help: %w", err)
		}
		return nil
	})
}
