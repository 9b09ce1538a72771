package runner

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// trusted is a session with one secret.
type trusted struct{ SecretStore }

func (trusted) SecretsIn(c goal.Call) ([]policy.SecretUse, error) {
	if strings.Contains(c.Arguments, "{{secret:pin}}") {
		return []policy.SecretUse{{Name: "pin"}}, nil
	}
	return nil, nil
}

// typing is a tool that looks at the world to say what a call would do.
type typing struct {
	Tool
	looks []string
}

func (t *typing) Effect(_ context.Context, args json.RawMessage) (policy.Effect, error) {
	t.looks = append(t.looks, string(args))
	return policy.Effect{Program: true}, nil
}

// TestRestoreExposed_CallWithoutSecret_IsNotEvaluated: when a goal continues.
func TestRestoreExposed_CallWithoutSecret_IsNotEvaluated(t *testing.T) {
	tool := &typing{}
	k := callSecrets{store: trusted{}, exposed: exposedSecrets{}}
	const names = `{"text":"{{secret:pin}}"}`
	k.restoreExposed(t.Context(), map[string]Tool{"type": tool},
		[]goal.Call{{Tool: "type", Arguments: `{"text":"caf\u00e9"}`}, {Tool: "type", Arguments: names}})
	if _, given := k.exposed["pin"]; !given || !slices.Equal(tool.looks, []string{names}) {
		t.Errorf("given %v, looked for %q", k.exposed, tool.looks)
	}
}
