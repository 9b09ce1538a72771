package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"goalpost/backend/domain/goal"
)

// SearchKind is where in a goal a text was found. The order of the kinds is that in which hits are shown.
type SearchKind int

// The kinds. Their numbers are in the index: after a change, raise searchLayout.
const (
	InObjective SearchKind = iota
	InReport
	InFile // a path that a call writes, or that differed from the start when a check used it
	InNote // of the user, another goal or another agent
	InMessage
	InCheck // what a check, the critic or the reviewer said
	InCall  // a tool and its arguments
	InOutput
)

// SearchPart is a piece of a text around what was found. Pieces need no offsets, which Go counts in bytes and a page in
// UTF-16.
type SearchPart struct {
	Text  string `json:"text"`
	Found bool   `json:"found,omitempty"`
}

// SearchHit is one text that has all words.
type SearchHit struct {
	Kind  SearchKind
	Seq   int64 // of its event
	Step  int   // that it belongs to, or the last one before it; 0 before the first
	Parts []SearchPart
}

// GoalHits are the hits in one goal.
type GoalHits struct {
	Goal  goal.ID
	Hits  []SearchHit // the first ones
	Total int
}

// SearchResult is what a search found so far.
type SearchResult struct {
	Goals []GoalHits // newest first
	Total int        // goals with hits
	// Behind counts the events that the index has not read yet: a later search may find more.
	Behind int64
}

const (
	// searchBudget is how long a search reads new events before it answers.
	searchBudget = 500 * time.Millisecond
	hitsOfGoal   = 3
	defaultGoals = 20
	maxGoals     = 200
)

// Search finds the texts of goals that have all words. Words in quotes must follow each other, and the last word may be
// the beginning of one. Case and accents do not count. The limit is for goals; 0 is 20.
func (si *SearchIndex) Search(ctx context.Context, words string, limit int) (SearchResult, error) {
	match := matchExpression(words)
	if match == "" {
		return SearchResult{}, nil
	}
	if limit <= 0 {
		limit = defaultGoals
	}
	found, err := si.search(ctx, match, min(limit, maxGoals))
	if isDamage(err) { // nothing is lost: it follows from the journal
		if err := si.reset(); err != nil {
			return SearchResult{}, err
		}
		found, err = si.search(ctx, match, min(limit, maxGoals))
	}
	return found, err
}

func (si *SearchIndex) search(ctx context.Context, match string, limit int) (found SearchResult, err error) {
	began := time.Now()
	found.Behind, err = si.catchUp(ctx, func() bool { return time.Since(began) < searchBudget })
	if err != nil {
		return found, err
	}
	db := si.current()
	if db == nil { // there are no goals
		return found, nil
	}
	var numbers []int64
	err = visitRows(ctx, db, "search", func(r scanner) error {
		var n int64
		var one GoalHits
		if err := r.Scan(&one.Goal, &n, &one.Total, &found.Total); err != nil {
			return fmt.Errorf("search: %w", err)
		}
		found.Goals, numbers = append(found.Goals, one), append(numbers, n)
		return nil
	}, `SELECT g.id, g.n, m.hits, count(*) OVER () FROM
		(SELECT docid >> ?2 AS n, count(*) AS hits FROM words WHERE words MATCH ?1 GROUP BY 1) m
		JOIN goals g ON g.n = m.n ORDER BY g.id DESC LIMIT ?3`, match, goalShift, limit)
	if err != nil {
		return SearchResult{}, err
	}
	for i, n := range numbers {
		if found.Goals[i].Hits, err = hitsIn(ctx, db, match, n); err != nil {
			return SearchResult{}, err
		}
	}
	return found, nil
}

// hitsIn reads the first hits in a goal.
func hitsIn(ctx context.Context, db *sql.DB, match string, n int64) ([]SearchHit, error) {
	return readRows(ctx, db, "search", func(r scanner, hit *SearchHit) error {
		var row int64
		var text, offsets string
		if err := r.Scan(&row, &hit.Step, &text, &offsets); err != nil {
			return err
		}
		hit.Kind, hit.Seq = placeOfRow(row)
		hit.Parts = snippet(text, parseOffsets(offsets))
		return nil
	}, `SELECT docid, step, text, offsets(words) FROM words WHERE words MATCH ?1 AND docid BETWEEN ?2 AND ?3
		ORDER BY docid LIMIT ?4`, match, n<<goalShift, lastRow(n), hitsOfGoal)
}

// Start keeps the index close to the journal in the background, so that searches have little to read. close stops it.
func (si *SearchIndex) Start(ctx context.Context) {
	ctx, si.stop = context.WithCancel(context.WithoutCancel(ctx))
	si.done = make(chan struct{})
	si.notify()
	go func() {
		defer close(si.done)
		for {
			select {
			case <-si.wake:
			case <-ctx.Done():
				return
			}
			select {
			case <-time.After(si.delay): // several events are read together, and the start of the program comes first
			case <-ctx.Done():
				return
			}
			si.follow(ctx)
		}
	}()
}

// follow reads all new events, at half the speed that is possible.
func (si *SearchIndex) follow(ctx context.Context) {
	began := time.Now()
	_, err := si.catchUp(ctx, func() bool {
		select {
		case <-time.After(time.Since(began)):
		case <-ctx.Done():
		}
		began = time.Now()
		return ctx.Err() == nil
	})
	if isDamage(err) {
		err = si.reset()
		si.notify()
	}
	if err != nil && ctx.Err() == nil {
		si.log.Warn("the search does not find the newest events", "error", err)
	}
}

// notify says that the journal has new events. It never blocks.
func (si *SearchIndex) notify() {
	select {
	case si.wake <- struct{}{}:
	default:
	}
}

// close stops the reading in the background, and closes the index.
func (si *SearchIndex) close() error {
	if si.stop != nil {
		si.stop()
		<-si.done
	}
	si.mu.Lock()
	defer si.mu.Unlock()
	return si.closeFile()
}
