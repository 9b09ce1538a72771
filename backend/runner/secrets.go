package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

// callSecrets finds and fills in the secrets of calls.
type callSecrets struct {
	run *Run

	exposedSecrets exposedSecrets
}

// computeEffect is what a call would do, with the secrets that it refers to. Control
// tools get no secrets: what they are told is journaled. Nor do those that only hand
// their arguments on: a value would be past its question where it is used.
func (k *callSecrets) computeEffect(ctx context.Context, tool Tool, c goal.Call) (policy.Effect, error) {
	e, err := tool.Effect(ctx, callArguments(c))
	s, knows := k.run.session.(SecretStore)
	if err != nil || e.Control || e.Delegates || !knows {
		return e, err
	}
	uses, err := s.SecretsIn(c)
	e.Secrets = append(e.Secrets, uses...) // a tool may use one by itself, as a saved login is
	return e, err
}

// fillSecrets makes the call that is executed. A secret does not decide what a call
// touches: that was judged with the reference in its place.
func (k *callSecrets) fillSecrets(ctx context.Context, tool Tool, c goal.Call, judged policy.Effect) (goal.Call, error) {
	s, knows := k.run.session.(SecretStore)
	if !knows || len(judged.Secrets) == 0 {
		return c, nil
	}
	filled, err := s.FillSecrets(ctx, c)
	if err != nil {
		return c, fmt.Errorf("filling in a secret: %w", err)
	}
	e, err := tool.Effect(ctx, callArguments(filled))
	if err != nil {
		return c, fmt.Errorf("with its secret filled in, the call does not fit: %w", err)
	}
	e.Secrets = judged.Secrets
	if !withoutCommandLine(e).Equal(withoutCommandLine(judged)) {
		return c, errors.New("a secret decides here which host or which file is touched, and nobody could be asked about that. Use it in what is sent, not in where it goes")
	}
	return filled, nil
}

// exposedSecrets are the secrets that programs of the goal were given, by name. Nobody takes
// them back: they may be kept in memory, in a file, in a program's arguments.
type exposedSecrets map[string]policy.SecretUse

func (h exposedSecrets) add(e policy.Effect) {
	if !e.ReachesPrograms() {
		return
	}
	for _, s := range e.Secrets {
		h[s.Name] = s
	}
}

// addEnvironmentSecrets adds what programs get by themselves.
func (k *callSecrets) addEnvironmentSecrets() {
	if s, knows := k.run.session.(SecretStore); knows {
		for _, use := range s.EnvironmentSecrets() {
			k.exposedSecrets[use.Name] = use
		}
	}
}

// restoreExposed brings back what programs were given in earlier runs. A call that names no
// secret is not judged again: that would look at the world, perhaps at a live page.
func (k *callSecrets) restoreExposed(ctx context.Context, calls []goal.Call) {
	s, knows := k.run.session.(SecretStore)
	if !knows {
		return
	}
	for _, c := range calls {
		if uses, err := s.SecretsIn(c); err != nil || len(uses) == 0 {
			continue
		}
		if tool := k.run.dispatcher.tools[c.Tool]; tool != nil {
			if e, err := k.computeEffect(ctx, tool, c); err == nil {
				k.exposedSecrets.add(e)
			}
		}
	}
}

// warning says to a user who is asked to open hosts which secrets could go there
// that do not belong to them, "" if none could.
func (h exposedSecrets) warning(hosts []string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		switch s := h[name]; {
		case len(s.Hosts) == 0:
			list = append(list, name+", which is bound to no host")
		case slices.ContainsFunc(hosts, func(at string) bool { return !slices.Contains(s.Hosts, at) }):
			list = append(list, name+", which belongs to "+strings.Join(s.Hosts, ", "))
		}
	}
	if len(hosts) == 0 || len(list) == 0 {
		return ""
	}
	return "; programs of this goal are given your secret " + strings.Join(list, ", and ") + ": they could send it to a host that you open to them"
}

// redact takes secrets out of a result before anything else sees it.
func (k *callSecrets) redact(text string) string {
	if s, knows := k.run.session.(SecretStore); knows {
		return s.Redact(text)
	}
	return text
}
