package cli

import (
	"github.com/spf13/pflag"

	"goalpost/backend/domain/goal"
)

// formerNames are flags of run as development versions called them.
var formerNames = map[string]string{"check-shell": "check", "critic-every": "critic"}

// addFormer accepts the flags of development versions, which scripts use. Neither help nor completion lists them.
func (rf *runFlags) addFormer(fl *pflag.FlagSet) {
	fl.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if now, ok := formerNames[name]; ok {
			name = now
		}
		return pflag.NormalizedName(name)
	})
	fl.BoolFunc("no-review", "review never", func(string) error {
		rf.in.Review = goal.ReviewNever
		return nil
	})
	fl.IntVar(&rf.window, "context-window", 0, "of the model of --base-url, in tokens")
	for _, name := range []string{"no-review", "context-window"} {
		_ = fl.MarkHidden(name) // the flag exists
	}
}
