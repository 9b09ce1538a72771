package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/library"
)

// templateFlags name the template of a goal, with the values of its parameters.
type templateFlags struct {
	name   string
	values []string // NAME=VALUE
}

func (t *templateFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&t.name, "template", "", "fill in what this template says, as templates lists them; other flags and "+
		"the objective count first")
	fl.StringArrayVar(&t.values, "param", nil, "of the template: NAME=VALUE")
	setGroup(fl, goal.UsualFlags, "template", "param")
}

// apply fills in what the template says, except where the user gave a flag.
func (t *templateFlags) apply(p Program, fl *pflag.FlagSet, in *goal.Request, args []string) error {
	values := map[string]string{}
	for _, text := range t.values {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return fault.Invalid("param", fmt.Sprintf("%q is not NAME=VALUE", oneLine(text)), "give one like --param file=a.txt")
		}
		values[name] = value
	}
	switch {
	case t.name == "" && len(values) > 0:
		return fault.Invalid("param", "--param needs --template", "name the template")
	case t.name == "":
		return nil
	}
	if len(args) > 0 {
		in.Objective = args[0]
	}
	dir := in.Dir
	if dir == "" {
		dir = "."
	}
	dir, err := p.absolute(dir)
	if err != nil {
		return err
	}
	return p.withConfig(func(cfg *config.Config) error {
		return library.Open(cfg.State(), cfg.Home()).FillTemplate(t.name, dir, in, values, fl.Changed)
	})
}
