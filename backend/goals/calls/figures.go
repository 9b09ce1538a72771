package calls

import (
	"cmp"
	"context"
	"slices"

	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

// FiguresAPI says how well goals have worked for this user. Nothing of it leaves the computer.
type FiguresAPI struct {
	outcomes *store.OutcomeTable
	apiBase
}

// NewFiguresAPI makes the API; ctx is the program's life.
func NewFiguresAPI(ctx context.Context, o *store.OutcomeTable) *FiguresAPI {
	return &FiguresAPI{o, apiBase{ctx}}
}

type (
	// Figures are counts over all goals that ended, also deleted ones.
	Figures struct {
		All    FigureRow   `json:"all"`
		Models []FigureRow `json:"models"` // the one with the most goals first
	}

	// FigureRow counts the goals of one model, or of all. A goal that was reopened and ended again has two ends.
	FigureRow struct {
		Model   string `json:"model"` // "" for all
		Goals   int    `json:"goals"`
		Ends    int    `json:"ends"`
		Done    int    `json:"done"`     // ends that were verified
		NotDone int    `json:"not_done"` // of those, how many the user said are not done
		GaveUp  int    `json:"gave_up"`  // ends with an honest report of the agent
		Limited int    `json:"limited"`  // ends by a limit
		Aborted int    `json:"aborted"`  // ends by the user
		Failed  int    `json:"failed"`   // other ends: errors
		Asks    int    `json:"asks"`     // requests for approval
		// Warned counts the ends before which the critic said that the agent is stuck or misled, Right those of them that
		// were not done. What is not done is Ends-Done+NotDone.
		Warned int     `json:"warned"`
		Right  int     `json:"right"`
		USD    float64 `json:"usd"` // of all goals, also of those that are not done
	}
)

// Get counts how goals ended.
func (f *FiguresAPI) Get() (out Figures, err error) {
	defer f.recoverProblem(&err)
	all, err := f.outcomes.All(f.ctx)
	return countOutcomes(all), err
}

func countOutcomes(all []store.Outcome) Figures {
	out := Figures{Models: []FigureRow{}}
	rows := map[string]*FigureRow{}
	for i, o := range all {
		row := rows[o.Model]
		if row == nil {
			row = &FigureRow{Model: o.Model}
			rows[o.Model] = row
		}
		// A goal counts for the model with which it ended last.
		isLast := i+1 == len(all) || all[i+1].Goal != o.Goal
		row.count(o, isLast)
		out.All.count(o, isLast)
	}
	for _, row := range rows {
		out.Models = append(out.Models, *row)
	}
	slices.SortFunc(out.Models, func(a, b FigureRow) int {
		return cmp.Or(cmp.Compare(b.Goals, a.Goals), cmp.Compare(b.Ends, a.Ends), cmp.Compare(a.Model, b.Model))
	})
	return out
}

// count adds one end, and with the last end of a goal, the goal.
func (f *FigureRow) count(o store.Outcome, isLast bool) {
	f.Ends++
	isDone := o.Exit == goal.Done && !o.NotDone
	switch o.Exit {
	case goal.Done:
		f.Done++
	case goal.GaveUp:
		f.GaveUp++
	case goal.LimitReached:
		f.Limited++
	case goal.AbortedByUser:
		f.Aborted++
	default:
		f.Failed++
	}
	if o.NotDone {
		f.NotDone++
	}
	if o.Warned {
		f.Warned++
		if !isDone {
			f.Right++
		}
	}
	if isLast {
		f.Goals++
		f.Asks += o.Asks
		f.USD += o.USD
	}
}
