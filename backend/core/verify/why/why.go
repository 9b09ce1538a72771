// Package why says in sentences what a pass rests on, and what to look at. The window, the command line and JSON show
// the same sentences.
package why

import (
	"path"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
)

// PartKind says what a part of a sentence is.
type PartKind string

// The kinds. "" is text.
const (
	File PartKind = "file" // a path in the goal's folder
	Code PartKind = "code" // a program, a test, a command
)

// Part is a part of a sentence.
type Part struct {
	Text string   `json:"text"`
	Kind PartKind `json:"kind,omitempty"`
}

// Sentence states one fact.
type Sentence struct {
	Parts []Part `json:"parts"`
	Note  string `json:"note,omitempty"` // what the fact means
}

// String returns the sentence as text.
func (s Sentence) String() string {
	var b strings.Builder
	for _, p := range s.Parts {
		b.WriteString(p.Text)
	}
	if s.Note != "" {
		b.WriteString(". " + s.Note)
	}
	return b.String()
}

// Reasons say why a check counts as passed, and why it may not.
type Reasons struct {
	Rests []Sentence `json:"rests"` // what the pass rests on
	Look  []Sentence `json:"look"`  // what to look at
}

// Explain returns the reasons of a check with its verdict, nil if it has not passed. judge is the model that decides
// questions.
func Explain(k goal.Check, v goal.Verdict, judge string) *Reasons {
	if v.Outcome != goal.Pass {
		return nil
	}
	e := explanation{check: k, verdict: v, reasons: &Reasons{Rests: []Sentence{}, Look: []Sentence{}}}
	if v.Grounds != nil {
		e.grounds = *v.Grounds
	}
	e.explainSource(judge)
	e.explainPrograms()
	e.explainSameFiles()
	e.explainStart()
	e.explainDoubt()
	e.explainReruns()
	e.explainChanges()
	return e.reasons
}

type explanation struct {
	check   goal.Check
	verdict goal.Verdict
	grounds goal.Grounds
	reasons *Reasons
}

func (e *explanation) rests(note string, parts ...Part) {
	e.reasons.Rests = append(e.reasons.Rests, Sentence{parts, note})
}

func (e *explanation) look(note string, parts ...Part) {
	e.reasons.Look = append(e.reasons.Look, Sentence{parts, note})
}

func text(s string) Part { return Part{Text: s} }

// explainSource says what was asked, if it was no program.
func (e *explanation) explainSource(judge string) {
	switch e.verdict.Type {
	case goal.HTTP:
		e.rests("", text("Goalpost asked "), Part{e.check.URL, Code}, text(": "+e.verdict.Detail))
	case goal.File:
		e.rests("", text("Goalpost looked at "), Part{e.check.Path, File}, text(": "+e.verdict.Detail))
	case goal.JSONPredicate:
		e.rests("", text("The expression "), Part{e.check.Expr, Code}, text(" is true"))
		if e.verdict.Assurance == goal.Claimed {
			e.look("No program looked at the work.", text("It is true of what the agent said"))
		}
	case goal.Visual, goal.ModelQuestion:
		e.rests("", text("The model "), Part{judge, Code}, text(" answered the question with yes"))
		e.look("Models err, and judge only what they are shown.", text("No program decided"))
	case goal.Manual:
		if e.verdict.Basis == goal.BasisUser {
			e.rests("", text("You accepted the result"))
		} else {
			e.look("", text("Only the agent says that it is done"))
		}
	case goal.Shell:
	}
}

// explainPrograms names the installed programs that ran.
func (e *explanation) explainPrograms() {
	const most = 3
	for _, file := range e.grounds.Programs[:min(most, len(e.grounds.Programs))] {
		e.rests("", text("Ran "), Part{path.Base(file), Code}, text(" from your system: "), Part{file, Code})
	}
}

// explainSameFiles names the files that decide and are as at the start: tests apart from the others.
func (e *explanation) explainSameFiles() {
	for _, group := range []struct {
		label string
		has   func(goal.FileRole) bool
	}{
		{"Tests: ", func(r goal.FileRole) bool { return r == goal.RoleTest }},
		{"What decides besides: ", func(r goal.FileRole) bool { return r != goal.RoleTest }},
	} {
		var paths []string
		for _, f := range e.grounds.Same {
			if group.has(f.Role) {
				paths = append(paths, f.Path)
			}
		}
		if len(paths) == 0 {
			continue
		}
		label := group.label
		if len(paths) == len(e.grounds.Same) && label != "Tests: " {
			label = "What decides: "
		}
		e.rests("", slices.Concat([]Part{text(label)}, list(File, paths), []Part{text(" as at the start")})...)
	}
}

// explainStart says how the check ended on the files of the start.
func (e *explanation) explainStart() {
	switch {
	case e.grounds.Start == "":
	case e.grounds.PassedAtStart:
		e.look("So it does not show that anything was done.",
			text("Passed already with the files of the start: "+e.grounds.Start))
	default:
		e.rests("", text("Failed with the files of the start: "+e.grounds.Start))
	}
}

// explainDoubt states the reason why the pass proves less.
func (e *explanation) explainDoubt() {
	lost := e.grounds.LostTests
	reason := e.verdict.AssuranceReason
	for _, r := range e.verdict.Reruns {
		reason = strings.TrimSuffix(reason, "; "+r.Describe())
	}
	switch {
	case len(lost) > 0:
		e.look("They ran before the goal began. A skipped or renamed test no longer checks the work.",
			slices.Concat([]Part{text("No longer run: ")}, list(Code, lost))...)
	case reason != "":
		parts := e.link(reason)
		if parts[0].Kind == "" {
			parts[0].Text = strings.ToUpper(parts[0].Text[:1]) + parts[0].Text[1:]
		}
		e.look("", parts...)
	}
}

// explainReruns says what the runs with files of the start have shown.
func (e *explanation) explainReruns() {
	for _, r := range e.verdict.Reruns {
		files := list(File, r.AsAtStart)
		if len(r.TestsOf) > 0 {
			files = append([]Part{text("the tests in ")}, list(File, r.TestsOf)...)
		}
		if r.Passed {
			e.rests("So these changes did not make it pass.",
				slices.Concat([]Part{text("Passed again with ")}, files, []Part{text(" as at the start")})...)
		} else {
			e.look("So it passes only with these changes.",
				slices.Concat([]Part{text("Fails with ")}, files, []Part{text(" as at the start: " + r.Detail)})...)
		}
	}
}

// explainChanges names the files of the agent that the check used.
func (e *explanation) explainChanges() {
	for _, f := range e.verdict.Changes {
		path, how := Part{f.Path, File}, text(" ("+f.Change+")")
		switch {
		case e.isNamedByReason(f.Path):
		case f.Allowed:
			e.look("", path, how, text(" decides, and was changed with your permission"))
		case f.Role.Decides() && e.verdict.Assurance == goal.Weakened:
			e.look("", text("Also ran "), path, how, text(", made by the agent"))
		case f.Role == goal.RoleData:
			e.rests("", text("Read the agent's file "), path, how)
		default:
			e.rests(workNote(e.verdict.Basis), text("Ran the agent's code: "), path, how)
		}
	}
}

// workNote says why it is right that the agent's code ran.
func workNote(b goal.Basis) string {
	switch b {
	case goal.BasisTests:
		return "This is the work. Tests are meant to run it."
	case goal.BasisAnswers:
		return "This is the work. Its answers were examined."
	case goal.BasisOutput:
		return "This is the work. Its output was examined."
	case goal.BasisUser, goal.BasisChanged, goal.BasisAftermath:
	}
	return ""
}

// isNamedByReason reports whether the reason for a doubt is about a file.
func (e *explanation) isNamedByReason(file string) bool {
	return len(e.grounds.LostTests) == 0 && indexName(e.verdict.AssuranceReason, file) >= 0
}

// link divides a text so that the files of the verdict in it are parts of their own.
func (e *explanation) link(s string) []Part {
	var parts []Part
	for {
		at, file := len(s), ""
		for _, f := range e.verdict.Changes {
			// The longest name that begins first is meant.
			if i := indexName(s, f.Path); i >= 0 && (i < at || i == at && len(f.Path) > len(file)) {
				at, file = i, f.Path
			}
		}
		if at > 0 {
			parts = append(parts, text(s[:at]))
		}
		if file == "" {
			return parts
		}
		parts, s = append(parts, Part{file, File}), s[at+len(file):]
		if s == "" {
			return parts
		}
	}
}

// indexName returns where a name is in a text as a whole word, -1 if it is not.
func indexName(s, name string) int {
	isPartOfName := func(s string) bool { return s != "" && strings.ContainsAny(s, nameBytes) }
	for from := 0; name != ""; {
		i := strings.Index(s[from:], name)
		if i < 0 {
			break
		}
		at := from + i
		end := at + len(name)
		if !isPartOfName(s[max(0, at-1):at]) && !isPartOfName(s[end:min(len(s), end+1)]) {
			return at
		}
		from = at + 1
	}
	return -1
}

const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-/"

// list returns names, separated by commas, at most five.
func list(k PartKind, names []string) []Part {
	const most = 5
	var parts []Part
	for i, name := range names {
		if i == most {
			return append(parts, text(" and more"))
		}
		if i > 0 {
			parts = append(parts, text(", "))
		}
		parts = append(parts, Part{name, k})
	}
	return parts
}

// ReopenNote returns a note with which a doubted pass can go back to the agent.
func ReopenNote(p goal.Proof, verdicts []goal.Verdict) string {
	for _, v := range verdicts {
		if v.AssuranceReason == p.AssuranceReason && v.Grounds != nil && len(v.Grounds.LostTests) > 0 {
			return strings.Join(v.Grounds.LostTests, ", ") +
				" ran at the start and no longer run. Make them run and pass; do not skip or deselect them."
		}
	}
	if p.AssuranceReason == "" {
		return ""
	}
	return "The check passed, but " + p.AssuranceReason + ". Make it pass without that."
}
