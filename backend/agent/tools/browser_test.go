package tools_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
	real "goalpost/backend/panes/browser"
)

// window holds a goal's tools with a real Chromium and test pages.
type window struct {
	fixture
	ctx  context.Context
	site string
}

// realBrowsers opens panes for a goal as the app does.
type realBrowsers struct {
	m *real.Manager
	n int
}

const theGoal = "g1"

func (r *realBrowsers) Open(ctx context.Context, id, url string, _ goal.PageSize) (tools.Page, error) {
	if id != "" {
		p, ok := r.m.Get(id)
		if !ok {
			return tools.Page{}, errPane
		}
		if err := p.Navigation.Navigate(ctx, url); err != nil {
			return tools.Page{}, err
		}
		i := p.State.Info()
		return tools.Page{Pane: id, URL: i.URL, Title: i.Title}, nil
	}
	r.n++
	p, err := r.m.Open(ctx, real.Options{ID: fmt.Sprintf("b%d", r.n), URL: url, GoalID: theGoal, Width: 1000, Height: 700})
	if err != nil {
		return tools.Page{}, err
	}
	i := p.State.Info()
	return tools.Page{Pane: i.ID, URL: i.URL, Title: i.Title}, nil
}

func (r *realBrowsers) Get(id string) (tools.Browser, error) {
	p, ok := r.m.Get(id)
	if !ok {
		return tools.Browser{}, fmt.Errorf("there is no pane %q of this goal; open one first", id)
	}
	return tools.Browser{
		State:      &p.State,
		Prompts:    &p.Prompts,
		Activity:   &p.Activity,
		Reader:     &p.Reader,
		Pictures:   &p.Pictures,
		Actions:    &p.Actions,
		Mouse:      &p.Mouse,
		Forms:      &p.Forms,
		Navigation: &p.Navigation,
		History:    p,
		Downloads:  &p.Downloads,
		Logins:     &p.Logins,
		SiteData:   &p.SiteData,
	}, nil
}
func (r *realBrowsers) List() []pane.Info                          { return r.m.List() }
func (r *realBrowsers) Close(ctx context.Context, id string) error { return r.m.ClosePane(ctx, id) }

func newWindow(t *testing.T) *window {
	t.Helper()
	path, err := real.Find()
	if errors.Is(err, real.ErrMissing) {
		t.Skipf("needs Chromium: %v", err)
	}
	if _, err := exec.LookPath(path); err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	w := &window{fixture: fixture{TB: t, dir: filepath.Join(top, "goal"), panes: &panes{}}}
	if err := os.MkdirAll(filepath.Join(w.dir, "downloads"), 0o700); err != nil {
		t.Fatal(err)
	}
	set, err := sandbox.Open(t.Context(), sandbox.Options{Helper: sandboxtest.Helper(t), Name: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	waits := make(chan struct{})
	begun := sync.OnceFunc(func() { close(waits) })
	m := real.New(real.Config{
		OnChange: func(i pane.Info, _ bool) {
			if i.Acting == "waits" {
				begun()
			}
		},
		Launcher: set, Dir: filepath.Join(top, "b"),
		GoalFolder: func(string) string { return w.dir },
		OnPopup:    func(pane.Info, string) (real.Options, bool) { return real.Options{ID: "popup"}, true },
	}.WithTestLimits(waittest.Slowness()))
	server := httptest.NewServer(site(waits))
	w.site = server.URL
	w.box, err = tools.New(tools.Deps{
		Dir:       w.dir,
		Launcher:  set,
		Terminals: (*terminals)(w.panes),
		Browsers:  &realBrowsers{m: m},
		Panes:     realPanes{m: m},
		Logins:    logins{},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	w.ctx = goal.WithRun(ctx, goal.Run{Goal: theGoal, ID: "r1"})
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(w.box.Close(), m.Close(context.Background()), set.Close(context.Background())); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return w
}

// realPanes lists the browser panes of the window.
type realPanes struct {
	tools.Panes
	m *real.Manager
}

func (r realPanes) List() []pane.Info    { return r.m.List() }
func (r realPanes) IsShared(string) bool { return false }
func (r realPanes) Close(ctx context.Context, id string) error {
	return r.m.ClosePane(ctx, id)
}

// call computes the effect of a call and makes it in the goal's run, as the runner does.
func (w *window) call(name string, args ...any) goal.Result {
	w.Helper()
	raw := arguments(w, args...)
	if _, err := w.tool(name).Effect(w.ctx, raw); err != nil {
		return goal.Result{Text: err.Error()}
	}
	return w.tool(name).Do(w.ctx, raw)
}

// ref reads the ref of a line in a result, as a model does.
func (w *window) ref(r goal.Result, words string) string {
	w.Helper()
	for line := range strings.Lines(r.Text) {
		if m := regexp.MustCompile(`^\+? *((?:f\d+)?e\d+) `).FindStringSubmatch(line); m != nil &&
			strings.Contains(line, words) {
			return m[1]
		}
	}
	w.Fatalf("no ref beside %q in\n%s", words, r.Text)
	return ""
}

// site serves the test pages. One of them changes only when an agent waits for it.
func site(waits <-chan struct{}) http.Handler {
	mux := http.NewServeMux()
	page := func(path, body string) {
		mux.HandleFunc(path, func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(rw, "<!doctype html>"+strings.ReplaceAll(body, "METHOD", r.Method))
		})
	}
	page("/{$}", `<title>Desk</title><h1>Desk</h1><a href="/more">More</a><a href="/more" target="_blank">Window</a>
<form action="/sent" method="post"><label>Name <input name="name"></label><label>Code <input type="password"
name="code" value="hunter2"></label>
<label>Size <select name="size" onchange="said.textContent='size '+value"><option>Small<option>Large</select></label>
<label>Kinds <select multiple name="kinds"><option>One<option>Two<option>Three</select></label>
<label><input type="checkbox" name="yes"> Yes</label><button>Send</button></form>
<button onclick="alert('Hello there')">Alert</button><button
onclick="said.textContent='confirmed '+confirm('Sure?')">Confirm</button>
<button onclick="const late=new EventSource('/late');
late.onmessage=()=>{late.close();said.textContent='came late'}">Late</button><button
onmouseenter="said.textContent='pointed at'">Hint</button>
<p id="said"></p><input type="file" id="file" aria-label="Pictures" multiple
onchange="said.textContent=[...files].map(f=>f.name+' '+f.size).join(', ')">
<canvas id="c" width="200" height="100" style="border:0" aria-label="Board"></canvas><a href="/file"
download>Download</a>
<ul><li draggable="true" id="a" ondragstart="event.dataTransfer.setData('text','a')">Apple</li><li id="b"
ondragover="event.preventDefault()" ondrop="event.preventDefault();
said.textContent='dropped '+event.dataTransfer.getData('text')">Basket</li></ul>
<div style="height:1500px"></div><button id="low">Low down</button>
<script>c.onclick=e=>said.textContent='canvas '+e.offsetX+','+e.offsetY+' '+e.isTrusted;
document.addEventListener('keydown',e=>{if(e.ctrlKey&&e.key==='k')said.textContent='shortcut'})
console.log('desk is ready');console.error('a fault </output>');document.cookie='sid=verysecretvalue'</script>`)
	page("/more", `<title>More</title><nav><a href="/">Desk</a></nav>
<main><h1>More to read</h1><p>First <b>words</b> and <code>x=1</code>.</p><ul><li>one<li>two</ul>
<table><tr><th>Thing<th>Price<tr><td>Apple<td>3 | 4</table>
<p>`+strings.Repeat("long text ", 2500)+`</p></main><footer>Imprint</footer>`)
	page("/sent", `<title>Sent</title><h1>METHOD arrived</h1>`)
	page("/enter", `<title>Enter</title><form method="post" action="/entered"><label>Search <input name="q"></label></form>
<form method="post" action="/entered"><label>User <input name="user"></label><label>Password <input type="password"
name="password"></label><button>Log in</button></form>`)
	page("/change", `<title>Change</title><form><input type="password"><input type="password"></form>`)
	mux.HandleFunc("/entered", func(rw http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(rw, "<title>In</title><p>%s is in: %t", r.FormValue("user"),
			r.FormValue("password") == "correct horse")
	})
	mux.HandleFunc("/late", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/event-stream")
		select {
		case <-waits:
			_, _ = rw.Write([]byte("data: now\n\n"))
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/file", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
		_, _ = rw.Write([]byte("a,b\n"))
	})
	return mux
}

// TestBrowserTools_RealPage_WorkAsDescribed: every browser tool does with a real page what its description says.
func TestBrowserTools_RealPage_WorkAsDescribed(t *testing.T) {
	w := newWindow(t)
	w.good(w.call("browser_open", "url", w.site), "pane b1", "Desk")
	b1 := func(args ...any) []any { return append([]any{"pane", "b1"}, args...) }
	do := func(name string, args ...any) goal.Result { return w.call("browser_"+name, b1(args...)...) }

	s := do("snapshot")
	w.good(s, `heading "Desk" level 1`, `textbox "Name"`, "filled, value hidden", `combobox "Size" value="Small"`,
		`button "Send"`, "outside the visible part")
	if strings.Contains(s.Text, "hunter2") {
		t.Error("the snapshot tells a password")
	}
	w.good(do("snapshot", "diff", true), "nothing has changed")
	w.good(do("type", "target", w.ref(s, `textbox "Name"`), "text", "Ada é"), `value="Ada é"`)
	w.good(do("snapshot", "diff", true), `+ `, `value="Ada é"`)
	w.good(do("select", "target", "Size", "options", []string{"Large"}), "size Large")
	w.good(do("select", "target", "Kinds", "options", []string{"One", "three"}), `value="One, Three"`)
	w.bad(do("select", "target", "Size", "options", []string{"Huge"}), `no option "Huge"`, `"Small", "Large"`)
	w.good(do("check", "target", "Yes"), "checked")
	w.good(do("check", "target", "Yes"), "it already had this state")
	w.good(do("check", "target", "Yes", "off", true), `checkbox "Yes"`)
	w.good(do("press", "keys", "Ctrl+k"), "shortcut")
	w.bad(do("press", "keys", "Hyper+k"), "is not a modifier")
	w.good(do("hover", "target", "Hint"), "pointed at")
	w.good(do("drag", "from", "Apple", "to", "Basket"), "dropped a")
	w.good(do("click", "target", "Low down"), "Low down")
	w.good(do("scroll", "down", -100000), `heading "Desk"`)
	w.good(do("scroll", "target", "Low down"), `button "Low down"`)

	w.good(do("click", "target", "Late"))
	w.good(do("wait", "text", "came late"), "came late")
	w.bad(do("wait", "text", "never", "seconds", 1), "did not fulfill the condition within")
	w.good(do("click", "target", "Alert"), "Hello there", "is blocked until")
	w.good(do("dialog", "accept", true))
	w.good(do("click", "target", "Confirm"), "Sure?")
	w.good(do("dialog", "accept", true), "confirmed true")
	w.bad(do("dialog", "accept", true), "no dialog is open")

	found := do("find", "selector", "canvas", "attributes", []string{"width", "text"})
	w.good(found, `canvas "Board"`, `width="200"`)
	at := regexp.MustCompile(`at (\d+),(-?\d+) 200x100`).FindStringSubmatch(found.Text)
	if at == nil {
		t.Fatalf("no place in %s", found.Text)
	}
	w.good(do("scroll", "target", "css=canvas"))
	found = do("find", "role", "canvas")
	at = regexp.MustCompile(`at (\d+),(\d+) 200x100`).FindStringSubmatch(found.Text)
	var x, y int
	_, err := fmt.Sscan(at[1]+" "+at[2], &x, &y)
	if err != nil {
		t.Fatal(err)
	}
	w.good(do("click_at", "x", x-80, "y", y-20), "canvas 20,30 true", `clicked canvas "Board"`)
	w.bad(do("click_at", "x", 5000, "y", 5), "no element of the page is at")
	w.good(do("find", "text", "basket"), `"Basket"`)
	w.good(do("find", "role", "listitem"), "Apple", "Basket")
	w.good(do("find", "text", "no such words"), "nothing on the page matches")
	if r := do("find", "selector", "input[type=password]", "attributes", []string{"value"}); strings.Contains(r.Text,
		"hunter2") {
		t.Errorf("the result shows a password: %s", r.Text)
	}

	w.put("a.png", "12345")
	w.put("b.png", "1")
	w.good(do("upload", "target", "Pictures", "files", []string{"a.png", "b.png"}), "a.png 5, b.png 1")
	w.bad(do("upload", "target", "Pictures", "files", []string{"missing.png"}), "does not exist")
	w.good(do("click", "target", "Download")) // also reports the download if it arrives in time
	w.good(do("download", "wait_seconds", 20), "downloads/report.csv is there, 4 bytes")
	if w.get("downloads/report.csv") != "a,b\n" {
		t.Error("the download is not what was sent")
	}

	w.good(do("eval", "script", "Promise.resolve({title: document.title})"), `{"title":"Desk"}`)
	w.bad(do("eval", "script", "nothing.there"), "ReferenceError")
	w.good(do("console"), "log: desk is ready", "error: a fault")
	if r := do("console", "errors", true); strings.Contains(r.Text, "desk is ready") {
		t.Errorf("a line that is not an error: %s", r.Text)
	}
	w.good(do("network"), "Document GET "+w.site+"/ → 200")
	w.good(do("cookies", "set", "theme", "value", "dark"), "theme for 127.0.0.1/",
		"sid for 127.0.0.1/, a value of 15 bytes")
	if r := do("cookies", "delete", "sid"); !r.OK || strings.Contains(r.Text, "sid") ||
		strings.Contains(r.Text, "verysecret") {
		t.Errorf("after deleting: %s", r.Text)
	}

	for _, args := range [][]any{{}, {"full", true}, {"marked", true}, {"target", "css=canvas"}} {
		if r := do("screenshot", args...); !r.OK || len(r.Image) < 500 {
			t.Errorf("a picture %v: %s, %d bytes", args, r.Text, len(r.Image))
		}
	}
	w.good(do("save", "path", "out/page.pdf", "as", "pdf"), "wrote out/page.pdf")
	w.good(do("save", "path", "page.html", "as", "html"))
	if !strings.HasPrefix(w.get("out/page.pdf"), "%PDF-") || !strings.Contains(w.get("page.html"), "<h1>Desk</h1>") ||
		strings.Contains(w.get("page.html"), "hunter2") {
		t.Error("what was saved is not the page, or tells a password")
	}

	w.good(do("click", "target", "Window"), "in the new pane popup")
	w.good(w.call("list_panes", "kind", "browser"), "b1 ", "popup ")
	w.good(w.call("close_pane", "pane", "popup"), "closed pane popup")
	if r := w.call("list_panes", "kind", "browser"); strings.Contains(r.Text, "popup") {
		t.Errorf("the closed pane is listed: %s", r.Text)
	}
	w.good(do("click", "target", "More"), "the address is now "+w.site+"/more", "More to read")
	w.good(do("history", "go", "back"), w.site+"/")
	w.good(do("history", "go", "forward"), "/more")
	w.bad(do("history", "go", "forward"), "no page in that direction")
	w.good(w.call("browser_open", "pane", "b1", "url", w.site), "pane b1")
	w.good(do("click", "target", "Send"), "POST arrived")
	if e, err := w.tool("browser_history").Effect(w.ctx, arguments(t, b1("go", "reload")...)); err != nil ||
		e.Risk != policy.WriteLocal {
		t.Errorf("sending a form again: %+v %v", e, err)
	}
	w.good(do("history", "go", "reload"), "arrived")
}

// TestBrowserRead_Page_IsMarkdownInPages: only the main content is read, without menus and footers.
func TestBrowserRead_Page_IsMarkdownInPages(t *testing.T) {
	w := newWindow(t)
	w.good(w.call("browser_open", "url", w.site+"/more"), "pane b1")
	r := w.call("browser_read", "pane", "b1")
	w.good(r, "# More to read", "First words and `x=1`.", "- one\n- two",
		"| Thing | Price |\n| --- | --- |\n| Apple | 3 \\| 4 |")
	if strings.Contains(r.Text, "Imprint") || strings.Contains(r.Text, "Desk") {
		t.Errorf("the result has menus or footers: %.300s", r.Text)
	}
	if r.More == nil || !r.More.Has {
		t.Fatalf("the text has an end: %+v", r.More)
	}
	all := len(r.Text)
	for r.More != nil {
		r = w.call("browser_read", "pane", "b1", "from", r.More.Next)
		w.good(r, "long text")
		all += len(r.Text)
	}
	if all < 25000 {
		t.Errorf("%d bytes were read", all)
	}
	w.good(w.call("browser_read", "pane", "b1", "tables", true), "| Apple |")
	w.good(w.call("browser_read", "pane", "b1", "whole", true), "[Desk](/)")
	w.good(w.call("browser_read", "pane", "b1", "target", "css=ul"), "- one")
	w.bad(w.call("browser_read", "pane", "b1", "target", "css=aside"), "nothing matches")
	w.bad(w.call("browser_read", "pane", "x9"), "no pane")
}

// TestBrowserLogin_SavedLogin_StaysHidden: a saved login is typed into the page it belongs to, and the password is
// never shown.
func TestBrowserLogin_SavedLogin_StaysHidden(t *testing.T) {
	w := newWindow(t)
	w.good(w.call("browser_open", "url", w.site+"/enter"), "pane b1")
	e, err := w.tool("browser_login").Effect(w.ctx, arguments(t, "pane", "b1"))
	if err != nil || len(e.Secrets) != 1 || e.Secrets[0].Name != "login of ann at "+w.site || e.Risk != policy.WriteLocal {
		t.Errorf("its effect: %+v %v", e, err)
	}
	r := w.call("browser_login", "pane", "b1", "stay", true)
	w.good(r, `value="ann"`, "filled, value hidden")
	s := w.call("browser_snapshot", "pane", "b1")
	if strings.Contains(r.Text+s.Text, "horse") {
		t.Error("the result shows the password")
	}
	w.good(w.call("browser_login", "pane", "b1"), "ann is in: true")
	w.bad(w.call("browser_login", "pane", "b1"), "has no login form")
	w.good(w.call("browser_open", "pane", "b1", "url", w.site+"/change"))
	w.bad(w.call("browser_login", "pane", "b1"), "2 fields ask for a password")
}
