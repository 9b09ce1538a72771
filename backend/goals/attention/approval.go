package attention

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/host/notify"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// maxCallText is how many characters of a call a notification shows.
const maxCallText = 240

// describeCall returns a call that waits for an approval as lines of plain text, and whether they say all of it.
// Desktops cut off what is below the first lines, so the end of a value of several lines may be out of sight.
func describeCall(a goal.Approval) (lines string, isWhole bool) {
	var b strings.Builder
	isWhole = a.Show == ""
	b.WriteString(strings.ReplaceAll(a.Tool, "_", " "))
	var arguments map[string]any
	if json.Unmarshal([]byte(a.Arguments), &arguments) != nil {
		arguments = map[string]any{"arguments": a.Arguments}
	}
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		value, ok := arguments[name].(string)
		if !ok {
			encoded, err := json.Marshal(arguments[name])
			if err != nil { // it was valid JSON before
				encoded = []byte(a.Arguments)
			}
			value = string(encoded)
		}
		isWhole = isWhole && !strings.ContainsAny(value, "\r\n")
		b.WriteString("\n" + name + ": " + value)
	}
	all := text.Sanitize(b.String())
	return text.Truncate(all, maxCallText), isWhole && utf8.RuneCountInString(all) <= maxCallText
}

// answers returns the buttons of an approval's notification. A call is allowed only by who has seen all of it.
func (n *Notifier) answers(ctx context.Context, id goal.ID, a goal.Approval) (list []notify.Action) {
	_, isWhole := describeCall(a)
	if _, isOffered := a.FindOffer(policy.ScopeOnce); isOffered && isWhole {
		list = append(list, notify.Action{Label: "Allow once", Do: func() {
			n.answer(ctx, id, goal.Order{Kind: goal.OrderApprove, Request: a.ID, Scope: policy.ScopeOnce})
		}})
	}
	return append(list, notify.Action{Label: "Deny", Do: func() {
		n.answer(ctx, id, goal.Order{Kind: goal.OrderDeny, Request: a.ID})
	}})
}

// answer gives the user's answer to one approval. It does nothing if that was answered in the meantime.
func (n *Notifier) answer(ctx context.Context, id goal.ID, o goal.Order) {
	err := n.Goals.Answer(ctx, id, o)
	if err == nil {
		return
	}
	if code := fault.Of(err).Code; code == fault.Conflict || code == fault.NotFound {
		n.Log.Debug("the approval of a notification needs no answer", "goal", id, "request", o.Request, "error", err)
		return
	}
	n.Log.Warn("the answer of a notification was not taken", "goal", id, "request", o.Request, "error", err)
}
