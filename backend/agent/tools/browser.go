package tools

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// Browsers are the browser panes of one goal.
type Browsers interface {
	// Open loads a URL in a pane, or in a new one if pane is "". size "" is that of the pane, or the goal's.
	Open(ctx context.Context, pane, url string, size goal.PageSize) (Page, error)
	// Get returns a pane; an error means that the goal has no such pane.
	Get(pane string) (Browser, error)
	// List returns the goal's panes, oldest first.
	List() []pane.Info
	// Close closes a pane.
	Close(ctx context.Context, pane string) error
}

// Page is the page that a browser pane has loaded.
type Page struct{ Pane, URL, Title string }

// Browser is one browser pane by its parts; package browser documents each method. A target is a ref of a snapshot
// (e12), css=SELECTOR or the visible text.
type Browser struct {
	State      PageState
	Prompts    PagePrompts
	Activity   PageActivity
	Reader     PageReader
	Pictures   PagePictures
	Actions    PageActions
	Mouse      PageMouse
	Forms      PageForms
	Navigation PageNavigation
	History    PageHistory
	Downloads  PageDownloads
	Logins     PageLogins
	SiteData   PageCookies
}

// PageState is the state of a pane that is known without asking the page.
type PageState interface {
	Info() pane.Info
}

// PagePrompts is what a page, or its loading, waits for.
type PagePrompts interface {
	// OpenPrompt returns the question that blocks the page or its loading, false if there is none.
	OpenPrompt() (pane.UserPrompt, bool)
}

// PageActivity returns the log and the requests of a page.
type PageActivity interface {
	Console() ([]string, error)
	Network() ([]pane.Request, error)
}

// PageReader reads a page. It never changes it.
type PageReader interface {
	SnapshotPart(ctx context.Context, l pane.SnapshotOptions) (pane.Snapshot, error)
	FindElements(ctx context.Context, s pane.FindOptions) (string, error)
	Read(ctx context.Context, r pane.ReadOptions) (pane.PageText, error)
	// PreviewAction predicts what acting on an element would trigger; "" is the focused element.
	PreviewAction(ctx context.Context, target string, enter bool) (pane.ActionPreview, error)
	// AsksForPayment reports whether the page asks for a payment card.
	AsksForPayment(ctx context.Context) (bool, error)
	HTML(ctx context.Context) ([]byte, error)
	// PDF returns the file of a page that is a PDF.
	PDF(ctx context.Context) (file []byte, isPDF bool, err error)
	Print(ctx context.Context) ([]byte, error)
}

// PagePictures takes pictures of a page.
type PagePictures interface {
	Capture(ctx context.Context, what pane.ScreenshotOptions) ([]byte, error)
}

// PageActions waits for a page, answers what it waits for, and runs scripts of the agent in it.
type PageActions interface {
	Wait(ctx context.Context, want pane.WaitCondition, limit time.Duration) (pane.ActionResult, error)
	Dialog(ctx context.Context, yes bool, text string) (pane.ActionResult, error)
	// AcceptCertificate continues to the server of exactly this origin although its certificate is not valid.
	AcceptCertificate(ctx context.Context, origin string) (pane.ActionResult, error)
	// SignIn sends a login to the server of exactly this origin, which asks for it.
	SignIn(ctx context.Context, origin, user, password string) (pane.ActionResult, error)
	Eval(ctx context.Context, script string) (string, error)
}

// PageMouse uses the mouse.
type PageMouse interface {
	ClickWith(ctx context.Context, target string, how pane.ClickOptions) (pane.ActionResult, error)
	ClickAt(ctx context.Context, x, y int, how pane.ClickOptions) (pane.ActionResult, error)
	Hover(ctx context.Context, target string) (pane.ActionResult, error)
	Drag(ctx context.Context, from, to string) (pane.ActionResult, error)
	Scroll(ctx context.Context, target string, right, down float64) (pane.ActionResult, error)
	ScrollTo(ctx context.Context, target string) (pane.ActionResult, error)
}

// PageForms fills in forms and presses keys.
type PageForms interface {
	Type(ctx context.Context, target, text string, submit, clear bool) (pane.ActionResult, error)
	Press(ctx context.Context, target, keys string) (pane.ActionResult, error)
	Select(ctx context.Context, target string, options []string) (pane.ActionResult, error)
	Check(ctx context.Context, target string, on bool) (pane.ActionResult, error)
	Upload(ctx context.Context, target string, files []pane.File) (pane.ActionResult, error)
}

// PageNavigation predicts where navigations lead.
type PageNavigation interface {
	// HistoryTarget returns the address of a navigation (back, forward, reload). resubmits reports whether it submits a
	// form again.
	HistoryTarget(ctx context.Context, way string) (address string, resubmits bool, err error)
}

// PageHistory moves a pane back and forward through its pages.
type PageHistory interface {
	GoHistory(ctx context.Context, way string) (pane.ActionResult, error)
}

// PageDownloads lists the downloads of a page.
type PageDownloads interface {
	List() []pane.Download
	AwaitDownloads(ctx context.Context, limit time.Duration) ([]pane.Download, error)
}

// PageLogins uses the user's saved logins in a page.
type PageLogins interface {
	// Origins returns the origins of the page and its frames, the page's own first.
	Origins(ctx context.Context) ([]string, error)
	// LoginForm finds the login fields on a page of exactly this origin, or in a frame of it.
	LoginForm(ctx context.Context, origin string) (pane.LoginForm, error)
	Login(ctx context.Context, origin, user, password string, submit bool) (pane.ActionResult, error)
}

// PageCookies reads and changes the cookies of a page.
type PageCookies interface {
	Cookies(ctx context.Context) ([]pane.Cookie, error)
	SetCookie(ctx context.Context, name, value string) error
	DeleteCookie(ctx context.Context, name string) error
}

// readEffect returns the effect of a tool that only reads.
func readEffect[A any](context.Context, A) (policy.Effect, error) { return viewEffect() }

// usePage calls use with a pane. Its errors are wrapped as untrusted, because they may contain text of the page.
func (d Deps) usePage(id string, use func(Browser) (goal.Result, error)) goal.Result {
	p, err := d.Browsers.Get(id)
	if err != nil {
		return failedResult("%s", err)
	}
	result, err := use(p)
	if err != nil {
		reason := ""
		if q, blocked := p.Prompts.OpenPrompt(); blocked {
			reason = describePrompt(q) + "\n"
		}
		return goal.Result{Text: wrapOutside("pane "+id, reason+err.Error())}
	}
	return result
}

// describePrompt names what blocks a page, and the tool that answers it.
func describePrompt(q pane.UserPrompt) string {
	const maxText = 300
	words := text.SanitizeLine(q.Text, maxText)
	switch q.Kind { //nolint:exhaustive // the others do not block a page that an agent uses
	case pane.Login:
		return fmt.Sprintf("%s asks for a login (%q). browser_login sends one that the user saved; without one, use "+
			"ask_user with this pane", q.Origin, words)
	case pane.Certificate:
		return fmt.Sprintf("the certificate of %s is not valid (%s). browser_dialog with accept and this origin as "+
			"certificate asks the user", q.Origin, words)
	case pane.BeforeUnload:
		return "the page asks whether to leave it, because changes may be lost. browser_dialog answers: accept leaves it"
	case pane.Alert, pane.Confirm, pane.Prompt:
		return fmt.Sprintf("the page shows its %s %q. browser_dialog answers it", q.Kind, words)
	}
	return fmt.Sprintf("the page waits for the user (%s %q)", q.Kind, words)
}

// act calls use, which changes or opens a page, with a pane. Every tool that acts on a page runs through it: the result
// gets a picture of the page, if the goal wants one.
func (d Deps) act(ctx context.Context, id string, use func(Browser) (goal.Result, error)) goal.Result {
	return d.usePage(id, func(p Browser) (goal.Result, error) {
		r, err := use(p)
		if err == nil {
			d.showPicture(ctx, p, &r)
		}
		return r, err
	})
}

// doAction acts on a pane and reports what changed.
func (d Deps) doAction(ctx context.Context, id string, do func(Browser) (pane.ActionResult, error)) goal.Result {
	return d.act(ctx, id, func(p Browser) (goal.Result, error) {
		a, err := do(p)
		return goal.Result{
			OK: true,
			Text: wrapOutside("the page in pane "+id,
				fmt.Sprintf("%s — %s\n%s", text.TruncateBytes(a.Title, 200), text.TruncateBytes(a.URL, 400), a.Changed)),
			Point: (*goal.Point)(a.Point),
		}, err
	})
}

// maxPageTextBytes is the budget of a page's text. The browser truncates the text to 16 KB, and the envelope around it
// must not cause a second truncation.
const maxPageTextBytes = 20 << 10

// pageResult returns a part of a page's text; next is where the rest begins, 0 if there is no more.
func pageResult(id, text string, next, total int) goal.Result {
	r := goal.Result{OK: true, Text: wrapOutside("the page in pane "+id, text), Budget: maxPageTextBytes}
	if next > 0 {
		r.More = &goal.Continuation{Has: true, Next: int64(next), Total: int64(total)}
	}
	return r
}

// pageEffect returns the effect that of computes for a pane.
func (d Deps) pageEffect(id string, of func(Browser) (policy.Effect, error)) (policy.Effect, error) {
	p, err := d.Browsers.Get(id)
	if err != nil {
		return policy.Effect{}, err
	}
	e, err := of(p)
	return effectInPane(p.State.Info(), e), err
}

// effectInPane adapts the effect of an action in a pane of the goal to this pane. A page that the user shares has the
// user's logins and bypasses the goal's network: its loopback is the machine's, a script there reaches every host, and
// requests are sent as the user.
func effectInPane(i pane.Info, e policy.Effect) policy.Effect {
	if !i.Shared {
		return e
	}
	if policy.NetworkWrite.Exceeds(e.Risk) {
		e.Risk = policy.NetworkWrite
	}
	e.Pane = i.ID
	why := "in your own pane " + i.ID + ", with your logins and outside the goal's network"
	if e.Reason != "" {
		why = e.Reason + ", " + why
	}
	e.Reason = why
	return e
}

// actionEffect returns the effect of acting on an element, which may follow a link or send a form. An unknown effect
// counts as network_write.
func (d Deps) actionEffect(ctx context.Context, id, target string, enter bool) (policy.Effect, error) {
	return d.pageEffect(id, func(p Browser) (policy.Effect, error) {
		t, err := p.Reader.PreviewAction(ctx, target, enter)
		return touchEffect(p.State.Info().URL, t, err), nil
	})
}

// scriptEffect returns the effect of an action whose consequences cannot be predicted.
func (d Deps) scriptEffect(ctx context.Context, id string) (policy.Effect, error) {
	return d.pageEffect(id, func(p Browser) (policy.Effect, error) {
		pays, err := p.Reader.AsksForPayment(ctx)
		address := p.State.Info().URL
		return touchEffect(address, ActionPreview{Payment: pays || isPaymentURL(address)}, err), nil
	})
}

// passiveFetchEffect returns the effect of an action after which a page may load more.
func (d Deps) passiveFetchEffect(id string) (policy.Effect, error) {
	return d.pageEffect(id, func(p Browser) (policy.Effect, error) {
		return knownEffect("the pane shows ", p.State.Info().URL, policy.ReadOnly, policy.NetworkGet), nil
	})
}

// describeSubmission describes for the user what acting on an element would send.
func (d Deps) describeSubmission(ctx context.Context, id, target string, enter bool) string {
	p, err := d.Browsers.Get(id)
	if err != nil {
		return ""
	}
	t, err := p.Reader.PreviewAction(ctx, target, enter)
	if err != nil {
		return ""
	}
	return describeAction(t)
}

// knownEffect returns the addressEffect of an address from a page. If the address is invalid, it returns an unknown
// effect with what as its reason.
func knownEffect(what, address string, local, remote policy.Risk) policy.Effect {
	e, err := addressEffect(address, local, remote)
	if err != nil {
		return policy.UnknownEffect(what + address)
	}
	return e
}

// addressEffect returns the effect of contacting an address, with the risk local on this machine's loopback and remote
// for other hosts.
func addressEffect(address string, local, remote policy.Risk) (policy.Effect, error) {
	if address == "about:blank" {
		return policy.Effect{Risk: local}, nil
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	// A host is required, because Chromium reads http:/evil.example as http://evil.example.
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return policy.Effect{}, fmt.Errorf("%q is not an address; give one like http://127.0.0.1:8080/", address)
	}
	host := u.Hostname()
	if isLoopback(host) {
		return policy.Effect{Risk: local}, nil
	}
	if err := checkPlainHost(host); err != nil {
		return policy.Effect{}, err
	}
	return policy.Effect{
		Risk: remote, Hosts: []string{host}, Ports: []string{portOf(u)}, Reason: "contacts " + host,
	}, nil
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// checkPlainHost returns an error for a misleading host: a pattern, a number that a browser reads as an address, or
// letters that look like others.
func checkPlainHost(host string) error {
	if _, err := netip.ParseAddr(host); err == nil && !strings.Contains(host, "%") {
		return nil
	}
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-._") != "" ||
		strings.ContainsFunc(name, func(r rune) bool {
			return r > unicode.MaxASCII || strings.ContainsRune("*?[]\\ ,:%", r)
		}) {
		return fmt.Errorf(
			"%+q is not a plain host name: write one host in plain letters, or as the browser sends it (xn--…)", host)
	}
	if last == "" || strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") ||
		strings.Contains(name, "..") {
		return fmt.Errorf("%q is neither a host name nor a full IP address", host)
	}
	return nil
}

// isLoopback reports whether a host is on the goal's loopback, as the proxy of its pages decides. Servers also call
// themselves 0.0.0.0 and app.localhost.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil &&
		(ip.IsLoopback() || ip.IsUnspecified())
}

// validateChoice returns an error for a value that an argument does not allow.
func validateChoice(name, word string, words ...string) error {
	if slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("%s is %q; use one of %s", name, word, strings.Join(words, ", "))
}
