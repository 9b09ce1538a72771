package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/panes/browser"
	"goalpost/backend/storage/secret"
)

// unlockTimeout bounds how long it may take to open secrets that the goal was not given. A locked keyring asks the user
// in its own window.
const unlockTimeout = 20 * time.Second

// loadSecretsForMasking opens all secrets before the goal's first turn in this process, so that the mask has them: any
// file may contain a value that this goal or another one used. secretsErr lists secrets of this goal that cannot be
// opened.
func (reg *Registry) loadSecretsForMasking(
	ctx context.Context, g goal.Goal, warn func(what, text string),
) (secretsErr, err error) {
	names, err := reg.usedSecrets(ctx, g)
	if err != nil {
		return nil, err
	}
	var closed []string
	for _, name := range names {
		switch err := reg.openSecret(ctx, name); {
		case errors.Is(err, secret.ErrUnknown): // the user deleted it
			warn("secret", err.Error()+". Its value is no longer hidden in texts of this goal")
		case err != nil:
			closed = append(closed, fmt.Sprintf("%s (%s)", name, err))
		}
	}
	within, cancel := context.WithTimeout(ctx, unlockTimeout)
	defer cancel()
	if err := reg.Secrets.LoadAll(within); err != nil {
		warn("secret", "a secret cannot be opened, so its value is not hidden: "+reg.Mask.Text(err.Error()))
	}
	if len(closed) > 0 {
		secretsErr = fmt.Errorf("the goal's secrets cannot be opened, so they would not be hidden: %s. Unlock them in the "+
			"settings or with goalctl secret list, then continue the goal", strings.Join(closed, ", "))
	}
	return secretsErr, nil
}

// usedSecrets lists the secrets that the goal was given and those that the user granted later, by their names in
// effects.
func (reg *Registry) usedSecrets(ctx context.Context, g goal.Goal) ([]string, error) {
	approvals, err := reg.Store.Approvals.List(ctx, g.ID)
	if err != nil {
		return nil, fmt.Errorf("list the secrets of the goal: %w", err)
	}
	names := slices.Clone(g.Policy.Secrets)
	for _, q := range approvals {
		if q.Answer == nil || !q.Answer.Allowed {
			continue
		}
		for _, use := range q.Effect.Secrets {
			names = append(names, use.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// openSecret opens a secret or a saved login by its name in effects.
func (reg *Registry) openSecret(ctx context.Context, name string) error {
	logins, err := reg.Secrets.Logins().List()
	if err != nil {
		return fmt.Errorf("saved logins: %w", err)
	}
	for _, l := range logins {
		if name == "login of "+l.User+" at "+l.Origin {
			_, err := reg.Secrets.Logins().For(ctx, l.Origin, l.User)
			return err
		}
	}
	_, err = reg.Secrets.Get(ctx, name)
	return err
}

// goalSecrets fills the user's secrets into the calls of one goal, and hides them in the results. All methods may be
// called concurrently.
type goalSecrets struct {
	vault    *secret.Vault
	mask     *secret.Mask
	browsers *browser.Manager
	names    []string           // that the goal may fill in without asking
	uses     []policy.SecretUse // in the environment of the user's MCP servers, which run in the goal's sandbox
}

// SecretsIn lists the secrets that a call refers to.
func (g *goalSecrets) SecretsIn(c goal.Call) ([]policy.SecretUse, error) {
	var uses []policy.SecretUse
	for _, name := range secret.RefsJSON([]byte(c.Arguments)) {
		found, err := g.vault.Find(name)
		if err != nil {
			return nil, fmt.Errorf("%w. The secrets of this goal are: %s", err, strings.Join(g.names, ", "))
		}
		uses = append(uses, policy.SecretUse{Name: found.Name, Hosts: found.Hosts})
	}
	return uses, nil
}

// EnvironmentSecrets lists the secrets of the user's MCP servers that run in the goal's sandbox.
func (g *goalSecrets) EnvironmentSecrets() []policy.SecretUse { return g.uses }

// FillSecrets replaces the references to secrets by their values. It refuses to type a secret that is restricted to
// hosts into other pages.
func (g *goalSecrets) FillSecrets(ctx context.Context, c goal.Call) (goal.Call, error) {
	uses, err := g.SecretsIn(c)
	if err != nil {
		return c, err
	}
	values := map[string]string{}
	for _, use := range uses {
		if err := g.validateSecretOrigin(ctx, c, use); err != nil {
			return c, err
		}
		if values[use.Name], err = g.vault.Get(ctx, use.Name); err != nil {
			return c, fmt.Errorf("%s: %w", use.Name, err)
		}
	}
	b, err := secret.FillJSON([]byte(c.Arguments), func(name string) (string, bool) {
		v, ok := values[name]
		return v, ok
	})
	if err != nil {
		return c, fmt.Errorf("the arguments: %w", err)
	}
	if err := g.maskFields(ctx, c); err != nil {
		return c, err
	}
	c.Arguments = string(b)
	return c, nil
}

// maskFields hides in pictures the field that a secret is about to be typed into.
func (g *goalSecrets) maskFields(ctx context.Context, c goal.Call) error {
	var args struct {
		Pane   string `json:"pane"`
		Target string `json:"target"`
	}
	if c.Tool != "browser_type" {
		return nil
	}
	if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
		return fmt.Errorf("the arguments: %w", err)
	}
	p, ok := g.browsers.Get(args.Pane)
	if !ok {
		return nil
	}
	if err := p.Forms.MaskField(ctx, args.Target); err != nil {
		return fmt.Errorf("find the field: %w", err)
	}
	return nil
}

// validateSecretOrigin refuses to type a restricted secret into a page or frame of another origin. The policy has
// already decided the hosts that a tool contacts itself, because they are part of its effect.
func (g *goalSecrets) validateSecretOrigin(ctx context.Context, c goal.Call, use policy.SecretUse) error {
	var args struct {
		Pane   string  `json:"pane"`
		Target *string `json:"target"`
	}
	if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
		return fmt.Errorf("the arguments: %w", err)
	}
	p, ok := g.browsers.Get(args.Pane)
	if !ok || len(use.Hosts) == 0 {
		return nil
	}
	origin := originOf(p.State.Info().URL)
	if args.Target != nil || c.Tool == "browser_press" {
		target := ""
		if args.Target != nil {
			target = *args.Target
		}
		t, err := p.Reader.PreviewAction(ctx, target, false)
		if err != nil {
			return fmt.Errorf("find the page for the secret %s: %w", use.Name, err)
		}
		origin = t.Origin
	}
	if !originMatchesHost(origin, use.Hosts) {
		return fmt.Errorf("the secret %s may only be sent to %s over https, but this call would type it into %q",
			use.Name, strings.Join(use.Hosts, ", "), origin)
	}
	return nil
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// originMatchesHost reports whether an origin belongs to one of a secret's hosts. Except for the loopback, it requires
// https and its default port, so that the network cannot read the secret.
func originMatchesHost(origin string, hosts []string) bool {
	u, err := url.Parse(origin)
	if err != nil || !slices.Contains(hosts, u.Hostname()) {
		return false
	}
	return egress.IsGoalLoopback(net.JoinHostPort(u.Hostname(), "80")) || u.Scheme == "https" &&
		(u.Port() == "" || u.Port() == "443")
}

var _ runner.SecretStore = (*Session)(nil)
