package tools

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
)

// Browsers are the browser panes of one goal.
type Browsers interface {
	// Open loads a URL in a pane; an empty pane is a new one.
	Open(ctx context.Context, pane, url string) (Page, error)
	// Get gives a pane; an error says that the goal has no such pane.
	Get(pane string) (Browser, error)
	// List are the goal's panes, oldest first.
	List() []pane.Info
	// Close closes a pane.
	Close(ctx context.Context, pane string) error
}

// Page is where a browser pane arrived.
type Page struct{ Pane, URL, Title string }

// Browser is one browser pane: see the package browser for what each method does.
// A target is a ref of a snapshot (e12), css=SELECTOR or the visible text.
type Browser interface {
	Reader
	Pointer
	Keyboard
	Keeper
}

// Reader is how a pane is looked at. Nothing of it alters the page.
type Reader interface {
	// Info is the pane without asking the page.
	Info() pane.Info
	Look(ctx context.Context, l pane.Look) (pane.Snapshot, error)
	Seek(ctx context.Context, s pane.Search) (string, error)
	Read(ctx context.Context, r pane.Read) (pane.Reading, error)
	Capture(ctx context.Context, what pane.Picture) ([]byte, error)
	Wait(ctx context.Context, want pane.Condition, limit time.Duration) (pane.Acted, error)
	// Touches says what acting on an element would set off; "" is what has the keyboard.
	Touches(ctx context.Context, target string, enter bool) (pane.Touched, error)
	Console() ([]string, error)
	Network() ([]pane.Request, error)
}

// Pointer is what the mouse does.
type Pointer interface {
	ClickWith(ctx context.Context, target string, how pane.Press) (pane.Acted, error)
	ClickAt(ctx context.Context, x, y int, how pane.Press) (pane.Acted, error)
	Hover(ctx context.Context, target string) (pane.Acted, error)
	Drag(ctx context.Context, from, to string) (pane.Acted, error)
	Scroll(ctx context.Context, target string, right, down float64) (pane.Acted, error)
	ScrollTo(ctx context.Context, target string) (pane.Acted, error)
}

// Keyboard is what is typed, chosen and answered.
type Keyboard interface {
	Type(ctx context.Context, target, text string, submit, clear bool) (pane.Acted, error)
	Press(ctx context.Context, target, keys string) (pane.Acted, error)
	Select(ctx context.Context, target string, options []string) (pane.Acted, error)
	Check(ctx context.Context, target string, on bool) (pane.Acted, error)
	Upload(ctx context.Context, target string, files []pane.File) (pane.Acted, error)
	Dialog(ctx context.Context, yes bool, text string) (pane.Acted, error)
	Eval(ctx context.Context, script string) (string, error)
	// LoginForm finds the fields for a login on a page of exactly this origin.
	LoginForm(ctx context.Context, origin string) (pane.LoginForm, error)
	Login(ctx context.Context, origin, user, password string, submit bool) (pane.Acted, error)
}

// Keeper is where a pane goes and what is kept of it.
type Keeper interface {
	Travel(ctx context.Context, way string) (pane.Acted, error)
	// Whither is the address that a way leads to, and whether a form is sent again there.
	Whither(ctx context.Context, way string) (address string, again bool, err error)
	HTML(ctx context.Context) ([]byte, error)
	Print(ctx context.Context) ([]byte, error)
	Downloads() []pane.Download
	AwaitDownloads(ctx context.Context, limit time.Duration) ([]pane.Download, error)
	Cookies(ctx context.Context) ([]pane.Cookie, error)
	SetCookie(ctx context.Context, name, value string) error
	DeleteCookie(ctx context.Context, name string) error
}

func browserTools(f folder, r Room) []maker {
	b := r.Browsers
	list := []maker{
		func() (Tool, error) { return browserLogin(r) },
		func() (Tool, error) { return browserUpload(f, b) },
		func() (Tool, error) { return browserSave(f, b) },
		func() (Tool, error) { return browserDownload(f, b) },
	}
	for _, make := range []func(Browsers) (Tool, error){
		browserOpen, browserTabs, browserSnapshot, browserFind, browserRead, browserClick, browserType, browserPress, browserSelect, browserCheck,
		browserHover, browserDrag, browserScroll, browserWait, browserDialog, browserHistory, browserScreenshot, browserClickAt, browserEval,
		browserConsole, browserNetwork, browserCookies,
	} {
		list = append(list, func() (Tool, error) { return make(b) })
	}
	return list
}

// sees is the effect of a tool that only looks.
func sees[A any](context.Context, A) (policy.Effect, error) {
	return policy.Effect{Risk: policy.ReadOnly}, nil
}

// act does something to a pane and tells what came of it.
func act(b Browsers, id string, do func(Browser) (pane.Acted, error)) goal.Result {
	p, err := b.Get(id)
	if err != nil {
		return failed("%s", err)
	}
	a, err := do(p)
	if err != nil {
		return wentWrong(id, err)
	}
	return goal.Result{OK: true, Text: outside("the page in pane "+id, fmt.Sprintf("%s — %s\n%s", a.Title, a.URL, a.Changed))}
}

// mostTold is the budget of a page's words: the browser cuts them at 16 KB, and
// what stands around them must not be cut again.
const mostTold = 20 << 10

// told is a part of what a page says; next is where the rest begins, 0 if this is the end.
func told(id, text string, next, total int) goal.Result {
	r := goal.Result{OK: true, Text: outside("the page in pane "+id, text), Budget: mostTold}
	if next > 0 {
		r.More = &goal.More{Has: true, Next: int64(next), Total: int64(total)}
	}
	return r
}

// wentWrong tells why a page could not be used. What is said may be the page's words.
func wentWrong(id string, err error) goal.Result {
	return goal.Result{Text: outside("pane "+id, err.Error())}
}

// acting on a page may follow a link or send a form: what cannot be told counts
// as network_write.
func acting(ctx context.Context, b Browsers, id, target string, enter bool) (policy.Effect, error) {
	p, err := b.Get(id)
	if err != nil {
		return policy.Effect{}, err
	}
	t, err := p.Touches(ctx, target, enter)
	return touched(p.Info().URL, t, err)
}

// scripting is acting on a page in a way of which nothing can be told beforehand.
func scripting(b Browsers, id string) (policy.Effect, error) {
	p, err := b.Get(id)
	if err != nil {
		return policy.Effect{}, err
	}
	return touched(p.Info().URL, Touch{}, nil)
}

// passing is the effect of what a page may answer by fetching more of itself.
func passing(b Browsers, id string) (policy.Effect, error) {
	p, err := b.Get(id)
	if err != nil {
		return policy.Effect{}, err
	}
	e, err := visit(p.Info().URL, policy.ReadOnly, policy.NetworkGet)
	if err != nil {
		return policy.Unknown("the pane shows " + p.Info().URL), nil
	}
	return e, nil
}

// sends says to a person what acting on an element would send.
func sends(ctx context.Context, b Browsers, id, target string, enter bool) string {
	p, err := b.Get(id)
	if err != nil {
		return ""
	}
	t, err := p.Touches(ctx, target, enter)
	if err != nil {
		return ""
	}
	return shown(t)
}

// visit is the effect of touching an address: local on this machine's loopback, away elsewhere.
func visit(address string, local, away policy.Risk) (policy.Effect, error) {
	if address == "about:blank" {
		return policy.Effect{Risk: local}, nil
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	// Without a host there is nothing to judge, and Chromium reads http:/evil.example as http://evil.example.
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return policy.Effect{}, fmt.Errorf("%q is not an address; give one like http://127.0.0.1:8080/", address)
	}
	host := u.Hostname()
	if loopback(host) {
		return policy.Effect{Risk: local}, nil
	}
	return policy.Effect{Risk: away, Hosts: []string{host}, Reason: "contacts " + host}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// among refuses a word that is none of those that an argument may be.
func among(name, word string, words ...string) error {
	if slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("%s is %q; it may be %s", name, word, strings.Join(words, ", "))
}
