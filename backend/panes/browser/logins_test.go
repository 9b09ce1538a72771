package browser

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"goalpost/backend/domain/pane"
)

// keptLogins is a LoginStore in memory: [origin, user] to password.
type keptLogins struct {
	mu   sync.Mutex
	list map[[2]string]string
}

func (k *keptLogins) Users(origin string) (users []string, _ error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for at := range k.list {
		if at[0] == origin {
			users = append(users, at[1])
		}
	}
	slices.Sort(users)
	return users, nil
}

func (k *keptLogins) Open(_ context.Context, origin, user string) (string, string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	password, ok := k.list[[2]string{origin, user}]
	if !ok {
		return "", "", errors.New("no such login")
	}
	return user, password, nil
}

func (k *keptLogins) Save(_ context.Context, origin, user, password string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list[[2]string{origin, user}] = password
	return nil
}

func TestLogin_Saved_IsFilledOnItsOriginOnly(t *testing.T) {
	logins := &keptLogins{list: map[[2]string]string{}}
	b := newFixture(t, func(c *Config) { c.Logins = logins })
	p := b.open("b1", "login.html")
	v := p.Attach()
	defer v.Close()
	enter := func(password string) {
		b.click(v, 60, 34)
		b.ok(v.Input(b.ctx, pane.Input{Kind: pane.Text, Text: "ann"}))
		b.click(v, 60, 74)
		b.ok(v.Input(b.ctx, pane.Input{Kind: pane.Text, Text: password}))
		b.click(v, 60, 114)
		b.until(p, "logged in", func(i pane.Info) bool { return i.Title == "Second" })
	}
	enter("let me in")
	q := b.question(p, pane.SaveLogin)
	if q.Origin != b.site || q.Value != "ann" || q.Multiple {
		t.Errorf("it was asked %+v", q)
	}
	if shown, err := json.Marshal([]any{p.State.overlayNow(), p.State.Info()}); err != nil ||
		strings.Contains(string(shown), "let me in") {
		t.Errorf("the password is shown: %s %v", shown, err)
	}
	b.ok(p.Answer(b.ctx, pane.Answer{ID: q.ID, Yes: true}))
	if got := logins.list[[2]string{b.site, "ann"}]; got != "let me in" {
		t.Fatalf("kept: %v", logins.list)
	}

	b.ok(p.Navigation.Navigate(b.ctx, b.url("login.html")))
	origin, users, err := p.Logins.LoginUsers(b.ctx)
	if err != nil || origin != b.site || !slices.Equal(users, []string{"ann"}) {
		t.Errorf("the logins of %s: %v %v", origin, users, err)
	}
	filled, err := p.Logins.FillLogin(b.ctx, "ann")
	if err != nil || !slices.Equal(filled, []string{"user", "password"}) {
		t.Errorf("filled in: %v %v", filled, err)
	}
	if got := b.eval(p,
		"user.value + ':' + secret.value + ':' + out.textContent"); got != `"ann:let me in:ann:let me in"` {
		t.Errorf("the page has %s", got)
	}

	// Another site on the same machine has no such login.
	b.ok(p.Navigation.Navigate(b.ctx, strings.Replace(b.url("login.html"), "127.0.0.1", "localhost", 1)))
	if _, users, err := p.Logins.LoginUsers(b.ctx); err != nil || len(users) != 0 {
		t.Errorf("logins of another origin: %v %v", users, err)
	}
	if filled, err := p.Logins.FillLogin(b.ctx, "ann"); err == nil {
		t.Errorf("another origin was given %v", filled)
	}
	if got := b.eval(p, "user.value + secret.value"); got != `""` {
		t.Errorf("the other page has %s", got)
	}

	// For another password of the same user, the prompt offers to replace it.
	b.ok(p.Navigation.Navigate(b.ctx, b.url("login.html")))
	enter("changed")
	if q := b.question(p, pane.SaveLogin); !q.Multiple {
		t.Errorf("it was asked %+v", q)
	}
}

func TestLogin_OnGoalsPage_IsNotSaved(t *testing.T) {
	logins := &keptLogins{list: map[[2]string]string{}}
	b := newFixture(t, func(c *Config) { c.Logins = logins })
	p, agent := leased(b, "b1", "login.html")
	b.act(p.Forms.Type(agent, "User", "ann", false, false))
	b.act(p.Forms.Type(agent, "Password", "let me in", true, false))
	b.until(p, "logged in", func(i pane.Info) bool { return i.Title == "Second" })
	for _, q := range p.State.overlayNow().Questions {
		t.Errorf("it was asked %+v", q)
	}
}
