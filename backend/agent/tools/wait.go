package tools

import (
	"context"
	"errors"
	"time"

	"goalpost/backend/domain/goal"
)

const maxWait = 10 * time.Minute

type waitArgs struct {
	Seconds int `json:"seconds"`
}

func waitTool(Deps) (Tool, error) {
	return defineControl("wait", func(a waitArgs) error {
		if a.Seconds < 1 || a.Seconds > int(maxWait/time.Second) {
			return errors.New("seconds must be 1 to 600; wait again if that is not enough")
		}
		return nil
	}, func(ctx context.Context, run goal.RunControl, a waitArgs) goal.Result {
		duration := waitDuration(a.Seconds, time.Second, maxWait)
		elapsed := run.Wait(ctx, duration).Round(time.Second)
		if ctx.Err() != nil {
			return failedResult("waited %s of %s: the run was stopped", goal.FormatDuration(elapsed),
				goal.FormatDuration(duration))
		}
		r := okResult("waited %s", goal.FormatDuration(elapsed))
		r.IsOngoing = true
		return r
	})
}
