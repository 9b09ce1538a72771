package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// callSecrets finds the secrets that calls refer to, and fills them in.
type callSecrets struct {
	store   SecretStore // nil if the session has no secrets
	exposed exposedSecrets
}

// computeEffect returns what a call would do, with the secrets that it refers to. Control tools get no secrets,
// because their arguments are journaled. Neither do tools that only pass their arguments on, because the user would
// not be asked about where the value is used.
func (cs *callSecrets) computeEffect(ctx context.Context, tool Tool, c goal.Call) (policy.Effect, error) {
	e, err := tool.Effect(ctx, json.RawMessage(c.Arguments))
	if err != nil || e.Control || e.Delegates || cs.store == nil {
		return e, err
	}
	uses, err := cs.store.SecretsIn(c)
	e.Secrets = append(e.Secrets, uses...) // a tool may use a secret that no argument names, such as a saved login
	return e, err
}

// fillSecrets returns the call to execute. The policy judged the call with the references, so a value must not
// change what the call affects.
func (cs *callSecrets) fillSecrets(
	ctx context.Context, tool Tool, c goal.Call, judged policy.Effect,
) (goal.Call, error) {
	if cs.store == nil || len(judged.Secrets) == 0 {
		return c, nil
	}
	filled, err := cs.store.FillSecrets(ctx, c)
	if err != nil {
		return c, fmt.Errorf("filling in a secret: %w", err)
	}
	e, err := tool.Effect(ctx, json.RawMessage(filled.Arguments))
	if err != nil {
		return c, fmt.Errorf("with its secret filled in, the call is invalid: %w", err)
	}
	e.Secrets = judged.Secrets
	if !withoutCommandLine(e).Equal(withoutCommandLine(judged)) {
		return c, errors.New("a secret would decide which host or file this call touches, which the user could not " +
			"approve. Use it in the data that is sent, not in the address or path")
	}
	return filled, nil
}

// exposedSecrets are the secrets that programs of the goal were given, by name. They stay exposed, because they may
// be in memory, in a file or in a program's arguments.
type exposedSecrets map[string]policy.SecretUse

func (es exposedSecrets) add(e policy.Effect) {
	if !e.ReachesPrograms() {
		return
	}
	for _, s := range e.Secrets {
		es[s.Name] = s
	}
}

// addEnvironmentSecrets adds the secrets in the environment of programs.
func (cs *callSecrets) addEnvironmentSecrets() {
	if cs.store != nil {
		for _, use := range cs.store.EnvironmentSecrets() {
			cs.exposed[use.Name] = use
		}
	}
}

// restoreExposed restores the secrets that programs were given in earlier runs. It does not evaluate calls without
// secrets again, because that would read files, perhaps a live page.
func (cs *callSecrets) restoreExposed(ctx context.Context, tools map[string]Tool, calls []goal.Call) {
	if cs.store == nil {
		return
	}
	for _, c := range calls {
		if uses, err := cs.store.SecretsIn(c); err != nil || len(uses) == 0 {
			continue
		}
		if tool := tools[c.Tool]; tool != nil {
			if e, err := cs.computeEffect(ctx, tool, c); err == nil {
				cs.exposed.add(e)
			}
		}
	}
}

// warning warns a user who is asked to open hosts about exposed secrets that belong to other hosts, "" if there are
// none.
func (es exposedSecrets) warning(hosts []string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(es)) {
		switch s := es[name]; {
		case len(s.Hosts) == 0:
			list = append(list, name+", which is not bound to a host")
		case slices.ContainsFunc(hosts, func(at string) bool { return !slices.Contains(s.Hosts, at) }):
			list = append(list, name+", which belongs to "+strings.Join(s.Hosts, ", "))
		}
	}
	if len(hosts) == 0 || len(list) == 0 {
		return ""
	}
	return "; programs of this goal have received your secret " + strings.Join(list, ", and ") +
		": they could send it to a host that you allow"
}

// redact removes secrets from a result before anything else sees it.
func (cs *callSecrets) redact(text string) string {
	if cs.store != nil {
		return cs.store.Redact(text)
	}
	return text
}
