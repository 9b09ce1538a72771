package secret

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/lib/fault"
)

// Login is a user name and password that belong to one origin. For a server of ssh, the user name is the question that
// the password answers.
type Login struct{ Origin, User, Password string }

// Logins are the saved logins of a vault. All methods may be called concurrently.
type Logins struct{ vault *Vault }

// Logins returns the saved logins.
func (v *Vault) Logins() *Logins { return &Logins{v} }

// Save stores a login, and replaces an older one of the same user for that origin.
func (l *Logins) Save(ctx context.Context, in Login) error {
	origin, err := Origin(in.Origin)
	if err != nil {
		return err
	}
	if strings.TrimSpace(in.User) == "" {
		return fault.Invalid("user", "the user name is empty", "enter it as the page asks for it")
	}
	if err := validateValue("password", in.Password); err != nil {
		return err
	}
	_, err = l.vault.put(ctx, entry{Origin: origin, User: in.User}, in.Password)
	return err
}

// Users lists the users with a login for an origin, sorted; it is not an error if there are none.
func (l *Logins) Users(origin string) ([]string, error) {
	origin, err := Origin(origin)
	if err != nil {
		return nil, err
	}
	all, err := l.List()
	users := []string{}
	for _, in := range all {
		if in.Origin == origin {
			users = append(users, in.User)
		}
	}
	return users, err
}

// For reads the login of a user for exactly this origin; "" means its only user. The error wraps ErrUnknown if there is
// none. The password is masked from then on.
func (l *Logins) For(ctx context.Context, origin, user string) (Login, error) {
	origin, err := Origin(origin)
	if err != nil {
		return Login{}, err
	}
	if user == "" {
		users, err := l.Users(origin)
		switch {
		case err != nil:
			return Login{}, err
		case len(users) == 0:
			return Login{}, fmt.Errorf("%w: no login is saved for %s", ErrUnknown, origin)
		case len(users) > 1:
			return Login{}, fault.Invalid("user", fmt.Sprintf("several logins are saved for %s", origin),
				"name one of: "+strings.Join(users, ", "))
		}
		user = users[0]
	}
	password, err := l.vault.get(ctx, entry{Origin: origin, User: user})
	if err != nil {
		return Login{}, err
	}
	return Login{origin, user, password}, nil
}

// List lists the saved logins without passwords, by origin and user.
func (l *Logins) List() ([]Login, error) {
	f, err := l.vault.index.read()
	if err != nil {
		return nil, err
	}
	list := []Login{}
	for _, e := range f.Entries {
		if e.Origin != "" {
			list = append(list, Login{Origin: e.Origin, User: e.User})
		}
	}
	slices.SortFunc(list, func(a, b Login) int {
		return cmp.Or(cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.User, b.User))
	})
	return list, nil
}

// Remove removes a login.
func (l *Logins) Remove(ctx context.Context, origin, user string) error {
	origin, err := Origin(origin)
	if err != nil {
		return err
	}
	return l.vault.drop(ctx, entry{Origin: origin, User: user})
}

// Change gives a saved login another user name or password. An empty password stays as it is. The error wraps
// ErrUnknown if there is no such login; another login of the origin is never replaced.
func (l *Logins) Change(ctx context.Context, old, changed Login) error {
	have, err := l.For(ctx, old.Origin, old.User)
	if err != nil {
		return err
	}
	changed.Origin = have.Origin
	if changed.Password == "" {
		changed.Password = have.Password
	}
	users, err := l.Users(have.Origin)
	if err != nil {
		return err
	}
	if changed.User != have.User && slices.Contains(users, changed.User) {
		return fault.Invalid("user", fmt.Sprintf("another login of %s is saved for %s", changed.User, have.Origin),
			"change that one, or delete it first")
	}
	if err := l.Save(ctx, changed); err != nil || changed.User == have.User {
		return err
	}
	return l.Remove(ctx, have.Origin, have.User)
}
