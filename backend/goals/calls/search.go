package calls

import (
	"errors"

	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

// SearchInput asks for what goals said and did.
type SearchInput struct {
	// Words must all be in one text. Those in quotes must follow each other, and the last may be the beginning of a word.
	Words string `json:"words"`
	Limit int    `json:"limit"` // goals, at most 200; 0 = 20
}

// SearchPlace is where in a goal a text was found.
type SearchPlace string

// The places, in the order in which hits of a goal are listed.
const (
	PlaceObjective SearchPlace = "objective"
	PlaceReport    SearchPlace = "report"
	PlaceFile      SearchPlace = "file" // a path that was written, or that a check found changed
	PlaceNote      SearchPlace = "note" // to the agent
	PlaceSaid      SearchPlace = "said" // by the agent
	PlaceCheck     SearchPlace = "check"
	PlaceRan       SearchPlace = "ran"
	PlaceOutput    SearchPlace = "output"
)

var searchPlaces = map[store.SearchKind]SearchPlace{
	store.InObjective: PlaceObjective, store.InReport: PlaceReport, store.InFile: PlaceFile, store.InNote: PlaceNote,
	store.InMessage: PlaceSaid, store.InCheck: PlaceCheck, store.InCall: PlaceRan, store.InOutput: PlaceOutput,
}

// SearchHit is one text with all words. Its parts come from models, pages and programs, so the page must show them as
// plain text.
type SearchHit struct {
	Place SearchPlace        `json:"place"`
	Seq   int64              `json:"seq"`   // of its event in the journal
	Step  int                `json:"step"`  // that it belongs to, or the last one before it; 0 = before the first
	Parts []store.SearchPart `json:"parts"` // the text around what was found
}

// SearchedGoal is a goal with hits.
type SearchedGoal struct {
	ID        string      `json:"id"`
	Objective string      `json:"objective"`
	Status    goal.Status `json:"status"`
	Exit      goal.Exit   `json:"exit"`
	Hits      []SearchHit `json:"hits"`  // the first three
	Total     int         `json:"total"` // texts of the goal with all words
}

// SearchOutput is what a search found.
type SearchOutput struct {
	Goals []SearchedGoal `json:"goals"` // newest first
	Total int            `json:"total"` // goals with hits
	// Behind counts the events that were not searched yet, because the search index is being made: the same search finds
	// more later.
	Behind int64 `json:"behind,omitempty"`
}

// Search finds words in the objectives, transcripts, reports and changed paths of all goals.
func (ga *GoalAPI) Search(in SearchInput) (out SearchOutput, err error) {
	defer ga.recoverProblem(&err)
	found, err := ga.store.Search.Search(ga.ctx, in.Words, in.Limit)
	if err != nil {
		return out, err
	}
	out = SearchOutput{Goals: []SearchedGoal{}, Total: found.Total, Behind: found.Behind}
	for _, one := range found.Goals {
		row, err := ga.store.Goals.Get(ga.ctx, one.Goal)
		if errors.Is(err, goal.ErrNotFound) { // it was deleted since
			out.Total--
			continue
		}
		if err != nil {
			return out, err
		}
		out.Goals = append(out.Goals, SearchedGoal{
			ID: string(row.ID), Objective: row.Objective, Status: row.Status, Exit: row.Exit,
			Hits: viewAll(one.Hits, searchHit), Total: one.Total,
		})
	}
	return out, nil
}

func searchHit(h store.SearchHit) SearchHit {
	return SearchHit{Place: searchPlaces[h.Kind], Seq: h.Seq, Step: h.Step, Parts: h.Parts}
}
