package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"goalpost/backend/browser"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/runner"
	"goalpost/backend/sandbox/egress"
	"goalpost/backend/secret"
)

// unlockTimeout is how long it may take to open secrets that this goal was not given: a locked keyring asks
// the user in a window of its own.
const unlockTimeout = 20 * time.Second

// loadSecretsForMasking opens all secrets before the goal's first turn in this process, so that the mask knows
// them: any file may contain a value that this goal or another one used. sealed says which secret of this goal
// cannot be opened.
func (reg *Registry) loadSecretsForMasking(
	ctx context.Context, g goal.Goal, warn func(what, text string),
) (sealed, err error) {
	names, err := reg.usedSecrets(ctx, g)
	if err != nil {
		return nil, err
	}
	var closed []string
	for _, name := range names {
		switch err := reg.openSecret(ctx, name); {
		case errors.Is(err, secret.ErrUnknown): // the user deleted it
			warn("secret", err.Error()+". Text of this goal that contains it is no longer hidden")
		case err != nil:
			closed = append(closed, fmt.Sprintf("%s (%s)", name, err))
		}
	}
	within, cancel := context.WithTimeout(ctx, unlockTimeout)
	defer cancel()
	if err := reg.Secrets.LoadAll(within); err != nil {
		warn("secret", "not hidden, because it could not be opened: "+reg.Mask.Text(err.Error()))
	}
	if len(closed) > 0 {
		sealed = fmt.Errorf("secrets that it uses cannot be opened, so nothing would hide them: %s. Unlock them in the "+
			"settings or with goalctl secret list, then continue it", strings.Join(closed, ", "))
	}
	return sealed, nil
}

// usedSecrets lists the secrets that the goal was given and those that the user granted later, by their names
// in effects.
func (reg *Registry) usedSecrets(ctx context.Context, g goal.Goal) ([]string, error) {
	asked, err := reg.Store.Approvals(ctx, g.ID)
	if err != nil {
		return nil, fmt.Errorf("list the secrets of the goal: %w", err)
	}
	names := slices.Clone(g.Policy.Secrets)
	for _, q := range asked {
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

// goalSecrets gives the calls of one goal the user's secrets, and hides them in what comes back. All methods may be
// called concurrently.
type goalSecrets struct {
	vault    *secret.Vault
	mask     *secret.Mask
	browsers *browser.Manager
	names    []string           // those that the goal may fill in without asking
	given    []policy.SecretUse // to the user's MCP servers, which run beside the goal's programs
}

// SecretsIn lists the secrets that a call refers to.
func (s *goalSecrets) SecretsIn(c goal.Call) ([]policy.SecretUse, error) {
	var uses []policy.SecretUse
	for _, name := range secret.RefsJSON([]byte(c.Arguments)) {
		found, err := s.vault.Find(name)
		if err != nil {
			return nil, fmt.Errorf("%w. The secrets of this goal are: %s", err, strings.Join(s.names, ", "))
		}
		uses = append(uses, policy.SecretUse{Name: found.Name, Hosts: found.Hosts})
	}
	return uses, nil
}

// EnvironmentSecrets lists the secrets of the user's MCP servers that run beside the goal's programs.
func (s *goalSecrets) EnvironmentSecrets() []policy.SecretUse { return s.given }

// FillSecrets substitutes the values of secrets. A secret that is restricted to hosts is only typed into their
// pages.
func (s *goalSecrets) FillSecrets(ctx context.Context, c goal.Call) (goal.Call, error) {
	uses, err := s.SecretsIn(c)
	if err != nil {
		return c, err
	}
	values := map[string]string{}
	for _, use := range uses {
		if err := s.validateSecretOrigin(ctx, c, use); err != nil {
			return c, err
		}
		if values[use.Name], err = s.vault.Get(ctx, use.Name); err != nil {
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
	if err := s.maskFields(ctx, c); err != nil {
		return c, err
	}
	c.Arguments = string(b)
	return c, nil
}

// maskFields hides from pictures the fields that a secret is about to be typed into.
func (s *goalSecrets) maskFields(ctx context.Context, c goal.Call) error {
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
	p, ok := s.browsers.Get(args.Pane)
	if !ok {
		return nil
	}
	if err := p.MaskField(ctx, args.Target); err != nil {
		return fmt.Errorf("find the field: %w", err)
	}
	return nil
}

// validateSecretOrigin refuses to type a restricted secret into a page or frame of another origin. Hosts that
// a tool contacts itself are part of its effect, and the policy has judged them.
func (s *goalSecrets) validateSecretOrigin(ctx context.Context, c goal.Call, use policy.SecretUse) error {
	var args struct {
		Pane   string  `json:"pane"`
		Target *string `json:"target"`
	}
	if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
		return fmt.Errorf("the arguments: %w", err)
	}
	p, ok := s.browsers.Get(args.Pane)
	if !ok || len(use.Hosts) == 0 {
		return nil
	}
	origin := originOf(p.Info().URL)
	if args.Target != nil || c.Tool == "browser_press" {
		target := ""
		if args.Target != nil {
			target = *args.Target
		}
		t, err := p.PreviewAction(ctx, target, false)
		if err != nil {
			return fmt.Errorf("find the page for the secret %s: %w", use.Name, err)
		}
		origin = t.Origin
	}
	if !originMatchesHost(origin, use.Hosts) {
		return fmt.Errorf("the secret %s belongs to %s, and goes there over https alone: this would be given to %q",
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

// originMatchesHost reports whether an origin belongs to one of a secret's hosts. It requires https and the
// usual port, so that nobody on the network can read the secret. The loopback needs neither.
func originMatchesHost(origin string, hosts []string) bool {
	u, err := url.Parse(origin)
	if err != nil || !slices.Contains(hosts, u.Hostname()) {
		return false
	}
	return egress.IsGoalLoopback(net.JoinHostPort(u.Hostname(), "80")) || u.Scheme == "https" &&
		(u.Port() == "" || u.Port() == "443")
}

// untrustedBlock matches text from outside as tools wrap it. There a value may have been cut without a mark.
var untrustedBlock = regexp.MustCompile(`(?s)<output from="[^\n]*">\n(.*?)\n</output>`)

// Redact hides known secrets in a result, and text whose context marks it as a secret.
func (s *goalSecrets) Redact(text string) string {
	text = s.mask.Truncated(text)
	text = untrustedBlock.ReplaceAllStringFunc(text, func(m string) string {
		begin := strings.IndexByte(m, '\n') + 1
		end := len(m) - len("\n</output>")
		return m[:begin] + s.mask.Partial(m[begin:end]) + m[end:]
	})
	return secret.MaskLikely(text)
}

var _ runner.SecretStore = (*Session)(nil)
