package browser

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
)

// question waits until the pane has a prompt of a kind.
func (fi *fixture) question(p *Pane, kind pane.UserPromptKind) pane.UserPrompt {
	fi.Helper()
	var found pane.UserPrompt
	fi.overlay(p, "asking "+string(kind), func(o pane.Overlay) bool {
		for _, q := range o.Questions {
			if q.Kind == kind {
				found = q
			}
		}
		return found.ID != 0
	})
	return found
}

func (fi *fixture) overlay(p *Pane, what string, ok func(pane.Overlay) bool) pane.Overlay {
	fi.Helper()
	ctx, cancel := context.WithTimeout(fi.ctx, patience)
	defer cancel()
	if err := p.State.wait(ctx, func() bool { return ok(p.State.overlay) }); err != nil {
		fi.Fatalf("the pane never was %s: %+v", what, p.State.overlayNow())
	}
	return p.State.overlayNow()
}

// says waits until the page's #out has a text.
func (fi *fixture) says(p *Pane, want string) {
	fi.Helper()
	got := fi.eval(p, `new Promise((done) => {
		const out = document.getElementById('out');
		const look = () => { if (out.textContent.includes(`+quoted(want)+`)) done(true); };
		new MutationObserver(look).observe(out, { childList: true, characterData: true, subtree: true });
		look();
		setTimeout(() => done(out.textContent), 50000);
	})`)
	if got != "true" {
		fi.Fatalf("the page never said %q but %s", want, got)
	}
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func (fi *fixture) answer(p *Pane, a pane.Answer) {
	fi.Helper()
	fi.ok(p.Answer(fi.ctx, a))
}

func TestSelect_ByUser_IsDrawnByTheApp(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "fields.html")
	v := p.Attach()
	defer v.Close()
	b.click(v, 40, 30)
	q := b.question(p, pane.SelectOption)
	if len(q.Options) != 3 || q.Options[1].Label != "Large" || q.Options[1].Group != "More" || !q.Options[2].Disabled ||
		!q.Options[0].Selected {
		t.Errorf("options %+v", q.Options)
	}
	if q.X != 20 || q.Y != 20 || q.Width < 190 {
		t.Errorf("at %v %v, %v wide", q.X, q.Y, q.Width)
	}
	if err := p.Answer(b.ctx, pane.Answer{ID: q.ID, Yes: true, Index: 2}); err == nil {
		t.Error("a disabled option was taken")
	}
	b.click(v, 40, 30)
	b.answer(p, pane.Answer{ID: b.question(p, pane.SelectOption).ID, Yes: true, Index: 1})
	b.says(p, "size=Large")
	if err := p.Answer(b.ctx, pane.Answer{ID: q.ID, Yes: true}); err == nil {
		t.Error("a question was answered twice")
	}
}

func TestPicker_ByUser_IsDrawnByTheApp(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "fields.html")
	v := p.Attach()
	defer v.Close()
	for _, c := range []struct {
		y                float64
		kind, was, value string
		want             string
	}{{70, "date", "2025-03-14", "2026-01-02", "day=2026-01-02"}, {110, "color", "#102030", "#ff0000", "paint=#ff0000"}} {
		b.click(v, 190, c.y)
		q := b.question(p, pane.PickValue)
		if q.Type != c.kind || q.Value != c.was {
			t.Errorf("question %+v", q)
		}
		b.answer(p, pane.Answer{ID: q.ID, Yes: true, Text: c.value})
		b.says(p, c.want)
	}
	b.click(v, 40, 150)
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.Text, Text: "ber"}))
	b.overlay(p, "suggesting two", func(o pane.Overlay) bool {
		return len(o.Questions) == 1 && o.Questions[0].Kind == pane.Autocomplete && len(o.Questions[0].Options) == 2
	})
	b.answer(p, pane.Answer{ID: b.question(p, pane.Autocomplete).ID, Yes: true, Text: "Bern"})
	b.says(p, "town=Bern")
}

func TestFileInput_ChosenFiles_ReachThePage(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "fields.html")
	v := p.Attach()
	defer v.Close()
	var files []string
	for _, name := range []string{"a.txt", "b.txt"} {
		path := filepath.Join(t.TempDir(), name)
		b.ok(os.WriteFile(path, []byte(name), 0o600))
		files = append(files, path)
	}
	b.click(v, 60, 190)
	q := b.question(p, pane.Files)
	if q.Multiple {
		t.Error("one file only")
	}
	b.answer(p, pane.Answer{ID: q.ID, Yes: true, Files: files[:1]})
	b.says(p, "a.txt")
	b.click(v, 60, 230)
	b.answer(p, pane.Answer{ID: b.question(p, pane.Files).ID, Yes: true, Files: files})
	b.says(p, "a.txt+b.txt")
	b.click(v, 60, 230)
	if err := p.Answer(b.ctx, pane.Answer{
		ID:    b.question(p, pane.Files).ID,
		Yes:   true,
		Files: []string{"/no/such"},
	}); err == nil {
		t.Error("a file that is not there was given")
	}
}

func TestOverlay_MenuCursorAndCopy_AreReported(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "fields.html")
	v := p.Attach()
	defer v.Close()
	right := func(x, y float64) {
		b.ok(v.Input(b.ctx, pane.Input{Kind: pane.MouseDown, X: x, Y: y, Button: "right", Buttons: 2, Clicks: 1}))
		b.ok(v.Input(b.ctx, pane.Input{Kind: pane.MouseUp, X: x, Y: y, Button: "right", Clicks: 1}))
	}
	right(30, 270)
	q := b.question(p, pane.ContextMenu)
	if q.Link != b.url("two.html") || q.X != 30 || q.Y != 270 || q.Editable {
		t.Errorf("menu %+v", q)
	}
	b.answer(p, pane.Answer{ID: q.ID})
	right(30, 310)
	b.says(p, "own menu")
	right(40, 470)
	if q := b.question(p, pane.ContextMenu); !q.Editable {
		t.Errorf("menu %+v", q)
	}
	for _, c := range []struct {
		x, y  float64
		shape string
	}{{30, 390, "grab"}, {30, 268, "pointer"}, {40, 470, "text"}, {400, 500, "default"}} {
		b.ok(v.Input(b.ctx, pane.Input{Kind: pane.MouseMove, X: c.x, Y: c.y}))
		b.overlay(p, c.shape, func(o pane.Overlay) bool { return o.Cursor == c.shape })
	}
	for range 3 {
		b.click(v, 50, 348)
	}
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.MouseDown, X: 50, Y: 348, Button: "left", Buttons: 1, Clicks: 3}))
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.MouseUp, X: 50, Y: 348, Button: "left", Clicks: 3}))
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.KeyDown, Key: "c", Code: "KeyC", Modifiers: modCtrl}))
	b.overlay(p, "copied", func(o pane.Overlay) bool { return strings.Contains(o.Copied.Text, "Some text to copy") })
}

// TestCopyButton_OfPage_ReachesUsersClipboard: what a button of the page copies goes to the user's clipboard when the
// user presses the button. What the page copies without that does not.
func TestCopyButton_OfPage_ReachesUsersClipboard(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "copying.html")
	v := p.Attach()
	defer v.Close()
	b.says(p, "ready")
	b.click(v, 60, 40)
	if o := b.overlay(p, "the first text", func(o pane.Overlay) bool { return o.Copied.N > 0 }); o.Copied.N != 1 ||
		o.Copied.Text != "a line to paste" {
		t.Errorf("copied %+v", o.Copied)
	}
	b.click(v, 60, 100)
	b.overlay(p, "the second", func(o pane.Overlay) bool {
		return o.Copied.N == 2 && o.Copied.Text == "the same, plainly"
	})
}

func TestPermission_UserAllows_IsGranted(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "fields.html")
	v := p.Attach()
	defer v.Close()
	b.click(v, 60, 430)
	q := b.question(p, pane.Permission)
	if q.Value != "notifications" || q.Origin != b.site {
		t.Errorf("question %+v", q)
	}
	b.answer(p, pane.Answer{ID: q.ID, Yes: true})
	b.says(p, "granted")
}

func TestBeforeUnload_UserLeaves_IsAsked(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "leave.html")
	v := p.Attach()
	defer v.Close()
	b.click(v, 20, 15)
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.Text, Text: "x"}))
	// The page asks before it is left only after the user has changed something, so the typed letter must have arrived.
	b.eval(p, `new Promise((done) => {
		const field = document.getElementById('in');
		const look = () => { if (field.value === 'x') done(true); };
		field.addEventListener('input', look);
		look();
	})`)
	b.ok(p.Navigation.Navigate(b.ctx, b.url("one.html")))
	b.answer(p, pane.Answer{ID: b.question(p, pane.BeforeUnload).ID})
	b.ok(p.Navigation.Navigate(b.ctx, b.url("one.html")))
	b.answer(p, pane.Answer{ID: b.question(p, pane.BeforeUnload).ID, Yes: true})
	b.until(p, "elsewhere", func(i pane.Info) bool { return i.Title == "One" })
}

// TestBeforeUnload_AgentLeaves_IsAsked: an agent that opens another address over a draft is asked. It stays if it acts
// without an answer, and a pane with an open question closes at once.
func TestBeforeUnload_AgentLeaves_IsAsked(t *testing.T) {
	b := newFixture(t)
	p, agent := leased(b, "b1", "leave.html")
	b.act(p.Forms.Type(agent, "In", "a draft", false, false))
	leave := func() {
		t.Helper()
		b.ok(p.Navigation.Navigate(agent, b.url("one.html")))
		if q := b.question(p, pane.BeforeUnload); q.Origin != b.site {
			t.Errorf("question %+v", q)
		}
	}
	leave()
	a := b.act(p.Forms.Type(agent, "In", "!", false, false))
	has(t, a.Changed, "was answered Cancel")
	if i := p.State.Info(); i.Title != "Leave" {
		t.Errorf("the agent has left: %+v", i)
	}
	leave()
	b.act(p.Actions.Dialog(agent, true, ""))
	b.until(p, "elsewhere", func(i pane.Info) bool { return i.Title == "One" })

	p, agent = leased(b, "b2", "leave.html")
	b.act(p.Forms.Type(agent, "In", "a draft", false, false))
	leave()
	b.ok(b.ClosePane(b.ctx, "b2"))
}

func TestHTTPLogin_UserOpensPage_IsAsked(t *testing.T) {
	b := newFixture(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ann" || password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="The vault"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte("<title>Inside</title>"))
	}))
	defer server.Close()
	p := b.open("b1", server.URL)
	q := b.question(p, pane.Login)
	if q.Text != "The vault" || q.Origin != server.URL {
		t.Errorf("question %+v", q)
	}
	b.answer(p, pane.Answer{ID: q.ID, Yes: true, User: "ann", Password: "wrong"})
	b.answer(p, pane.Answer{ID: b.question(p, pane.Login).ID, Yes: true, User: "ann", Password: "secret"})
	b.until(p, "inside", func(i pane.Info) bool { return i.Title == "Inside" })
}

func TestCertificate_Invalid_IsAsked(t *testing.T) {
	b := newFixture(t)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<title>Unproven</title>"))
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer server.Close()
	p := b.open("b1", server.URL)
	q := b.question(p, pane.Certificate)
	if q.Origin != server.URL || !strings.Contains(q.Text, "CERT") {
		t.Errorf("question %+v", q)
	}
	b.answer(p, pane.Answer{ID: q.ID})
	b.until(p, "refused", func(i pane.Info) bool { return i.Problem != "" })
	b.ok(p.Navigation.Navigate(b.ctx, server.URL))
	b.answer(p, pane.Answer{ID: b.question(p, pane.Certificate).ID, Yes: true})
	b.until(p, "shown", func(i pane.Info) bool { return i.Title == "Unproven" })
	b.ok(p.Navigation.Navigate(b.ctx, server.URL+"/again")) // Chromium asks for each connection, the user is asked once
	b.until(p, "shown again", func(i pane.Info) bool {
		return strings.HasSuffix(i.URL, "/again") && i.Title == "Unproven" && !i.Loading
	})
	b.ok(p.Navigation.Navigate(b.ctx, b.url("one.html")))
	server.CloseClientConnections()
	b.ok(p.Navigation.Navigate(b.ctx, server.URL))
	b.answer(p, pane.Answer{ID: b.question(p, pane.Certificate).ID, Yes: true})
	b.until(p, "shown once more", func(i pane.Info) bool { return i.Title == "Unproven" })
}

func TestInput_ComposeTouchAndDrag_ReachThePage(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "fields.html")
	v := p.Attach()
	defer v.Close()
	b.click(v, 40, 470)
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.Compose, Text: "か"}))
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.Compose, Text: "かん"}))
	b.says(p, "plain=かん")
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.Text, Text: "漢"}))
	b.says(p, "plain=漢")
	for i, at := range [][2]float64{{40, 510}, {60, 512}, {120, 512}, {170, 512}} {
		kind, button, held := pane.MouseMove, pane.NoButton, 1
		if i == 0 {
			kind, button = pane.MouseDown, pane.LeftButton
		}
		b.ok(v.Input(b.ctx, pane.Input{Kind: kind, X: at[0], Y: at[1], Button: button, Buttons: held, Clicks: 1}))
		b.frameOrNot(p)
	}
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.MouseUp, X: 170, Y: 512, Button: "left", Clicks: 1}))
	b.says(p, "dropped dragged")
	b.ok(v.Input(b.ctx, pane.Input{
		Kind:   pane.Touch,
		Text:   "start",
		Points: []pane.Point{{ID: 1, X: 400, Y: 400}, {ID: 2, X: 450, Y: 400}},
	}))
	b.says(p, "touched 2")
	if err := v.Input(b.ctx, pane.Input{Kind: pane.Touch, Text: "poke"}); err == nil {
		t.Error("an unknown touch was taken")
	}
}

// frameOrNot lets the page draw, so that moves are not all merged into one.
func (fi *fixture) frameOrNot(p *Pane) {
	fi.Helper()
	fi.eval(p, "new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")
}
