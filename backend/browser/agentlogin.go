package browser

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/pane"
)

// LoginForm finds the fields for a login on a page of exactly this origin; it
// changes nothing.
func (p *Pane) LoginForm(ctx context.Context, origin string) (pane.LoginForm, error) {
	var f pane.LoginForm
	err := p.inTurn(ctx, "looking for a login form", func(ctx context.Context, pg *page) error {
		return pg.ask(ctx, &f, "loginForm", origin)
	})
	return f, err
}

// Login types a saved login into the page, which must be of the origin that it
// belongs to, also at the moment of typing. What is typed is told to nobody.
func (p *Pane) Login(ctx context.Context, origin, user, password string, submit bool) (Acted, error) {
	return p.act(ctx, "logging in", func(ctx context.Context, pg *page) error {
		var f pane.LoginForm
		if err := pg.ask(ctx, &f, "loginForm", origin); err != nil {
			return err
		}
		fill := func(ref, text string) error {
			if ref == "" {
				return nil
			}
			// A ref is good for one document only, and this one's origin was looked at.
			var still struct{ Held bool }
			if err := pg.ask(ctx, &still, "belongs", ref, origin); err != nil {
				return err
			}
			if !still.Held {
				return fmt.Errorf("the page has gone from %s meanwhile", origin)
			}
			return p.fill(ctx, pg, pg, ref, text, true)
		}
		if err := fill(f.User, user); err != nil {
			return err
		}
		if err := fill(f.Password, password); err != nil {
			return err
		}
		switch {
		case f.Password == "":
			p.tell("the page asks for the user first: log in again where it asks for the password")
		case f.User == "":
			p.tell("only the password was asked for")
		}
		if !submit {
			return nil
		}
		if f.User == "" && f.Password == "" {
			return errors.New("there is nothing to send")
		}
		return p.stroke(ctx, pg, "Enter")
	})
}
