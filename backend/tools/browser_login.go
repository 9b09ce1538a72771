package tools

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
)

// Logins are the person's saved logins. An origin is a scheme, a host and a port.
type Logins interface {
	// Users lists who has a login on an origin.
	Users(origin string) ([]string, error)
	// Open gives the login of a user on exactly this origin; "" is its only user.
	Open(ctx context.Context, origin, user string) (name, password string, err error)
}

type browserLoginArgs struct {
	Pane string `json:"pane" jsonschema:"the browser pane, at the page that asks for the login"`
	User string `json:"user,omitempty" jsonschema:"which of the saved logins; the only one if left out"`
	Stay bool   `json:"stay,omitempty" jsonschema:"fill the fields in and do not send them"`
}

// browserLogin uses a login by reference: the model never sees the password. It is
// a secret like any other, so a person is asked unless the goal was given it, and
// it is bound to its host.
func browserLogin(r Room) (Tool, error) {
	return define("browser_login", func(ctx context.Context, a browserLoginArgs) (policy.Effect, error) {
		p, origin, user, err := r.loginFor(a)
		if err != nil {
			return policy.Effect{}, err
		}
		form, err := p.LoginForm(ctx, origin)
		if err != nil {
			return policy.Effect{}, err
		}
		target := form.Password
		if target == "" {
			target = form.User
		}
		e, err := acting(ctx, r.Browsers, a.Pane, target, !a.Stay)
		if err != nil {
			return e, err
		}
		u, err := url.Parse(origin)
		if err != nil {
			return e, fmt.Errorf("the origin: %w", err)
		}
		e.Secrets = []policy.SecretUse{{Name: "login of " + user + " at " + origin, Hosts: []string{u.Hostname()}}}
		return e, nil
	}, func(ctx context.Context, a browserLoginArgs) goal.Result {
		p, origin, user, err := r.loginFor(a)
		if err != nil {
			return failed("%s", err)
		}
		name, password, err := r.Logins.Open(ctx, origin, user)
		if err != nil {
			return failed("%s", err)
		}
		return act(r.Browsers, a.Pane, func(Browser) (pane.Acted, error) { return p.Login(ctx, origin, name, password, !a.Stay) })
	})
}

// loginFor is the pane, the origin of its page, and who would log in there.
func (r Room) loginFor(a browserLoginArgs) (Browser, string, string, error) {
	p, err := r.Browsers.Get(a.Pane)
	if err != nil {
		return nil, "", "", err
	}
	if r.Logins == nil {
		return nil, "", "", errors.New("no logins are kept here; ask_operator")
	}
	u, err := url.Parse(p.Info().URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, "", "", fmt.Errorf("the page at %s can have no login", p.Info().URL)
	}
	origin := u.Scheme + "://" + u.Host
	users, err := r.Logins.Users(origin)
	switch {
	case err != nil:
		return nil, "", "", fmt.Errorf("the saved logins: %w", err)
	case len(users) == 0:
		return nil, "", "", fmt.Errorf("no login is saved for %s; ask_operator to log in or to save one", origin)
	case a.User == "" && len(users) == 1:
		return p, origin, users[0], nil
	}
	if err := among("user", a.User, users...); err != nil {
		return nil, "", "", err
	}
	return p, origin, a.User, nil
}
