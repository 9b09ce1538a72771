package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
)

// Logins offers to save logins and fills in saved ones.
type Logins struct {
	state    *State
	activity *Activity
	driver   *Driver
	prompts  *Prompts
	frames   *frames
	turns    *turns
	actions  *Actions
	forms    *Forms
}

// LoginStore stores names and passwords by their origin.
type LoginStore interface {
	// Users lists the user names with a login on an origin. None is not an error.
	Users(origin string) ([]string, error)
	// Open returns a login of exactly this origin; user "" means the only one.
	Open(ctx context.Context, origin, user string) (name, password string, err error)
	Save(ctx context.Context, origin, user, password string) error
}

// offerSaveLogin offers to save what a user logged in with. The password stays in a closure: it
// is in no prompt and on no screen. On a goal's page nothing is offered, because nothing that a
// user does there is recorded.
func (l *Logins) offerSaveLogin(s pageReport) {
	if l.state.goalID != "" || l.state.Driver() == pane.DriverAgent || l.state.m.cfg.Logins == nil || s.User == "" ||
		s.Password == "" {
		return
	}
	origin := originOf(s.Origin)
	l.state.runAsync(func(ctx context.Context) error {
		users, err := l.state.m.cfg.Logins.Users(origin)
		if err != nil {
			return fmt.Errorf("saved logins: %w", err)
		}
		isSaved := slices.Contains(users, s.User)
		if isSaved {
			if _, password, err := l.state.m.cfg.Logins.Open(ctx, origin, s.User); err == nil && password == s.Password {
				return nil
			}
		}
		l.prompts.close(matchKinds(pane.SaveLogin))
		l.prompts.add(openPrompt{ //nolint:contextcheck // an answer comes later, with a context of its own
			UserPrompt: pane.UserPrompt{Kind: pane.SaveLogin, Origin: origin, Value: s.User, NoAnswer: true, Multiple: isSaved},
			answer: func(ctx context.Context, a pane.Answer) error {
				if !a.Yes {
					return nil
				}
				if err := l.state.m.cfg.Logins.Save(ctx, origin, s.User, s.Password); err != nil {
					return fmt.Errorf("saving the login: %w", err)
				}
				return nil
			},
		})
		return nil
	})
}

// LoginUsers lists the user names with a saved login on the page's origin.
func (l *Logins) LoginUsers(ctx context.Context) (origin string, users []string, err error) {
	_, _, origin, err = l.loginContext(ctx)
	if err != nil {
		return "", nil, err
	}
	users, err = l.state.m.cfg.Logins.Users(origin)
	if err != nil {
		return "", nil, fmt.Errorf("saved logins: %w", err)
	}
	return origin, users, nil
}

// FillLogin fills a saved login of the page's origin into its fields and returns which fields it
// filled; user "" means the only one. It submits nothing. One call checks the origin and fills
// the fields, so the page cannot navigate in between. For this reason the values are not typed.
func (l *Logins) FillLogin(ctx context.Context, user string) (filled []string, err error) {
	if err := l.driver.checkDriver(ctx); err != nil {
		return nil, err
	}
	pg, world, origin, err := l.loginContext(ctx)
	if err != nil {
		return nil, err
	}
	name, password, err := l.state.m.cfg.Logins.Open(ctx, origin, user)
	if err != nil {
		return nil, fmt.Errorf("saved logins: %w", err)
	}
	values, err := json.Marshal([]string{origin, name, password})
	if err != nil {
		return nil, fmt.Errorf("filling a login: %w", err)
	}
	out, err := evaluate(ctx, pg, world, fmt.Sprintf("goalpostPrompts.login(...%s)", values))
	if err != nil {
		// An error of the page could contain the password.
		return nil, errors.New("filling a login: the page did not accept it")
	}
	if err := json.Unmarshal(out, &filled); err != nil {
		return nil, fmt.Errorf("filling a login: %w", err)
	}
	if len(filled) == 0 {
		return nil, errors.New("filling a login: the page shows no field for a user name or a password")
	}
	return filled, nil
}

// loginContext returns the page with a world of its document, and the document's origin according to the browser.
func (l *Logins) loginContext(
	ctx context.Context,
) (pg *page, world proto.RuntimeExecutionContextID, origin string, err error) {
	if l.state.m.cfg.Logins == nil {
		return nil, 0, "", errors.New("saved logins: this Goalpost stores none")
	}
	if pg, err = l.state.currentPage(); err != nil {
		return nil, 0, "", fmt.Errorf("saved logins: %w", err)
	}
	if world, err = pg.userPromptsContext(ctx); err != nil {
		return nil, 0, "", err
	}
	out, err := evaluate(ctx, pg, world, "location.origin")
	if err != nil {
		return nil, 0, "", err
	}
	if err := json.Unmarshal(out, &origin); err != nil || origin == "null" {
		return nil, 0, "", errors.New("saved logins: this page has no origin that a login could belong to")
	}
	return pg, world, origin, nil
}
