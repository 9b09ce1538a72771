package store

import (
	"context"
	"slices"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// RunHistory reads what a new run needs to know about earlier ones, with at most the given number of newest steps.
func (h *History) RunHistory(ctx context.Context, id goal.ID, steps int) (goal.RunHistory, error) {
	var p goal.RunHistory
	var err error
	if p.Todos, p.Notes, err = h.Plan(ctx, id); err != nil {
		return p, err
	}
	if p.Steps, err = h.newestSteps(ctx, id, steps); err != nil {
		return p, err
	}
	if p.Warned, err = h.warnedLimits(ctx, id); err != nil {
		return p, err
	}
	if p.Memory, err = h.loopState(ctx, id); err != nil {
		return p, err
	}
	if p.Filled, err = h.callsWithSecrets(ctx, id); err != nil {
		return p, err
	}
	if p.CriticTokens, err = h.criticTokens(ctx, id); err != nil {
		return p, err
	}
	if p.TokensIn, err = h.newestTokensIn(ctx, id); err != nil {
		return p, err
	}
	stop, err := h.lastUserStop(ctx, id)
	if err != nil {
		return p, err
	}
	records, err := h.Reviews(ctx, id)
	if err != nil {
		return p, err
	}
	for _, o := range records {
		if o.Critic == nil {
			continue
		}
		if p.Looked = o.Critic.Step; o.Seq > stop {
			p.Critic = append(p.Critic, string(o.Critic.Verdict))
		}
	}
	err = h.addClaims(ctx, id, stop, records, &p)
	return p, err
}

// addClaims adds the claims, each with its verdicts and review.
func (h *History) addClaims(
	ctx context.Context, id goal.ID, stop int64, records []ReviewRecord, p *goal.RunHistory,
) error {
	claims, err := h.Claims(ctx, id)
	if err != nil {
		return err
	}
	before, err := h.lastClaimBefore(ctx, id, stop)
	if err != nil {
		return err
	}
	failed, err := h.claimsWithoutChecks(ctx, id, claims)
	if err != nil {
		return err
	}
	reviews := map[int]*goal.Review{}
	for _, o := range records {
		if o.Review != nil {
			reviews[o.Review.Claim] = &o.Review.Review
		}
	}
	for _, c := range claims {
		was := p.Last
		p.Last = goal.ClaimRecord{
			N:         c.N,
			By:        c.By,
			Rationale: c.Rationale,
			Result:    c.Result,
			Verdicts:  c.Verdicts,
			Review:    reviews[c.N],
		}
		if c.By == "user" && p.Last.Review == nil { // the answer is about work that was reviewed before
			p.Last.Review = was.Review
		}
		if failed[c.N] {
			p.Last.Verdicts, p.Last.Review = was.Verdicts, was.Review
		}
		if c.N > before {
			p.Claims = append(p.Claims, p.Last)
		}
	}
	return nil
}

// claimsWithoutChecks separates claims that failed without a check, because nothing was done since the one before,
// from those whose verification was cut off. It reads the journal only if a claim has no verdict.
func (h *History) claimsWithoutChecks(ctx context.Context, id goal.ID, claims []Claim) (map[int]bool, error) {
	without := map[int]bool{}
	for _, c := range claims {
		if len(c.Verdicts) == 0 {
			without[c.N] = true
		}
	}
	if len(without) == 0 {
		return nil, nil
	}
	list, err := h.events(ctx,
		selectEvents+"WHERE goal_id = ? AND type = 'verification_failed'", id)
	if err != nil {
		return nil, err
	}
	failed := map[int]bool{}
	for _, e := range list {
		if b, ok := e.Body.(*event.VerificationFailed); ok && without[b.Claim] {
			failed[b.Claim] = true
		}
	}
	return failed, nil
}

// rareEventFilter is the condition of the index events_of_kind, word for word: only a query that contains it can use
// the index and avoid reading the whole journal.
const rareEventFilter = "type IN ('todos','critic','review','paused','ended','usage','warning','limits_changed')"

const todosQuery = selectEvents + "WHERE goal_id = ? AND " + rareEventFilter +
	" AND type = 'todos' ORDER BY seq DESC LIMIT 1"

// Plan reads the present plan of a goal's agent, and its notes.
func (h *History) Plan(ctx context.Context, id goal.ID) ([]goal.Todo, []goal.Note, error) {
	list, err := h.events(ctx, todosQuery, id)
	if err != nil || len(list) == 0 {
		return nil, nil, err
	}
	if plan, ok := list[0].Body.(*event.Todos); ok {
		return plan.Items, plan.Notes, nil
	}
	return nil, nil, nil
}

// warnedLimits reads, by limit, the highest percentage warned of since the limits were set.
func (h *History) warnedLimits(ctx context.Context, id goal.ID) (map[string]int, error) {
	return readMap[string, int](ctx, h.connection.read, "read warnings",
		`SELECT body ->> 'what', max(body ->> 'percent') FROM events
		WHERE goal_id = ?1 AND `+rareEventFilter+` AND type = 'warning' AND body ->> 'percent' > 0
		AND seq > (SELECT coalesce(max(seq), 0) FROM events WHERE goal_id = ?1 AND `+rareEventFilter+` AND type =
		'limits_changed') GROUP BY 1`, id)
}

// needsUserExits are the exits after which the user has to look at the goal.
const needsUserExits = "'stuck','needs_user','limit_reached','done','gave_up','user_aborted'"

// lastUserStop returns the seq of the event with which the goal last stopped for the user to look at it, 0 if it never
// did. Earlier failures no longer count.
func (h *History) lastUserStop(ctx context.Context, id goal.ID) (int64, error) {
	return readValue[int64](ctx, h.connection.read, "read stops",
		`SELECT coalesce(max(seq), 0) FROM events WHERE goal_id = ? AND `+
			rareEventFilter+` AND type IN ('paused','ended') AND body ->> 'exit' IN (`+needsUserExits+`)`, id)
}

// lastClaimBefore returns the number of the last claim before an event, 0 if there is none.
func (h *History) lastClaimBefore(ctx context.Context, id goal.ID, seq int64) (int, error) {
	return readValue[int](ctx, h.connection.read, "read claims",
		`SELECT coalesce(max(body ->> 'n'), 0) FROM events WHERE goal_id = ? AND seq < ? AND type = 'claim'`, id, seq)
}

const parkedInARowQuery = "SELECT count(*), coalesce(min(at), '') FROM events INDEXED BY events_of_kind WHERE " +
	"goal_id = ?1 AND " + rareEventFilter + ` AND type = 'paused' AND body ->> 'exit' = 'parked'
	AND seq > (SELECT coalesce(max(seq), 0) FROM events INDEXED BY events_of_kind WHERE goal_id = ?1 AND ` +
	rareEventFilter + " AND (type = 'usage' OR type = 'paused' AND body ->> 'exit' <> 'parked'))"

// ParkedInARow counts how often the goal was parked since a model last answered, or since it last stopped for another
// reason, and returns when it was first.
func (h *History) ParkedInARow(ctx context.Context, id goal.ID) (n int, since time.Time, err error) {
	err = visitRows(ctx, h.connection.read, "read parks", func(r scanner) error {
		return r.Scan(&n, timeColumn{&since})
	}, parkedInARowQuery, id)
	return n, since, err
}

// criticTokens sums what the critic has cost, in tokens in and out.
func (h *History) criticTokens(ctx context.Context, id goal.ID) (n int64, err error) {
	return readValue[int64](ctx, h.connection.read, "read what the critic cost",
		`SELECT coalesce(sum((body ->> 'tokens_in') + (body ->> 'tokens_out')), 0)
		FROM events WHERE goal_id = ? AND `+rareEventFilter+` AND type = 'usage' AND body ->> 'by' = 'critic'`, id)
}

// newestTokensIn reads the input tokens of the agent's newest turn, 0 if it had none.
func (h *History) newestTokensIn(ctx context.Context, id goal.ID) (n int64, err error) {
	return readValue[int64](ctx, h.connection.read, "read the size of the newest turn",
		`SELECT coalesce((SELECT body ->> 'tokens_in' FROM events WHERE goal_id = ? AND `+rareEventFilter+
			` AND type = 'usage' AND body ->> 'by' IS NULL ORDER BY seq DESC LIMIT 1), 0)`, id)
}

// callsWithSecrets reads the calls that were not refused and whose arguments name a secret, or may name one in an
// encoded form.
func (h *History) callsWithSecrets(ctx context.Context, id goal.ID) ([]goal.Call, error) {
	return readRows(ctx, h.connection.read, "read steps", func(r scanner, c *goal.Call) error {
		return r.Scan(&c.Tool, &c.Arguments)
	}, `SELECT DISTINCT s.tool, s.arguments FROM steps s LEFT JOIN results r ON r.goal_id = s.goal_id AND r.n = s.n
		WHERE s.goal_id = ? AND (s.arguments LIKE '%{{secret:%' OR s.arguments LIKE '%\u%') AND coalesce(r.outcome, '') <>
		'denied'`, id)
}

func (h *History) newestSteps(ctx context.Context, id goal.ID, limit int) ([]goal.Step, error) {
	list, err := readRows(ctx, h.connection.read, "read steps", func(r scanner, st *goal.Step) error {
		return r.Scan(&st.N, &st.Tool, &st.Arguments, &st.Outcome, &st.Result)
	}, `SELECT s.n, s.tool, s.arguments, r.outcome, r.result FROM steps s
		JOIN results r ON r.goal_id = s.goal_id AND r.n = s.n WHERE s.goal_id = ? AND s.risk <> '' ORDER BY s.n DESC LIMIT
		?`, id, limit)
	slices.Reverse(list)
	return list, err
}
