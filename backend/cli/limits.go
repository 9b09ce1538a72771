package cli

import (
	"time"

	"github.com/spf13/pflag"

	"goalpost/backend/api"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
)

// limitFlags are the limits as the user wrote them: 0 is no limit.
type limitFlags struct {
	wallClock                time.Duration
	maxIterations, maxClaims int
	maxTokens                int64
	maxUSD                   float64
}

func (l *limitFlags) add(fl *pflag.FlagSet, usual goal.Limits) {
	fl.DurationVar(&l.wallClock, "wall-clock", usual.WallClock, "maximum running time; 0 = no limit")
	fl.IntVar(&l.maxIterations, "max-iterations", usual.Iterations, "maximum number of iterations; 0 = no limit")
	fl.IntVar(&l.maxClaims, "max-claims", usual.ClaimsPerCheck, "failed claims in a row on one check; 0 = no limit")
	fl.Int64Var(&l.maxTokens, "max-tokens", usual.Tokens, "tokens in and out; 0 = no limit")
	fl.Float64Var(&l.maxUSD, "max-usd", usual.USD, "money, where a price is known; 0 = no limit")
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
			in.USD = api.NoLimit
		}
	}
	return in, nil
}

func limitValue(n int64) int64 {
	if n == 0 {
		return api.NoLimit
	}
	return n
}
