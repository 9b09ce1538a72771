package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

// Logins are the user's saved logins. An origin is a scheme, a host and a port.
type Logins interface {
	// Users lists the users with a saved login for an origin.
	Users(origin string) ([]string, error)
	// Open returns the login of a user for exactly this origin; "" is its only user.
	Open(ctx context.Context, origin, user string) (name, password string, err error)
}

type browserLoginArgs struct {
	Pane       string `json:"pane"`
	User       string `json:"user,omitempty"`
	KeepUnsent bool   `json:"stay,omitempty"`
}

// browserLogin uses a login by reference, so the model never sees the password. It is a secret like any other: bound to
// its host, and the user is asked unless the goal was given it.
func browserLogin(r Deps) (Tool, error) {
	return defineTool("browser_login", func(ctx context.Context, a browserLoginArgs) (policy.Effect, error) {
		p, origin, user, err := r.loginFor(ctx, a)
		if err != nil {
			return policy.Effect{}, err
		}
		u, err := url.Parse(origin)
		if err != nil {
			return policy.Effect{}, fmt.Errorf("parsing the origin: %w", err)
		}
		use := []policy.SecretUse{{Name: "login of " + user + " at " + origin, Hosts: []string{u.Hostname()}}}
		if hasAuthPrompt(p) {
			if a.KeepUnsent {
				return policy.Effect{},
					errors.New("the server asks for the login before it shows a page: there are no fields to fill in, " +
						"so leave stay out")
			}
			e, err := addressEffect(origin, policy.WriteLocal, policy.NetworkWrite)
			e.Secrets = use
			return effectInPane(p.State.Info(), e), err
		}
		form, err := p.Logins.LoginForm(ctx, origin)
		if err != nil {
			return policy.Effect{}, err
		}
		t, err := p.Reader.PreviewAction(ctx, cmp.Or(form.Password, form.User), !a.KeepUnsent)
		e := effectInPane(p.State.Info(), touchEffect(origin+"/", t, err))
		e.Secrets = use
		return e, nil
	}, func(ctx context.Context, a browserLoginArgs) goal.Result {
		p, origin, user, err := r.loginFor(ctx, a)
		if err != nil {
			return failedResult("%s", err)
		}
		name, password, err := r.Logins.Open(ctx, origin, user)
		if err != nil {
			return failedResult("%s", err)
		}
		return r.doAction(ctx, a.Pane, func(Browser) (pane.ActionResult, error) {
			if hasAuthPrompt(p) {
				return p.Actions.SignIn(ctx, origin, name, password)
			}
			return p.Logins.Login(ctx, origin, name, password, !a.KeepUnsent)
		})
	})
}

// hasAuthPrompt reports whether a server asks for a login before it shows a page.
func hasAuthPrompt(p Browser) bool {
	q, _ := p.Prompts.OpenPrompt()
	return q.Kind == pane.Login
}

// loginFor returns the pane, the origin of its page or of a frame, and the user of the login there.
func (d Deps) loginFor(ctx context.Context, a browserLoginArgs) (Browser, string, string, error) {
	p, err := d.Browsers.Get(a.Pane)
	if err != nil {
		return Browser{}, "", "", err
	}
	if d.Logins == nil {
		return Browser{}, "", "", errors.New("no logins are stored here; use ask_user")
	}
	origins, err := loginOrigins(ctx, p)
	if err != nil {
		return Browser{}, "", "", err
	}
	for i, origin := range origins {
		users, err := d.Logins.Users(origin)
		if err != nil {
			return Browser{}, "", "", fmt.Errorf("reading the saved logins: %w", err)
		}
		if len(users) == 0 {
			continue
		}
		if i < len(origins)-1 {
			if _, err := p.Logins.LoginForm(ctx, origin); err != nil {
				continue // the form is in a frame
			}
		}
		if a.User == "" && len(users) == 1 {
			return p, origin, users[0], nil
		}
		if err := validateChoice("user", a.User, users...); err != nil {
			return Browser{}, "", "", err
		}
		return p, origin, a.User, nil
	}
	return Browser{}, "", "", fmt.Errorf("no login is saved for %s; use ask_user to ask the user to log in or to "+
		"save one", strings.Join(origins, ", "))
}

// loginOrigins returns the origins that a login can belong to: the server that asks for one, or else the page and its
// frames.
func loginOrigins(ctx context.Context, p Browser) ([]string, error) {
	if q, _ := p.Prompts.OpenPrompt(); q.Kind == pane.Login {
		u, err := url.Parse(q.Origin)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("logins are not possible for the server at %s", q.Origin)
		}
		return []string{u.Scheme + "://" + u.Host}, nil
	}
	origins, err := p.Logins.Origins(ctx)
	if err == nil && len(origins) == 0 {
		err = fmt.Errorf("logins are not possible for the page at %s", p.State.Info().URL)
	}
	return origins, err
}
