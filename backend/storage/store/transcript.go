package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// TranscriptRow is an event in a transcript, with what related events say about it.
type TranscriptRow struct {
	event.Event
	AtMS  int64       // since the goal started
	Turn  int         // the iteration that it belongs to, 0 before the first
	Usage *goal.Usage // of an assistant message; nil if the journal has none
	Step  *Step       // of a step_started, with its result; Outcome is "" while it runs
}

// transcriptTypes are the types of events in a transcript, besides messages. Results of tools are with their calls; the
// usage of the agent is with its messages.
const transcriptTypes = `'step_started','todos','critic','review','claim','verdict','approval_requested',
	'approval_resolved','steered','warning','paused','resumed','reopened','limits_changed','queued','ended',
	'accepted','changes_undone','rechecked'`

// transcriptFilter is the condition for an event e. Messages of tools are recognized by the beginning of their JSON,
// so that SQLite does not read the whole of them. A damaged body, which is not JSON, is not looked into.
const transcriptFilter = `e.goal_id = ?1 AND (e.type IN (` + transcriptTypes + `)
	OR e.type = 'message' AND substr(e.body, 1, 26) <> '{"message":{"role":"tool",'
	OR e.type = 'usage' AND CASE WHEN json_valid(e.body) THEN e.body ->> 'by' END IS NOT NULL)`

const transcriptColumns = `e.seq, e.run_id, e.at, e.type, e.body, e.checksum,
	coalesce((SELECT CASE WHEN json_valid(i.body) THEN i.body ->> 'n' END FROM events i
		WHERE i.goal_id = e.goal_id AND i.seq < e.seq AND i.type = 'iteration' ORDER BY i.seq DESC LIMIT 1), 0),
	(SELECT u.body FROM events u WHERE e.type = 'message' AND u.goal_id = e.goal_id AND u.seq = e.seq + 1
		AND u.type = 'usage'),
	coalesce(r.outcome, ''), coalesce(r.ms, 0), coalesce(r.preview, ''), coalesce(r.result, ''),
	coalesce(r.image_sha256, '')`

const transcriptTables = ` FROM events e LEFT JOIN results r
	ON e.type = 'step_started' AND r.goal_id = e.goal_id
	AND r.n = CASE WHEN json_valid(e.body) THEN e.body ->> 'step_id' END WHERE `

// CountTranscript counts the rows of a goal's transcript.
func (h *History) CountTranscript(ctx context.Context, id goal.ID) (n int, err error) {
	return readValue[int](ctx, h.connection.read, "count transcript",
		"SELECT count(*) FROM events e WHERE "+transcriptFilter, id)
}

// Transcript reads at most limit rows of a goal's transcript after the first offset rows, oldest first.
func (h *History) Transcript(ctx context.Context, id goal.ID, offset, limit int) ([]TranscriptRow, error) {
	var list []TranscriptRow
	err := h.scanTranscript(ctx, func(row TranscriptRow) error {
		list = append(list, row)
		return nil
	}, transcriptFilter+" ORDER BY e.seq LIMIT ?2 OFFSET ?3", id, limit, offset)
	return list, err
}

// SearchTranscript calls visit with the rows of a goal's transcript that may contain the text, oldest first. It ignores
// case. Some of these rows may not show the text.
func (h *History) SearchTranscript(
	ctx context.Context, id goal.ID, text string, visit func(TranscriptRow) error,
) error {
	isLetterBeyondASCII := func(r rune) bool { return r > unicode.MaxASCII }
	if strings.ContainsFunc(text, isLetterBeyondASCII) { // SQLite's lower knows ASCII only
		return h.scanTranscript(ctx, visit, transcriptFilter+" ORDER BY e.seq", id)
	}
	raw, err := json.Marshal(strings.ToLower(text))
	if err != nil {
		return fmt.Errorf("search transcript: %w", err)
	}
	// Texts are in the events as JSON. Arguments are JSON within that: what JSON escapes is escaped twice there.
	inJSON := strings.Trim(string(raw), `"`)
	if inJSON != strings.ToLower(text) {
		return h.scanTranscript(ctx, visit, transcriptFilter+" ORDER BY e.seq", id)
	}
	return h.scanTranscript(ctx, visit, transcriptFilter+
		" AND (instr(lower(e.body), ?2) > 0 OR instr(lower(r.result), ?2) > 0) ORDER BY e.seq", id, inJSON)
}

func (h *History) scanTranscript(
	ctx context.Context, visit func(TranscriptRow) error, where string, id goal.ID, args ...any,
) error {
	row, err := h.goals.Get(ctx, id)
	if err != nil {
		return err
	}
	since := journalCursor{started: row.StartedAt}
	return visitRows(ctx, h.connection.read, "read transcript", func(r scanner) error {
		one, err := scanTranscriptRow(r, id)
		if err != nil {
			return err
		}
		one.AtMS = max(0, since.msSinceStart(one.At))
		return visit(one)
	}, "SELECT "+transcriptColumns+transcriptTables+where, append([]any{id}, args...)...)
}

func scanTranscriptRow(r scanner, id goal.ID) (TranscriptRow, error) {
	var row eventRow
	var st Step
	var one TranscriptRow
	err := r.Scan(append(row.columns(), &one.Turn, jsonColumn{&one.Usage}, &st.Outcome, &st.MS, &st.Preview, &st.Result,
		&st.ImageSHA256)...)
	if err != nil {
		return one, fmt.Errorf("read transcript of %s: %w", id.Short(), err)
	}
	one.Event = row.decode(id)
	if start, ok := one.Body.(*event.StepStarted); ok {
		st.N, st.RunID, st.AtMS, st.Tool, st.Arguments = start.StepID, one.RunID, one.AtMS, start.Tool, start.Arguments
		st.Risk = string(start.Effect.Risk)
		one.Step = &st
	}
	return one, nil
}
