package browser

import (
	"slices"
	"strings"
	"testing"
)

// TestLogin_InFrame_NeedsItsOrigin: the form of another site in a frame gets the login of that site only.
func TestLogin_InFrame_NeedsItsOrigin(t *testing.T) {
	b := newFixture(t)
	p, agent := leased(b, "b1", "one.html")
	other := strings.Replace(b.site, "127.0.0.1", "localhost", 1)
	frame := func(attributes string) {
		b.eval(p, `new Promise((done) => {
			document.querySelector('iframe')?.remove();
			const f = document.createElement('iframe');
			f.onload = () => done(true);
			f.width = 500; f.height = 300;
			`+attributes+`
			document.body.append(f);
		})`)
	}
	frame(`f.src = '` + other + `/login.html'`)
	if list, err := p.Logins.Origins(agent); err != nil || !slices.Equal(list, []string{b.site, other}) {
		t.Errorf("the origins are %v, %v", list, err)
	}
	if _, err := p.Logins.LoginForm(agent, b.site); err == nil {
		t.Error("the page around the frame has a form")
	}
	b.act(p.Logins.Login(agent, other, "ann", "let me in", false))
	s, err := p.Reader.Snapshot(agent)
	b.ok(err)
	has(t, s.Text, `value="ann"`, "filled, value hidden")
	// A frame with an address of the page's site but without its origin gets none.
	frame(`f.sandbox = 'allow-scripts'; f.src = 'login.html'`)
	if a, err := p.Logins.Login(agent, b.site, "ann", "let me in", false); err == nil {
		t.Errorf("a frame in a sandbox was given a login: %+v", a)
	}
}
