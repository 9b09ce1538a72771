package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

// spendCommand shows what models cost, and sets the daily limit.
type spendCommand struct{ program Program }

func (sc spendCommand) spend() *cobra.Command {
	var by, since, limit string
	c := &cobra.Command{
		Use:   "spend",
		Short: "Show what models cost, by day, goal, provider or model",
		Long: "Show what models cost: agents, critics, judges and reviewers of all goals, deleted ones too. Days are " +
			"those of this computer's time zone.\n\nWith --daily-limit, set how much all goals together may spend in a " +
			"day. At the limit goals pause. They resume on the next day, or when the limit is raised.",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := excludeFlags(c, "daily-limit", "by", "since", "json"); err != nil {
				return err
			}
			if c.Flags().Changed("daily-limit") {
				return sc.saveDailyLimit(limit)
			}
			from, err := parseSince(since, time.Now())
			if err != nil {
				return err
			}
			return sc.program.withConfig(func(cfg *config.Config) error {
				return sc.program.withReadOnlyStore(c.Context(), func(_ *calls.GoalAPI, s *store.Store) error {
					in := calls.SpendInput{By: calls.SpendBy(by)}
					if !from.IsZero() {
						in.Since = from.UTC().Format(event.TimeLayout)
					}
					r, err := calls.NewSpendAPI(c.Context(), cfg, s.Spend, time.Now).Report(in)
					return sc.program.printResult(c, r, err, func() error { return sc.spendTable(r) })
				})
			})
		},
	}
	c.Flags().StringVar(&by, "by", "day", "day, goal, provider or model")
	c.Flags().StringVar(&since, "since", "30d",
		"from then on: a number of days (7d) or hours (12h), a date (2026-11-23), or all")
	addJSON(c)
	c.Flags().StringVar(&limit, "daily-limit", "", "set the daily limit in USD, such as 5; none removes it")
	return c
}

// saveDailyLimit stores the limit. Goals of all processes that wait for it notice at once.
func (sc spendCommand) saveDailyLimit(text string) error {
	usd := 0.0
	if text != "none" {
		var err error
		usd, err = strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
		if err != nil || usd <= 0 || math.IsInf(usd, 0) || math.IsNaN(usd) {
			return fault.Invalid("daily_limit_usd", fmt.Sprintf("%q is not an amount of money", text),
				"give one in USD, such as 5 or 2.50, or none")
		}
	}
	return sc.program.withConfig(func(cfg *config.Config) error {
		s := cfg.Settings()
		s.DailyLimitUSD = usd
		if err := cfg.SaveSettings(s); err != nil {
			return err
		}
		if usd == 0 {
			return sc.program.printf("No daily limit.\n")
		}
		return sc.program.printf("All goals together may spend $%.2f a day.\n", usd)
	})
}

// parseSince parses the time at which a report begins: the start of a day, except for a number of hours. The zero time
// means that the report has everything.
func parseSince(text string, now time.Time) (time.Time, error) {
	start, _ := goal.DayBounds(now)
	if text == "all" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 36_500 {
			return start.AddDate(0, 0, 1-n), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	if at, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return at, nil
	}
	return time.Time{}, fault.Invalid("since", fmt.Sprintf("%q is not a time", text),
		"give a number of days (7d) or hours (12h), a date (2026-11-23), or all")
}

func (sc spendCommand) spendTable(r calls.SpendReport) error {
	if len(r.Rows) == 0 {
		return errors.Join(sc.program.printf("Nothing was spent in that time.\n"), sc.printToday(r.Today))
	}
	lines := []string{strings.ToUpper(string(r.By)) + "\tSPENT\tTURNS\tTOKENS IN\tTOKENS OUT\t"}
	for _, row := range append(r.Rows, calls.SpendRow{
		Key: "total", USD: r.Total.USD, Turns: r.Total.Turns, TokensIn: r.Total.TokensIn, TokensOut: r.Total.TokensOut,
	}) {
		key, label := cmp.Or(row.Key, "–"), ""
		if r.By == "goal" && row.Key != "total" {
			if label = cmp.Or(row.Label, "(deleted)"); row.Key == "" {
				label = "(outside of goals)"
			} else {
				key = goal.ID(row.Key).Short()
			}
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%d\t%d\t%d\t%s", oneLine(key), formatSpent(row), row.Turns, row.TokensIn,
			row.TokensOut, oneLine(label)))
	}
	return errors.Join(sc.program.printTable(lines), sc.printToday(r.Today))
}

// formatSpent formats the money of a row; "–" if it has turns but no known price.
func formatSpent(r calls.SpendRow) string {
	switch {
	case r.USD == 0 && r.Turns > 0:
		return "–"
	case r.USD < 0.01:
		return fmt.Sprintf("$%.4f", r.USD)
	}
	return fmt.Sprintf("$%.2f", r.USD)
}

func (sc spendCommand) printToday(t calls.SpendToday) error {
	if t.LimitUSD == 0 {
		return sc.program.printf("Today: $%.2f. No daily limit; set one with --daily-limit 5.\n", t.USD)
	}
	return sc.program.printf("Today: $%.2f of $%.2f (%.0f %%).\n", t.USD, t.LimitUSD, 100*t.USD/t.LimitUSD)
}
