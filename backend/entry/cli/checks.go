package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"goalpost/backend/domain/goal"
)

// checkFlags collects the checks in the order of their flags, across types.
type checkFlags struct{ list []goal.Check }

// checkFlag is one of these flags. Each use adds a check, or changes the last one.
type checkFlag struct {
	take func(value string) error
	kind string
}

func (c checkFlag) Set(v string) error { return c.take(v) }
func (c checkFlag) String() string     { return "" }
func (c checkFlag) Type() string       { return c.kind }

func (c *checkFlags) add(fl *pflag.FlagSet) {
	check := func(newCheck func(string) goal.Check) func(string) error {
		return func(v string) error {
			c.list = append(c.list, newCheck(v))
			return nil
		}
	}
	fl.Var(checkFlag{check(func(v string) goal.Check { return goal.Check{Type: goal.Shell, Command: v} }), "command"},
		"check-shell", "a command whose exit code decides (every --check is repeatable; all must pass)")
	fl.Var(checkFlag{check(func(v string) goal.Check { return goal.Check{Type: goal.HTTP, URL: v} }), "url"},
		"check-http", "an address that must answer 200")
	fl.Var(checkFlag{check(func(v string) goal.Check { return goal.Check{Type: goal.File, Path: v} }), "path"},
		"check-file", "a file that must exist, relative to the folder")
	fl.Var(checkFlag{check(func(v string) goal.Check {
		return goal.Check{Type: goal.JSONPredicate, Expr: v}
	}), "expression"},
		"check-json", "a JavaScript expression over response that must be true")
	fl.Var(checkFlag{c.from, "source"}, "json-from",
		"where the response of the last --check-json comes from: claim, file:PATH, cmd:COMMAND, url:URL (default claim)")
	fl.Var(checkFlag{check(func(v string) goal.Check {
		return goal.Check{Type: goal.ModelQuestion, Question: v}
	}), "question"},
		"check-question", "a question that a strict judge must answer with yes")
	fl.Var(checkFlag{check(func(v string) goal.Check { return goal.Check{Type: goal.Visual, Question: v} }), "question"},
		"check-visual", "a question that a vision model must answer with yes, looking at the goal's newest page")
	fl.Var(checkFlag{check(func(v string) goal.Check {
		if v == "true" {
			v = ""
		}
		return goal.Check{Type: goal.Manual, Note: v}
	}), "note"}, "check-manual", "a check by the user; the goal is marked as not verified by the host")
	fl.Lookup("check-manual").NoOptDefVal = "true"
	fl.Var(checkFlag{c.setManualWait, "bool"}, "manual-wait", "the last --check-manual waits until the user accepts")
	fl.Lookup("manual-wait").NoOptDefVal = "true"
	fl.Var(checkFlag{c.setLocation, "place"}, "where",
		"where the last --check-shell runs: sandbox (default), host (outside the sandbox: runs code of the agent with "+
			"your own rights), or ssh:NAME for one of your servers")
}

// lastOfType returns the newest check if it has this type, otherwise nil.
func (c *checkFlags) lastOfType(t goal.CheckType) *goal.Check {
	if n := len(c.list); n > 0 && c.list[n-1].Type == t {
		return &c.list[n-1]
	}
	return nil
}

func (c *checkFlags) from(v string) error {
	check := c.lastOfType(goal.JSONPredicate)
	if check == nil {
		return fmt.Errorf("put it after the --check-json that it belongs to")
	}
	kind, rest, _ := strings.Cut(v, ":")
	switch kind {
	case "claim":
		check.From = goal.FromClaim
	case "file":
		check.From, check.Path = goal.FromFile, rest
	case "cmd":
		check.From, check.Command = goal.FromCommand, rest
	case "url":
		check.From, check.URL = goal.FromURL, rest
	default:
		return fmt.Errorf("unknown source %q: use claim, file:PATH, cmd:COMMAND or url:URL", v)
	}
	return nil
}

func (c *checkFlags) setManualWait(v string) error {
	check := c.lastOfType(goal.Manual)
	if check == nil {
		return fmt.Errorf("put it after the --check-manual that it belongs to")
	}
	check.Wait = v == "true"
	return nil
}

func (c *checkFlags) setLocation(v string) error {
	check := c.lastOfType(goal.Shell)
	if check == nil {
		return fmt.Errorf("put it after the --check-shell that it belongs to")
	}
	if check.Where = v; v == "sandbox" {
		check.Where = ""
	}
	return nil
}
