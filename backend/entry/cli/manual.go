package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manual writes the man pages that packages install.
func (p Program) manual() *cobra.Command {
	return &cobra.Command{
		Use: "manual DIR", Short: "Write a man page of each command into a folder", Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			root, err := os.OpenRoot(args[0])
			if err != nil {
				return fmt.Errorf("manual: %w; create the folder first", err)
			}
			defer func() { _ = root.Close() }()
			walkCommands(c.Root(), func(c *cobra.Command) {
				if isDocumented(c) {
					err = errors.Join(err, root.WriteFile(manualName(c)+".1", []byte(p.formatManual(c)), 0o644))
				}
			})
			return err
		},
	}
}

// isDocumented reports whether a command has a man page: hidden commands and cobra's own have none.
func isDocumented(c *cobra.Command) bool {
	for at := c; at != nil; at = at.Parent() {
		if at.Hidden || at.Name() == "help" || at.Name() == "completion" && at != c {
			return false
		}
	}
	return true
}

// manualName returns the name of a command's page, such as goalctl-providers-add.
func manualName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// formatManual formats the page of a command for man. It has no date: the same program has the same pages.
func (p Program) formatManual(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q \"Goalpost manual\"\n.nh\n.ad l\n", strings.ToUpper(manualName(c)), p.Name+" "+
		p.Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escapeRoff(manualName(c)), escapeRoff(c.Short))
	c.InitDefaultHelpFlag()
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", escapeRoff(c.UseLine()))
	text := c.Long
	if text == "" {
		text = strings.TrimSuffix(c.Short, ".") + "."
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", formatRoffText(text))
	writeManualFlags(&b, "OPTIONS", c.NonInheritedFlags())
	writeManualFlags(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n%s", formatRoffText(c.Example))
	}
	if c.HasParent() {
		fmt.Fprintf(&b, ".SH EXIT STATUS\n0 on success. The other codes are in\n.BR %s (1).\n",
			escapeRoff(p.Name+"-exit-codes"))
	} else {
		writeEnvironment(&b)
	}
	related := []string{}
	if c.HasParent() {
		related = append(related, manualName(c.Parent()))
	}
	for _, sub := range c.Commands() {
		if isDocumented(sub) {
			related = append(related, manualName(sub))
		}
	}
	b.WriteString(".SH SEE ALSO\n")
	for i, name := range related {
		comma := ","
		if i == len(related)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, ".BR %s (1)%s\n", escapeRoff(name), comma)
	}
	return b.String()
}

func writeManualFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", escapeRoff(name))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", escapeRoff(value))
		}
		fmt.Fprintf(b, "\n%s\n", escapeRoff(usage))
		if f.DefValue != "" && value != "" && f.DefValue != "[]" && f.DefValue != "0" && f.DefValue != "0s" {
			fmt.Fprintf(b, ".br\nThe default is %s.\n", escapeRoff(f.DefValue))
		}
	})
}

func writeEnvironment(b *strings.Builder) {
	b.WriteString(".SH ENVIRONMENT\n.TP\n.B GOALPOST_HOME\n" +
		"puts all data into this folder, instead of the XDG folders.\n" +
		".SH FILES\n.TP\n.I ~/.local/state/goalpost\nsettings, journal, recordings and log\n")
}

// formatRoffText keeps the lines of a text that is longer than one line, such as a table.
func formatRoffText(text string) string {
	if !strings.Contains(text, "\n") {
		return escapeRoff(text) + "\n"
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = escapeRoff(line)
	}
	return ".nf\n" + strings.Join(lines, "\n") + "\n.fi\n"
}

// escapeRoff escapes text for man, where a backslash, or a dot or quote at the start of a line, is an instruction.
func escapeRoff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
