package goal

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Flag sets a part of a request from the command line.
type Flag struct {
	Name  string
	Group FlagGroup
	Value any // a pointer to a bool, a number, a string or a list, or a FlagValue
	Usage string
}

// Set parses the text of the flag. A list gets one more item.
func (f Flag) Set(text string) (err error) {
	switch v := f.Value.(type) {
	case *bool:
		if *v, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
	case *int:
		if *v, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
	case *string:
		*v = text
	case *[]string:
		*v = append(*v, text)
	case *[]int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		*v = append(*v, n)
	case FlagValue:
		if err := v.Set(text); err != nil {
			return fmt.Errorf("set: %w", err)
		}
	default:
		return fmt.Errorf("the flag %s cannot be set here", f.Name)
	}
	return nil
}

// FlagValue parses a flag that is no plain value.
type FlagValue interface {
	Set(text string) error
	String() string // "": the flag has no default
	Type() string   // what the value is, in a word
}

// FlagGroup is a heading of flags in the help.
type FlagGroup string

// The groups, in the order of the help.
const (
	UsualFlags       FlagGroup = "Usual flags"
	CheckFlags       FlagGroup = "Checks"
	AccessFlags      FlagGroup = "What it may use"
	SupervisionFlags FlagGroup = "Supervision"
	ModelFlags       FlagGroup = "Model and limits"
	ProcessFlags     FlagGroup = "Start and output"
)

// limitFlag is a limit; its text 0 is NoLimit.
type limitFlag[N int | int64 | float64] struct{ limit *N }

func (limitFlag[N]) String() string { return "" }
func (limitFlag[N]) Type() string   { return "number" }

func (l limitFlag[N]) Set(text string) error {
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || n != n:
		return fmt.Errorf("%q is not a number", text)
	case float64(N(n)) != n:
		return fmt.Errorf("%q is not a whole number", text)
	case n < 0:
		return fmt.Errorf("%s is negative; 0 is no limit", text)
	}
	*l.limit = cmp.Or(N(n), NoLimit)
	return nil
}

// timeFlag is a limit of time in milliseconds; its text 0 is NoLimit.
type timeFlag struct{ milliseconds *int64 }

func (timeFlag) String() string { return "" }
func (timeFlag) Type() string   { return "time" }

func (t timeFlag) Set(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a time with its unit, such as 90s, 45m or 2h", text)
	case d < 0:
		return fmt.Errorf("%s is negative; 0 is no limit", text)
	case d > 0 && d < time.Second:
		return fmt.Errorf("%s is too short: give at least 1s, or 0 for no limit", text)
	}
	*t.milliseconds = cmp.Or(d.Milliseconds(), NoLimit)
	return nil
}

// negatableFlag adds to a list, or to its opposite if ! is before the text.
type negatableFlag struct {
	list, opposite *[]string
	kind           string
}

func (negatableFlag) String() string { return "" }
func (n negatableFlag) Type() string { return n.kind }

func (n negatableFlag) Set(text string) error {
	name, isOpposite := strings.CutPrefix(text, "!")
	switch {
	case strings.TrimSpace(name) == "":
		return fmt.Errorf("the %s is empty", n.kind)
	case isOpposite:
		*n.opposite = append(*n.opposite, name)
	default:
		*n.list = append(*n.list, name)
	}
	return nil
}

// permitFlag sets the switches that its text names, separated by commas.
type permitFlag struct{ switches map[string]*bool }

func (permitFlag) String() string { return "" }
func (permitFlag) Type() string   { return "what" }

func (p permitFlag) Set(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		on := p.switches[strings.TrimSpace(name)]
		if on == nil {
			return fmt.Errorf("there is no %q: use passing, missing or outside, or several with commas", name)
		}
		*on = true
	}
	return nil
}

// criticFlag sets how often the critic runs, or its model.
type criticFlag struct{ options *Options }

func (criticFlag) String() string { return "" }
func (criticFlag) Type() string   { return "turns|model" }

func (c criticFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		c.options.Critic = text
	case n < 0:
		return fmt.Errorf("%d is negative; 0 is no critic", n)
	default:
		c.options.CriticEvery = cmp.Or(n, NoLimit)
	}
	return nil
}

// engineFlag sets the engine, and whether it uses its own sign-in.
type engineFlag struct{ options *Options }

func (engineFlag) String() string { return "" }
func (engineFlag) Type() string   { return "string" }

func (e engineFlag) Set(text string) error {
	e.options.Engine, e.options.EngineLogin = CutEngineLogin(text)
	return nil
}

// CutEngineLogin splits AGENT:login, as users write it.
func CutEngineLogin(text string) (engine string, login bool) {
	return strings.CutSuffix(text, ":login")
}

// idsFlag adds to a list of goals.
type idsFlag struct{ ids *[]ID }

func (idsFlag) String() string { return "" }
func (idsFlag) Type() string   { return "goal" }

func (i idsFlag) Set(text string) error {
	*i.ids = append(*i.ids, ID(text))
	return nil
}

// checkFlag adds a check.
type checkFlag struct{ criterion *Criterion }

func (checkFlag) String() string { return "" }
func (checkFlag) Type() string   { return "check" }

func (c checkFlag) Set(text string) error {
	c.criterion.Checks = append(c.criterion.Checks, ParseCheck(text))
	return nil
}

// ParseCheck makes a check from its text: a command of a shell, unless it begins with the name of another kind or is
// an http address.
func ParseCheck(text string) Check {
	kind, rest, _ := strings.Cut(text, ":")
	switch kind {
	case "http", "https":
		if strings.HasPrefix(rest, "//") {
			return Check{Type: HTTP, URL: text}
		}
	case "file":
		return Check{Type: File, Path: rest}
	case "json":
		return Check{Type: JSONPredicate, Expr: rest}
	case "question":
		return Check{Type: ModelQuestion, Question: rest}
	case "visual":
		return Check{Type: Visual, Question: rest}
	case "manual":
		return Check{Type: Manual, Note: rest}
	}
	return Check{Type: Shell, Command: text}
}

// withFlag changes the last check.
type withFlag struct{ criterion *Criterion }

func (withFlag) String() string { return "" }
func (withFlag) Type() string   { return "key=value" }

func (w withFlag) Set(text string) error {
	key, value, _ := strings.Cut(text, "=")
	kinds := map[string]CheckType{
		"where": Shell, "rerun": Shell, "from": JSONPredicate, "wait": Manual, "whole": Visual,
	}
	kind, ok := kinds[key]
	if !ok {
		return fmt.Errorf("there is no %q: use where, rerun, from, wait or whole", key)
	}
	n := len(w.criterion.Checks)
	if n == 0 || w.criterion.Checks[n-1].Type != kind {
		example := map[string]string{
			"where": "of a command", "rerun": "of a command", "from": "json:EXPRESSION", "wait": "manual:NOTE",
			"whole": "visual:QUESTION",
		}
		return fmt.Errorf("put %s after the --check %s that it belongs to", key, example[key])
	}
	check := &w.criterion.Checks[n-1]
	switch key {
	case "where":
		if check.Where = value; value == "sandbox" {
			check.Where = ""
		}
	case "rerun":
		if value != "yes" && value != "no" {
			return errors.New("rerun is yes or no")
		}
		check.NoRerun = value == "no"
	case "wait", "whole":
		if value != "" && value != "true" {
			return fmt.Errorf("%s has no value", key)
		}
		check.Wait, check.Whole = key == "wait", key == "whole"
	case "from":
		return check.setSource(value)
	}
	return nil
}

// setSource sets where the response of a JSON check comes from.
func (c *Check) setSource(text string) error {
	kind, rest, _ := strings.Cut(text, ":")
	switch kind {
	case "claim":
		c.From = FromClaim
	case "file":
		c.From, c.Path = FromFile, rest
	case "cmd":
		c.From, c.Command = FromCommand, rest
	case "url":
		c.From, c.URL = FromURL, rest
	default:
		return fmt.Errorf("unknown source %q: use claim, file:PATH, cmd:COMMAND or url:URL", text)
	}
	return nil
}
