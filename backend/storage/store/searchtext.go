package store

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// maxSearchText limits what the index has of a text: of a longer one, the beginning and the end.
const maxSearchText = 8 << 10

// searchText is a text of an event that can be found.
type searchText struct {
	kind SearchKind
	text string
}

// searchTexts returns what can be found of an event, with the whole result of a step. The journal has it without
// secrets.
func searchTexts(body event.Body, result string) []searchText {
	var list []searchText
	for _, t := range textsOf(body, result) {
		s := text.ToUTF8(string(text.TruncateMiddle([]byte(t.text), maxSearchText)))
		s = strings.ReplaceAll(s, "\x00", " ") // SQLite would read only what is before it
		if strings.TrimSpace(s) != "" {
			list = append(list, searchText{t.kind, s})
		}
	}
	return list
}

func textsOf(body event.Body, result string) []searchText {
	switch b := body.(type) {
	case *event.Created:
		return []searchText{{InObjective, b.Objective}}
	case *event.Steered:
		return []searchText{{InNote, b.Text}}
	case *event.Reopened:
		return []searchText{{InNote, b.Note}}
	case *event.Resumed:
		return []searchText{{InNote, b.Note}}
	case *event.Message:
		if b.Message.Role == goal.Assistant {
			return []searchText{{InMessage, joinLines(b.Message.Text, b.Message.Reasoning.DisplayText())}}
		}
	case *event.Claim:
		return []searchText{{InMessage, joinLines(b.Rationale, b.Result)}}
	case *event.StepStarted:
		return []searchText{
			{InCall, b.Tool + " " + argumentText(b.Arguments)},
			{InFile, joinLines(slices.Concat(b.Effect.Paths, b.Effect.Deletes)...)},
		}
	case *event.Step:
		return []searchText{{InOutput, result}}
	case *event.ChangesUndone:
		return []searchText{{InFile, joinLines(b.Files...)}}
	default:
		return judgements(body)
	}
	return nil
}

// judgements returns the texts about how far a goal is.
func judgements(body event.Body) []searchText {
	switch b := body.(type) {
	case *event.Verdict:
		paths := make([]string, len(b.Changes))
		for i, c := range b.Changes {
			paths[i] = c.Path
		}
		return []searchText{
			{InCheck, joinLines(b.Name+": "+b.Detail, b.Tail, b.Reply)}, {InFile, joinLines(paths...)},
		}
	case *event.Critic:
		return []searchText{{InCheck, joinLines(b.Reason, b.Reply)}}
	case *event.Review:
		return []searchText{{InCheck, joinLines(b.Reason, b.Reply)}}
	case *event.Paused:
		return []searchText{{InReport, joinLines(joinLines(b.Report...), b.Account, b.Result)}}
	case *event.Ended:
		return []searchText{{InReport, joinLines(joinLines(b.Report...), b.Account, b.Result)}}
	}
	return nil
}

func joinLines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n")
}

// argumentText returns the texts in the arguments of a call, one a line. In JSON, words would begin with the letter of
// an escaped line break.
func argumentText(arguments string) string {
	var values any
	if json.Unmarshal([]byte(arguments), &values) != nil {
		return arguments
	}
	return joinLines(stringsIn(values)...)
}

func stringsIn(value any) (list []string) {
	switch v := value.(type) {
	case string:
		list = []string{v}
	case []any:
		for _, one := range v {
			list = append(list, stringsIn(one)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(list, stringsIn(v[name])...)
		}
	}
	return list
}
