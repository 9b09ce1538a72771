package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"goalpost/backend/agent/engine"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/secret"
)

// LoginWarning says what a goal gives up that uses the sign-in of its agent.
const LoginWarning = "Goalpost does not count what this agent asks its own provider: the limits of tokens and money " +
	"do not include it, and secrets are not hidden from that provider. The agent and every program that it starts " +
	"can read its access token"

// ReadLogin reads the sign-in that an agent has on this computer. The mask hides it from then on.
func ReadLogin(ctx context.Context, p engine.Profile, mask *secret.Mask, now time.Time) (engine.Credentials, error) {
	if p.Login == nil {
		return engine.Credentials{}, fault.Invalid("engine_login", p.Name+" has no sign-in that Goalpost can use",
			"let it ask the goal's model")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return engine.Credentials{}, fmt.Errorf("find the sign-in of %s: %w", p.Name, err)
	}
	getenv := func(name string) string { return environ.Get(ctx, name) }
	c, err := p.Login.Read(home, getenv, now)
	if err != nil {
		return c, fault.Invalid("engine_login", p.Name+": "+err.Error(), p.Login.Advice()+", or let it ask the goal's model")
	}
	for _, value := range c.Secrets {
		mask.Add("[hidden: the sign-in of "+p.Name+"]", value)
	}
	return c, nil
}

// ValidateLogin refuses a goal whose agent cannot use its sign-in.
func ValidateLogin(p engine.Profile, c engine.Credentials, rules policy.Policy) error {
	for _, host := range c.Hosts {
		for _, denied := range rules.DenyHosts {
			if matches, err := policy.HostMatches(denied, host, "443"); err == nil && matches {
				return fault.Invalid("deny_hosts", fmt.Sprintf("%s needs %s for its sign-in, and the goal denies it", p.Name, host),
					"allow the host, or let the agent ask the goal's model")
			}
		}
	}
	return nil
}

// engineLogin is the sign-in that a goal's agent uses.
type engineLogin struct {
	credentials *engine.Credentials // nil if it uses none
	file        string              // the agent's copy
	isMounted   bool
}

// readLogin reads the sign-in for another run: the user may have renewed it.
func (ge *goalEngine) readLogin(ctx context.Context, g goal.Goal) error {
	if !g.Options.EngineLogin {
		return nil
	}
	profile, isKnown := engine.FindProfile(ge.registry.Engines, g.Options.Engine)
	if !isKnown {
		return fmt.Errorf("this version of Goalpost does not know the engine %q", g.Options.Engine)
	}
	c, err := ReadLogin(ctx, profile, ge.registry.Mask, ge.registry.Clock.Now())
	if err == nil {
		err = ValidateLogin(profile, c, g.Policy)
	}
	if err != nil {
		return errorWithHint(err)
	}
	ge.login.credentials, ge.login.file = &c, filepath.Join(ge.registry.Sandboxes.PrivateDir(g.ID), "login.json")
	return nil
}

// giveLogin writes the agent's copy of the sign-in, and shows it to the goal's programs, except to checks.
func (ge *goalEngine) giveLogin(ctx context.Context, p engine.Profile, warn func(what, text string)) error {
	if ge.login.credentials == nil {
		return nil
	}
	if err := os.WriteFile(ge.login.file, ge.login.credentials.File, 0o600); err != nil {
		return fmt.Errorf("give %s its sign-in: %w", p.Name, err)
	}
	if ge.login.isMounted {
		return nil
	}
	home := homeIn(ge.sandbox.Env)
	if home == "" {
		return errors.New("the goal's programs have no home folder")
	}
	file := sandbox.PrivateFile{From: ge.login.file, To: filepath.Join(home, p.Login.File)}
	if _, err := ge.sandbox.Programs.Grant(ctx, sandbox.RuntimeGrant{Private: &file}); err != nil {
		return fmt.Errorf("give %s its sign-in: %w", p.Name, err)
	}
	ge.login.isMounted = true
	warn("engine", LoginWarning)
	return nil
}

// homeIn returns the home folder of an environment, "" if it has none.
func homeIn(env []string) (home string) {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "HOME="); ok {
			home = value
		}
	}
	return home
}

// takeLogin empties the agent's copy, also for programs that outlive the agent.
func (ge *goalEngine) takeLogin() error {
	if !ge.login.isMounted {
		return nil
	}
	if err := os.Truncate(ge.login.file, 0); err != nil {
		return fmt.Errorf("take the sign-in of the agent back: %w", err)
	}
	return nil
}

// addHosts adds the hosts of the sign-in to the rules of the goal's programs, not of its pages.
func (l engineLogin) addHosts(rules egress.Rules) egress.Rules {
	if l.credentials == nil {
		return rules
	}
	rules.Given = slices.Clip(rules.Given)
	for _, host := range l.credentials.Hosts {
		rules.Given = append(rules.Given,
			egress.HostGrant{Host: host, Risk: policy.NetworkWrite, From: egress.SourceProgram})
	}
	return rules
}
