package editor

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/goals/api"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/store"
)

// Words with which the user decides about changed files, and unlocks one.
const (
	wordKeep    = "keep"
	wordPutBack = "put back"
	wordYes     = "yes"
)

// resumeInput returns how a paused goal continues after the user wrote words. Only the exact words decide about files.
func resumeInput(words string, about store.Subject) api.ResumeInput {
	word := strings.ToLower(strings.TrimSpace(words))
	switch {
	case len(about.Changed) > 0 && word == wordKeep:
		return api.ResumeInput{Protected: api.AcceptProtected}
	case len(about.Changed) > 0 && word == wordPutBack:
		return api.ResumeInput{Protected: api.RestoreProtected}
	case about.Unlock != "" && word == wordYes:
		return api.ResumeInput{Note: words, Unprotect: []string{about.Unlock}}
	}
	return api.ResumeInput{Note: words}
}

// explainSubject says how to decide about changed files, or about a file that the agent asks for; "" if the goal waits
// for neither.
func explainSubject(about store.Subject, agentReason string) string {
	if about.Unlock != "" {
		show := ""
		if about.Show != "" {
			show = "\n\n```diff\n" + text.Sanitize(about.Show) + "\n```\n\n"
		}
		return show + fmt.Sprintf("Write `%s` to let the agent change %s. Anything else is your answer, and the file stays "+
			"locked.", wordYes, text.SanitizeLine(about.Unlock, 200))
	}
	if len(about.Changed) == 0 {
		return ""
	}
	var b strings.Builder
	for _, f := range about.Changed {
		fmt.Fprintf(&b, "- %s: %s\n", text.SanitizeLine(f.Path, 200), text.SanitizeLine(f.Why, 300))
	}
	if agentReason != "" {
		fmt.Fprintf(&b, "\nThe agent says: %s\n", text.SanitizeLine(agentReason, 500))
	}
	fmt.Fprintf(&b, "\nWrite `%s` to keep the change, or `%s` to undo only this. Nothing is put back before.", wordKeep,
		wordPutBack)
	return b.String()
}

// explainPause explains how to answer a goal that paused for changed or locked files.
func (a *Agent) explainPause(ctx context.Context, s savedSession) {
	row, err := a.deps.Store.Goals.Get(ctx, s.Goal)
	var about store.Subject
	if err == nil {
		about, err = a.deps.Store.Questions.Subject(ctx, row)
	}
	if err != nil {
		a.deps.Log.Warn("cannot find out what the goal needs the user for", "goal", s.Goal, "error", err)
		return
	}
	if words := explainSubject(about, row.Account); words != "" {
		a.say(ctx, s.ID, words)
	}
}
