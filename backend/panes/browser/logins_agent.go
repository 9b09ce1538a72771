package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"goalpost/backend/domain/pane"
)

// Origins lists the origins of the page and of its frames, the page's own first.
func (l *Logins) Origins(ctx context.Context) ([]string, error) {
	var list []string
	err := l.turns.withTurn(ctx, "reading the origins of the page", func(ctx context.Context, pg *page) error {
		for _, view := range l.frames.inOrder(pg) {
			var some []string
			if err := view.callScript(ctx, &some, "listOrigins"); err != nil && view == pg {
				return err
			}
			for _, one := range some {
				if !slices.Contains(list, one) {
					list = append(list, one)
				}
			}
		}
		return nil
	})
	return list, err
}

// LoginForm finds the fields for a login on a page of exactly this origin, or in a
// frame of it; it changes nothing.
func (l *Logins) LoginForm(ctx context.Context, origin string) (pane.LoginForm, error) {
	var f pane.LoginForm
	err := l.turns.withTurn(ctx, "looking for a login form", func(ctx context.Context, pg *page) (err error) {
		_, f, err = l.loginForm(ctx, pg, origin)
		return err
	})
	return f, err
}

// loginForm is LoginForm that also returns the page or frame with the form.
func (l *Logins) loginForm(ctx context.Context, pg *page, origin string) (*page, pane.LoginForm, error) {
	var f pane.LoginForm
	var missErr error
	for _, view := range l.frames.inOrder(pg) {
		err := view.callScript(ctx, &f, "findLoginForm", origin)
		if err == nil {
			return view, f, nil
		}
		if code := errorCode(err); missErr == nil || code != "" && code != "origin" {
			missErr = err
		}
	}
	return nil, f, missErr
}

// Login types a saved login into the page or a frame, which must have the login's origin, also at
// the moment of typing. The values appear in no result.
func (l *Logins) Login(ctx context.Context, origin, user, password string, submit bool) (ActionResult, error) {
	return l.actions.runAction(ctx, "logging in", func(ctx context.Context, pg *page) error {
		where, f, err := l.loginForm(ctx, pg, origin)
		if err != nil {
			return err
		}
		fill := func(ref, text string) error {
			if ref == "" {
				return nil
			}
			// A ref is valid for one document only, whose origin has been checked.
			var result struct{ Held bool }
			if err := where.callScript(ctx, &result, "hasOrigin", ref, origin); err != nil {
				return err
			}
			if !result.Held {
				return fmt.Errorf("the page has left %s", origin)
			}
			return l.forms.fillField(ctx, pg, where, ref, text, true)
		}
		if err := fill(f.User, user); err != nil {
			return err
		}
		if err := fill(f.Password, password); err != nil {
			return err
		}
		switch {
		case f.Password == "":
			l.activity.noteDuringAction("the page asks for the user first: log in again where it asks for the password")
		case f.User == "":
			l.activity.noteDuringAction("only the password was asked for")
		}
		if !submit {
			return nil
		}
		if f.User == "" && f.Password == "" {
			return errors.New("there is nothing to send")
		}
		return l.forms.pressKey(ctx, pg, "Enter")
	})
}
