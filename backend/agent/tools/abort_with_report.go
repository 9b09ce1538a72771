package tools

import (
	"context"
	"errors"

	"goalpost/backend/domain/goal"
)

type abortWithReportArgs struct {
	Reason  string `json:"reason"`
	Learned string `json:"what_was_learned"`
}

func abortWithReport(Deps) (Tool, error) {
	return defineControl("abort_with_report", func(a abortWithReportArgs) error {
		if isBlank(a.Reason) {
			return errors.New("the reason is empty; say why it cannot be done")
		}
		return nil
	}, func(_ context.Context, run goal.RunControl, a abortWithReportArgs) goal.Result {
		run.GiveUp(a.Reason, a.Learned)
		return okResult("the run ends with this report")
	})
}
