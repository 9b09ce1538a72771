package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/text"
)

// transcriptWriter prints the transcript of a goal.
type transcriptWriter struct {
	program Program
	asJSON  bool
}

// write prints all entries, or those that contain the text.
func (t transcriptWriter) write(g *calls.GoalAPI, id, search string) error {
	const page = 200
	turn := 0
	for offset := 0; ; offset += page {
		part, err := g.Transcript(id, calls.TranscriptInput{Search: search, Offset: offset, Limit: page})
		if err != nil {
			return err
		}
		for _, e := range part.Entries {
			if err := t.printEntry(e, &turn); err != nil {
				return err
			}
		}
		if offset+len(part.Entries) >= part.Total || len(part.Entries) == 0 {
			if offset == 0 && len(part.Entries) == 0 && !t.asJSON {
				return t.program.printf("%s\n", map[bool]string{
					true:  "No entry contains that text.",
					false: "Nothing happened yet.",
				}[search != ""])
			}
			return nil
		}
	}
}

// printEntry prints one entry. turn is the turn of the last printed entry.
func (t transcriptWriter) printEntry(e calls.TranscriptEntry, turn *int) error {
	if t.asJSON {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("transcript: %w", err)
		}
		return t.program.printf("%s\n", plainJSON(line))
	}
	var b strings.Builder
	if e.Turn != *turn {
		*turn = e.Turn
		fmt.Fprintf(&b, "── turn %d ──\n", e.Turn)
	}
	at := goal.FormatDuration(time.Duration(e.AtMS) * time.Millisecond)
	fmt.Fprintf(&b, "[%s] %s%s\n", at, entryTitle(e), entryCost(e))
	if e.Reasoning != "" {
		b.WriteString("  (thinking)\n" + indentText(text.Sanitize(e.Reasoning)))
	}
	if e.Kind == "approval" && e.Arguments != "" {
		b.WriteString(indentText(singleLine(e.Tool + " " + e.Arguments)))
	}
	if reply := strings.TrimSpace(e.Text); reply != "" {
		b.WriteString(indentText(text.Sanitize(reply)))
	}
	return t.program.printf("%s", b.String())
}

func entryTitle(e calls.TranscriptEntry) string {
	if e.Kind != "step" {
		title := singleLine(e.Title)
		if e.Outcome != "" {
			title += " · " + e.Outcome
		}
		return title
	}
	title := fmt.Sprintf("step %d  %s  %s", e.Step, singleLine(e.Tool), singleLine(mainArgument(e.Arguments)))
	if e.Outcome == "" {
		return title + " · running"
	}
	return title + " · " + e.Outcome + " · " + goal.FormatDuration(time.Duration(e.MS)*time.Millisecond)
}

func entryCost(e calls.TranscriptEntry) string {
	if e.TokensIn+e.TokensOut == 0 {
		return ""
	}
	prefix := map[bool]string{true: "about "}[e.Guessed]
	cost := fmt.Sprintf(" · %s%d tokens in, %d out", prefix, e.TokensIn, e.TokensOut)
	if e.USD > 0 {
		cost += fmt.Sprintf(" · $%.4f", e.USD)
	}
	return cost
}
