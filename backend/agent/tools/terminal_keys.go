package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"goalpost/backend/agent/tools/commandline"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

const maxKeys = 200

var arrowKeyPattern = text.NewPattern(`\bArrow(Up|Down|Left|Right)$`)

type terminalKeysArgs struct {
	Pane string   `json:"pane"`
	Keys []string `json:"keys"`
}

func terminalKeys(r Deps) (Tool, error) {
	return defineTool("terminal_keys", func(_ context.Context, a terminalKeysArgs) (policy.Effect, error) {
		switch {
		case len(a.Keys) == 0:
			return policy.Effect{}, errors.New("keys is empty; give a list such as [\"Ctrl+C\"]")
		case len(a.Keys) > maxKeys:
			return policy.Effect{},
				fmt.Errorf("%d keys are too many, at most %d at once; terminal_type types text", len(a.Keys), maxKeys)
		}
		return r.typingEffect(a.Pane, keysAsText(a.Keys))
	}, func(ctx context.Context, a terminalKeysArgs) goal.Result {
		for i, k := range a.Keys { // accepts the names that browser_press uses
			a.Keys[i] = arrowKeyPattern.ReplaceAllString(k, "$1")
		}
		r.PendingInput.Record(a.Pane, keysAsText(a.Keys))
		if err := r.Terminals.Keys(ctx, a.Pane, a.Keys); err != nil {
			return failedResult("%s", err)
		}
		return okResult("pressed %s in pane %s", strings.Join(a.Keys, " "), a.Pane)
	})
}

// keysAsText returns the text that keys type, so that a command that is typed key by key cannot bypass the rules.
func keysAsText(keys []string) string {
	var b strings.Builder
	for _, k := range keys {
		switch {
		case k == "Enter":
			b.WriteByte('\n')
		case k == "Space":
			b.WriteByte(' ')
		case strings.EqualFold(k, "Ctrl+C"):
			b.WriteByte(commandline.CtrlC)
		case len([]rune(k)) == 1:
			b.WriteString(k)
		default:
			b.WriteByte(commandline.UnknownKey)
		}
	}
	return b.String()
}
