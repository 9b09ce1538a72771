package cli

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
)

// limitFlags holds the limits as the user wrote them: 0 is no limit.
type limitFlags struct {
	wallClock                time.Duration
	maxIterations, maxClaims int
	maxTokens                int64
	maxUSD                   float64
}

func (l *limitFlags) add(fl *pflag.FlagSet, defaults goal.Limits) {
	fl.DurationVar(&l.wallClock, "wall-clock", defaults.WallClock(), "maximum running time; 0 = no limit")
	fl.IntVar(&l.maxIterations, "max-iterations", defaults.Iterations, "maximum number of turns; 0 = no limit")
	fl.IntVar(&l.maxClaims, "max-claims", defaults.ClaimsPerCheck, "failed claims in a row on one check; 0 = no limit")
	fl.Int64Var(&l.maxTokens, "max-tokens", defaults.Tokens, "tokens in and out; 0 = no limit")
	fl.Float64Var(&l.maxUSD, "max-usd", defaults.USD, "money, where a price is known; 0 = no limit")
}

// resume returns the limits that the user set. Limits for which given returns false do not change.
func (l *limitFlags) resume(given func(flag string) bool) (in api.ResumeInput, err error) {
	if l.wallClock < 0 || l.maxIterations < 0 || l.maxClaims < 0 || l.maxTokens < 0 || l.maxUSD < 0 {
		return in, fault.Invalid("limits", "a limit is negative", "use 0 for no limit")
	}
	if l.wallClock > 0 && l.wallClock < time.Second {
		return in, fault.Invalid("limits", "the running time is too short: "+l.wallClock.String(),
			"give at least 1s, or 0 for no limit")
	}
	if given("wall-clock") {
		in.WallClockMS = limitValue(l.wallClock.Milliseconds())
	}
	if given("max-iterations") {
		in.Iterations = int(limitValue(int64(l.maxIterations)))
	}
	if given("max-claims") {
		in.ClaimsPerCheck = int(limitValue(int64(l.maxClaims)))
	}
	if given("max-tokens") {
		in.Tokens = limitValue(l.maxTokens)
	}
	if given("max-usd") {
		in.USD = l.maxUSD
		if l.maxUSD == 0 {
			in.USD = goal.NoLimit
		}
	}
	return in, nil
}

func limitValue(n int64) int64 {
	if n == 0 {
		return goal.NoLimit
	}
	return n
}

// addWorkFlags adds the flags that restrict what the agent may change and read in the goal's folder.
func addWorkFlags(fl *pflag.FlagSet, p *policy.Policy) {
	fl.StringArrayVar(&p.Work, "work", nil,
		"a file or folder, relative to --dir, that the agent may change; everything else there is then read-only")
	fl.StringVar(&p.CheckDir, "check-dir", "",
		"a folder that only the checks read, as $GOALPOST_CHECK_DIR; the agent and the models do not")
}

// printWork prints what the agent may change, if the user named it with --work.
func (p Program) printWork(in goal.Request) {
	if len(in.Work) == 0 {
		return
	}
	names := make([]string, 0, len(in.Work))
	for _, w := range in.Work {
		if rounded := policy.RoundGlob(w); rounded != w {
			w = rounded + " (for " + w + ": folders and existing files can be granted, not patterns)"
		}
		names = append(names, oneLine(w))
	}
	p.errorf("the agent may change: %s; everything else in the folder is read-only\n", strings.Join(names, ", "))
}

// describeScope describes, a line each, what the agent may change and what only the checks may read, "" if neither is
// limited.
func describeScope(work, checkDir string) (lines string) {
	if work != "" {
		lines = "the agent may change only " + oneLine(work) + "\n"
	}
	if checkDir != "" {
		lines += "only the checks read " + oneLine(checkDir) + "\n"
	}
	return lines
}

// indentLines puts two spaces before each line.
func indentLines(text string) string {
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// confirmRunOutside warns of checks that run outside the sandbox, and asks for a confirmation at a terminal. Without
// one the start is refused.
func (p Program) confirmRunOutside(in *goal.Request) {
	if in.RunOutside || !slices.ContainsFunc(in.Checks, func(c goal.Check) bool { return c.Where == "host" }) ||
		!isTerminal(os.Stdin) {
		return
	}
	p.errorf("%s\n", goal.RunOutsideWarning)
	in.RunOutside = p.confirmAtTerminal("Run it outside the sandbox? [y/N] ")
}
