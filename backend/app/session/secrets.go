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

	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/runner"
	"goalpost/backend/sandbox/egress"
	"goalpost/backend/secret"
)

// unlockTimeout is how long opening what this goal was not given may take: a locked
// keyring asks the user on a screen of its own.
const unlockTimeout = 20 * time.Second

// loadSecretsForMasking opens what is kept, before the goal's first turn in this process: a value
// that was filled in once, by this goal or another, may stand in any file. sealed
// says which secret of this goal cannot be opened.
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
		case errors.Is(err, secret.ErrUnknown): // the user removed it
			warn("secret", err.Error()+". What this goal has written of it is not hidden any more")
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

// usedSecrets are the secrets that the goal was given, and those that the user let
// it use later, by the names that effects have for them.
func (reg *Registry) usedSecrets(ctx context.Context, g goal.Goal) ([]string, error) {
	asked, err := reg.Store.Approvals(ctx, g.ID)
	if err != nil {
		return nil, fmt.Errorf("looking which secrets the goal has used: %w", err)
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

// openSecret opens a secret or a saved login by the name that effects have for it.
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

// SecretsIn lists the secrets that a call refers to.
func (r *Session) SecretsIn(c goal.Call) ([]policy.SecretUse, error) {
	var uses []policy.SecretUse
	for _, name := range secret.RefsJSON([]byte(c.Arguments)) {
		s, err := r.registry.Secrets.Find(name)
		if err != nil {
			return nil, fmt.Errorf("%w. The secrets of this goal are: %s", err, strings.Join(r.policy.Secrets, ", "))
		}
		uses = append(uses, policy.SecretUse{Name: s.Name, Hosts: s.Hosts})
	}
	return uses, nil
}

// EnvironmentSecrets are the secrets of the user's MCP servers that run beside the goal's programs.
func (r *Session) EnvironmentSecrets() []policy.SecretUse { return r.mcp.Given }

// FillSecrets puts the values in. One that is bound to hosts is typed into their pages only.
func (r *Session) FillSecrets(ctx context.Context, c goal.Call) (goal.Call, error) {
	uses, err := r.SecretsIn(c)
	if err != nil {
		return c, err
	}
	values := map[string]string{}
	for _, use := range uses {
		if err := r.validateSecretOrigin(ctx, c, use); err != nil {
			return c, err
		}
		if values[use.Name], err = r.registry.Secrets.Get(ctx, use.Name); err != nil {
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
	if err := r.maskFields(ctx, c); err != nil {
		return c, err
	}
	c.Arguments = string(b)
	return c, nil
}

// maskFields keeps what is about to be typed into a page out of its pictures.
func (r *Session) maskFields(ctx context.Context, c goal.Call) error {
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
	p, ok := r.registry.Panes.Browsers.Get(args.Pane)
	if !ok {
		return nil
	}
	if err := p.MaskField(ctx, args.Target); err != nil {
		return fmt.Errorf("looking for the field: %w", err)
	}
	return nil
}

// validateSecretOrigin refuses a bound secret to a page, or a frame in one, of another origin.
// What a tool contacts by itself is its effect, and the policy has judged it.
func (r *Session) validateSecretOrigin(ctx context.Context, c goal.Call, use policy.SecretUse) error {
	var args struct {
		Pane   string  `json:"pane"`
		Target *string `json:"target"`
	}
	if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
		return fmt.Errorf("the arguments: %w", err)
	}
	p, ok := r.registry.Panes.Browsers.Get(args.Pane)
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
			return fmt.Errorf("looking where the secret %s would go: %w", use.Name, err)
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

// originMatchesHost says whether an origin is that of a host whose secret may be given to
// it: over https and at the usual port, so that nobody on the way gets it. The
// loopback has no way.
func originMatchesHost(origin string, hosts []string) bool {
	u, err := url.Parse(origin)
	if err != nil || !slices.Contains(hosts, u.Hostname()) {
		return false
	}
	return egress.IsGoalLoopback(net.JoinHostPort(u.Hostname(), "80")) || u.Scheme == "https" &&
		(u.Port() == "" || u.Port() == "443")
}

// untrustedBlock is text from outside as tools wrap it. There a value can be cut without a mark.
var untrustedBlock = regexp.MustCompile(`(?s)<output from="[^\n]*">\n(.*?)\n</output>`)

// Redact takes known secrets out of a result, and what looks like one by where it stands.
func (r *Session) Redact(text string) string {
	text = r.registry.Mask.Truncated(text)
	text = untrustedBlock.ReplaceAllStringFunc(text, func(m string) string {
		begin := strings.IndexByte(m, '\n') + 1
		end := len(m) - len("\n</output>")
		return m[:begin] + r.registry.Mask.Partial(m[begin:end]) + m[end:]
	})
	return secret.MaskLikely(text)
}

var _ runner.SecretStore = (*Session)(nil)
