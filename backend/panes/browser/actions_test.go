package browser

import (
	"bytes"
	"context"
	"errors"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/chromium"
)

func TestActions_OfAgent_ChangeThePage(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "form.html")
	has(t, b.act(p.Forms.Select(b.ctx, "Size", []string{"Large"})).Changed, "size l")
	if _, err := p.Forms.Select(b.ctx, "Send", []string{"x"}); err == nil ||
		!strings.Contains(err.Error(), "is not a text field") {
		t.Errorf("select on a button: %v", err)
	}
	has(t, b.act(p.Forms.Check(b.ctx, "I agree", true)).Changed, "checked")
	has(t, b.act(p.Forms.Check(b.ctx, "I agree", true)).Changed, "already had this state")
	if got := b.eval(p, "ok.checked"); got != "true" {
		t.Errorf("the box is %s", got)
	}
	b.act(p.Mouse.Scroll(b.ctx, "", 0, 500))
	if got := b.eval(p,
		"new Promise((r) => { const f = () => scrollY > 300 ? r(true) : requestAnimationFrame(f); f(); })"); got != "true" {
		t.Errorf("scrolled: %s", got)
	}
	if out, err := p.Actions.Eval(b.ctx, "({a: 1, b: who.value})"); err != nil || out != `{"a":1,"b":"old"}` {
		t.Errorf("eval %s %v", out, err)
	}
	_, err := p.Actions.Eval(b.ctx, "nothing.here")
	if err == nil || !strings.Contains(err.Error(), "nothing is not defined") {
		t.Errorf("eval of nonsense: %v", err)
	}

	b.ok(p.Navigation.Navigate(b.ctx, b.url("fields.html")))
	has(t, b.act(p.Mouse.Hover(b.ctx, "Hover")).Changed, "hovered")
	has(t, b.act(p.Mouse.Drag(b.ctx, "css=#from", "css=#to")).Changed, "dropped dragged")
	file := filepath.Join(t.TempDir(), "a.txt")
	b.ok(os.WriteFile(file, []byte("a"), 0o600))
	has(t, b.act(p.Forms.Upload(b.ctx, "File", []pane.File{{Name: "a.txt", Data: []byte("x")}})).Changed, "a.txt")
	if _, err := p.Forms.Upload(b.ctx, "File", []pane.File{{Name: "a"}, {Name: "b"}}); err == nil ||
		!strings.Contains(err.Error(), "takes one file") {
		t.Errorf("two files: %v", err)
	}
	b.eval(p, "setTimeout(() => say('later'), 300)")
	b.act(p.Actions.Wait(b.ctx, Condition{Text: "Later"}, patience))
	b.eval(p, "setTimeout(() => { location.href = 'two.html' }, 200)")
	b.act(p.Actions.Wait(b.ctx, Condition{URL: "two.html", Gone: "later"}, patience))
	if _, err := p.Actions.Wait(b.ctx, Condition{Text: "never said"}, 300*time.Millisecond); !errors.Is(err, ErrTimeout) {
		t.Errorf("waiting in vain: %v", err)
	}
}

func TestActivity_ConsoleAndRequests_AreListed(t *testing.T) {
	b := newFixture(t)
	p, agent := leased(b, "b1", "form.html") // on a user's page, requests are logged only while the agent acts
	b.eval(p, "console.log('one', {a: 1}); console.error('two'); setTimeout(() => { throw new Error('three') })")
	b.eval(p, "new Promise((r) => setTimeout(r, 50))")
	lines, err := p.Activity.Console()
	b.ok(err)
	has(t, strings.Join(lines, "\n"), "log: one", "error: two", "three")
	b.eval(p, `add.onclick = () => {
		window.fetched = fetch('two.html').then(() => fetch('missing.html')).then(() => 1);
	}`)
	has(t, b.act(p.Mouse.Click(agent, "Add")).Changed, "the page's script failed: Error: three")
	b.eval(p, "fetched")
	list, err := p.Activity.Network()
	b.ok(err)
	seen := map[string]int{}
	for _, r := range list {
		seen[r.URL] = r.Status
	}
	b.eval(p, "add.onclick = () => { setTimeout(() => { throw new Error('five') }, 0); throw new Error('four') }, 1")
	if a := b.act(p.Mouse.Click(agent, "Add")); strings.Count(a.Changed, "the page's script failed") != 1 ||
		!strings.Contains(a.Changed, "four") {
		t.Errorf("after an error: %s", a.Changed)
	}
	if seen[b.url("two.html")] != 200 || seen[b.url("missing.html")] != 404 {
		t.Errorf("requests %+v", list)
	}
}

func TestPictures_ElementOrMarked_AreTaken(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "fields.html")
	picture, err := p.Pictures.screenshotOf(b.ctx, "css=#hand")
	b.ok(err)
	if img, err := jpeg.DecodeConfig(bytes.NewReader(picture)); err != nil || img.Width != 200 || img.Height != 24 {
		t.Errorf("the element's picture: %+v %v", img, err)
	}
	marked, err := p.Pictures.screenshotMarked(b.ctx)
	b.ok(err)
	img, err := jpeg.Decode(bytes.NewReader(marked))
	b.ok(err)
	at := img.At(21, 421) // the edge of a button
	if r, g, bl, _ := at.RGBA(); r>>8 < 150 || g>>8 > 90 || bl>>8 < 70 || bl>>8 > 170 {
		t.Errorf("the frame of a button is %v", at)
	}
}

func TestScreenshotURL_Cookies_AreSent(t *testing.T) {
	b := newFixture(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		colour := "red"
		if c, err := r.Cookie("who"); err == nil && c.Value == "ann" {
			colour = "blue"
		}
		_, _ = w.Write([]byte("<!doctype html><body style='margin:0;height:900px;background:" + colour + "'>" +
			"<script>alert('in the way')</script>"))
	}))
	defer server.Close()
	for _, cookies := range [][]Cookie{{{Name: "who", Value: "ann", Domain: "127.0.0.1"}}, nil} {
		whole := cookies == nil
		shot, err := b.ScreenshotURL(b.ctx, ScreenshotOptions{
			URL: server.URL, Width: 300, Height: 200, Cookies: cookies, Whole: whole,
		})
		b.ok(err)
		img, err := png.Decode(bytes.NewReader(shot.Image))
		b.ok(err)
		r, _, bl, _ := img.At(150, 100).RGBA()
		height := 200
		if whole {
			height = 900
		}
		if img.Bounds().Dx() < 280 || img.Bounds().Dy() != height || (bl > r) != (cookies != nil) {
			t.Errorf("%v, red %d, blue %d with cookies %v", img.Bounds(), r, bl, cookies)
		}
		if shot.From != 0 || shot.To != height || shot.Height != 900 {
			t.Errorf("%d to %d of %d pixels", shot.From, shot.To, shot.Height)
		}
	}
	if _, err := b.ScreenshotURL(b.ctx, ScreenshotOptions{URL: "http://127.0.0.1:1"}); err == nil {
		t.Error("nothing listens there")
	}
	if _, err := b.ScreenshotURL(b.ctx, ScreenshotOptions{URL: "file:///etc/passwd"}); !errors.Is(err, ErrRefused) {
		t.Errorf("a file: %v", err)
	}
	if n := len(b.List()); n != 0 {
		t.Errorf("%d panes are left", n)
	}
}

// leased opens a pane of a goal and returns the context of the goal's run.
func leased(b *fixture, id, page string) (*Pane, context.Context) {
	p, err := b.Open(b.ctx, Options{ID: id, URL: b.url(page), GoalID: "g1", Width: 800, Height: 600})
	b.ok(err)
	return p, b.agent("g1")
}

// agent returns the context of a goal's run.
func (fi *fixture) agent(id goal.ID) context.Context {
	return goal.WithRun(fi.ctx, goal.Run{Goal: id, ID: "r1"})
}

func TestTakeOver_DuringCall_EndsIt(t *testing.T) {
	b := newFixture(t)
	p, agent := leased(b, "b1", "fields.html")
	v := p.Attach()
	defer v.Close()
	if p.State.Driver() != pane.DriverAgent {
		t.Fatalf("%q drives", p.State.Driver())
	}
	if err := v.Input(b.ctx, pane.Input{Kind: pane.KeyDown, Key: "x"}); !errors.Is(err, ErrAgentInControl) {
		t.Errorf("a key while the agent drives: %v", err)
	}
	if err := p.Navigation.Navigate(b.ctx, b.url("one.html")); !errors.Is(err, ErrAgentInControl) {
		t.Errorf("the user goes elsewhere while the agent drives: %v", err)
	}
	waits := make(chan error, 1)
	go func() { _, err := p.Actions.Wait(agent, Condition{Text: "never said"}, patience); waits <- err }()
	b.until(p, "waiting", func(i pane.Info) bool { return i.Acting == "waits" })
	b.ok(p.Driver.TakeOver())
	if err := <-waits; !errors.Is(err, ErrTakenOver) {
		t.Errorf("the wait ended with %v", err)
	}
	b.click(v, 40, 470)
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.Text, Text: "secret"}))
	b.eval(p, "console.log('secret')")
	for name, call := range map[string]func() error{
		"snapshot":   func() error { _, err := p.Reader.Snapshot(agent); return err },
		"screenshot": func() error { _, err := p.Pictures.Screenshot(agent, false); return err },
		"click":      func() error { _, err := p.Mouse.Click(agent, "Hover"); return err },
		"eval":       func() error { _, err := p.Actions.Eval(agent, "1"); return err },
		"navigate":   func() error { return p.Navigation.Navigate(agent, b.url("one.html")) },
		"console":    func() error { _, err := p.Activity.Console(); return err },
		"network":    func() error { _, err := p.Activity.Network(); return err },
	} {
		if err := call(); !errors.Is(err, ErrTakenOver) {
			t.Errorf("%s while the user drives: %v", name, err)
		}
	}
	b.ok(p.Driver.HandBack())
	if lines, err := p.Activity.Console(); err != nil || len(lines) != 0 {
		t.Errorf("the console after handing back: %v %v", lines, err)
	}
	has(t, b.act(p.Mouse.Hover(agent, "Hover")).Changed, "hovered", "a user had this pane")
	mine := b.open("b2", "one.html")
	if mine.Driver.TakeOver() == nil || mine.Driver.HandBack() == nil {
		t.Error("a pane of the user's own was taken over or handed back")
	}
}

func TestOwnPorts_AreRefused(t *testing.T) {
	asked := make(chan string, 10)
	own := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	defer own.Close()
	port := own.Listener.Addr().String()[strings.LastIndex(own.Listener.Addr().String(), ":")+1:]
	b := newFixture(t, func(c *Config) {
		c.OwnPorts = func() []int {
			var n int
			for _, d := range port {
				n = n*10 + int(d-'0')
			}
			return []int{n}
		}
	})
	p := b.open("b1", "one.html")
	if err := p.Navigation.Navigate(b.ctx, own.URL); !errors.Is(err, ErrRefused) {
		t.Errorf("navigating to this program: %v", err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "127.1", "0.0.0.0"} {
		got := b.eval(p, `fetch('http://`+host+`:`+port+`/x', {mode: 'no-cors'}).then(() => 'came', () => 'refused')`)
		if got != `"refused"` {
			t.Errorf("fetch from %s: %s", host, got)
		}
	}
	b.eval(p, `new Promise((done) => {
		const f = document.createElement('iframe');
		f.onload = done;
		f.src = 'http://localhost:`+port+`/frame';
		document.body.append(f);
	})`)
	// Requests of a frame of another site, whose process is separate, are blocked as well.
	other := strings.Replace(b.url("fetching.html"), "127.0.0.1", "localhost", 1)
	got := b.eval(p, `new Promise((done) => {
		addEventListener('message', (e) => done(e.data));
		const f = document.createElement('iframe');
		f.src = '`+other+`?port=`+port+`';
		document.body.append(f);
	})`)
	if got != `"refused"` {
		t.Errorf("fetch from a frame of another site: %s", got)
	}
	select {
	case path := <-asked:
		t.Errorf("a page reached %s of this program", path)
	default:
	}
}

func TestProfiles_InUse_CannotBeChanged(t *testing.T) {
	b := newFixture(t, func(c *Config) { c.Downloads = func(string) string { return t.TempDir() } })
	other := New(alteredConfig(b.cfg.Dir, nil)) // another Goalpost with the same profiles
	defer func() { b.ok(other.Close(context.Background())) }()
	open := func(m *Manager, id, profile string) *Pane {
		p, err := m.Open(b.ctx, Options{ID: id, URL: b.url("one.html"), Profile: profile})
		b.ok(err)
		return p
	}
	b.eval(open(other, "b1", "work"), "document.cookie = 'who=ann; max-age=3600'")
	if _, err := b.Open(b.ctx, Options{ID: "b1", Profile: "work"}); !errors.Is(err, ErrLocked) {
		t.Errorf("a profile that is in use: %v", err)
	}
	for what, err := range map[string]error{
		"deleting": other.DeleteProfile(b.ctx, "work"),
		"renaming": other.RenameProfile(b.ctx, "work", "play"),
	} {
		if !errors.Is(err, ErrOpen) {
			t.Errorf("%s a profile of which a page is open: %v", what, err)
		}
	}
	if err := b.DeleteProfile(b.ctx, "work"); !errors.Is(err, ErrLocked) {
		t.Errorf("deleting a profile that another Goalpost uses: %v", err)
	}
	spare, err := chromium.OpenProfile(b.profiles.dir, "spare")
	b.ok(err)
	b.ok(spare.Remove()) // unlocks it
	b.ok(other.ClosePane(b.ctx, "b1"))
	if err := other.RenameProfile(b.ctx, "work", "spare"); !errors.Is(err, ErrRefused) {
		t.Errorf("a name that another profile has: %v", err)
	}
	b.ok(other.RenameProfile(b.ctx, "work", "other")) // ends its Chromium
	temporary, again := open(b.Manager, "b2", ""), open(b.Manager, "b3", "other")
	if got := b.eval(again, "document.cookie"); got != `"who=ann"` ||
		!slices.Equal(b.Profiles(), []string{"other", "spare"}) {
		t.Errorf("a renamed profile has the cookie %s in another Chromium; profiles %v", got, b.Profiles())
	}
	if got := b.eval(temporary, "document.cookie"); got != `""` {
		t.Errorf("a temporary page has the cookie %s", got)
	}
	n, err := again.SiteData.ImportCookies(b.ctx,
		"# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tmore\tvalue\n")
	b.ok(err)
	if got := b.eval(again, "document.cookie"); n != 1 || !strings.Contains(got, "more=value") {
		t.Errorf("after importing %d the cookie is %s", n, got)
	}
	if _, err := b.Open(b.ctx, Options{ID: "b9", Profile: "../x"}); !errors.Is(err, ErrRefused) {
		t.Errorf("a profile outside: %v", err)
	}
	b.ok(b.ClosePane(b.ctx, "b3"))
	b.ok(b.DeleteProfile(b.ctx, "other")) // ends its Chromium
	b.ok(b.DeleteProfile(b.ctx, "spare"))
	if got := b.Profiles(); len(got) != 0 {
		t.Errorf("after deleting all the profiles are %v", got)
	}
}

func TestParseCookies_EachFormat_IsRead(t *testing.T) {
	for _, file := range []string{
		"#HttpOnly_.a.example\tTRUE\t/x\tTRUE\t2000000000\tname\tvalue",
		`[{"name":"name","value":"value","domain":".a.example","path":"/x","secure":true,"httpOnly":true,` +
			`"expirationDate":2000000000,"sameSite":"no_restriction"}]`,
		`{"cookies":[{"name":"name","value":"value","domain":".a.example","path":"/x","secure":true,` +
			`"httpOnly":true,"expires":2000000000}]}`,
	} {
		list, err := ParseCookies(file)
		if err != nil || len(list) != 1 {
			t.Errorf("%s: %v %v", file, list, err)
			continue
		}
		c := list[0]
		if c.Name != "name" || c.Value != "value" || c.Domain != ".a.example" || c.Path != "/x" || !c.Secure ||
			!c.HTTPOnly || c.Expires.Unix() != 2000000000 {
			t.Errorf("%s: %+v", file, c)
		}
	}
	for want, file := range map[string]string{
		"is empty":            " ",
		"line 2":              "# x\na\tb",
		"not a JSON":          "[1",
		"lacks a name":        `[{"value":"x"}]`,
		"is not a time":       "a\tFALSE\t/\tFALSE\tsoon\tn\tv",
		"contains no cookies": "# nothing",
	} {
		if _, err := ParseCookies(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", file, err, want)
		}
	}
}

func TestDownloads_SameName_GetsANumber(t *testing.T) {
	dir := t.TempDir()
	b := newFixture(t, func(c *Config) { c.Downloads = func(string) string { return dir } })
	p := b.open("b1", "dialogs.html")
	for _, want := range []string{"report.bin", "report (1).bin"} {
		has(t, b.act(p.Mouse.Click(b.ctx, "Download")).Changed, `it downloads "report.bin"`)
		b.overlay(p, "done with "+want, func(o pane.Overlay) bool {
			n := len(o.Downloads)
			return n > 0 && o.Downloads[n-1].State == pane.Downloaded && o.Downloads[n-1].Name == want
		})
		if info, err := os.Stat(filepath.Join(dir, want)); err != nil || info.Size() != 100 {
			t.Errorf("%s: %v", want, err)
		}
	}
	path, err := p.Downloads.PDF(b.ctx)
	b.ok(err)
	if text, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(text, []byte("%PDF-")) {
		t.Errorf("%s: %.20q %v", path, text, err)
	}
	for name, want := range map[string]string{"../../x": "_.._x", "": "download", "a/b\x00c": "a_bc", "...": "download"} {
		if got := FileName(name); got != want {
			t.Errorf("FileName(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestType_CodeEditor_IsCleared: the text of such an editor is not in the hidden field that takes its keys.
func TestType_CodeEditor_IsCleared(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "editor.html")
	for _, id := range []string{"empties", "mirrors"} {
		target := "css=#" + id + " textarea"
		for _, value := range []string{"new", "two\nlines", ""} {
			b.act(p.Forms.Type(b.ctx, target, value, false, true))
			if got := b.eval(p, `document.querySelector('#`+id+` pre').textContent`); got != strconv.Quote(value) {
				t.Errorf("%s: %s, want %q", id, got, value)
			}
		}
	}
	b.act(p.Forms.Type(b.ctx, "Plain", "new", false, true))
	b.act(p.Forms.Type(b.ctx, "Plain", "", false, true))
	if got := b.eval(p, `document.getElementById('plain').value`); got != `""` {
		t.Errorf("plain: %q", got)
	}
}
