package tools_test

import (
	"context"
	"net/url"
	"time"

	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/pane"
)

// browsers has one pane, b1, whose page shows panes.shown. Tests with real pages are in browser_test.go.
type browsers struct{ *panes }

func (p *browsers) Open(_ context.Context, _, url string) (tools.Page, error) {
	return tools.Page{Pane: "b1", URL: url, Title: p.shown}, nil
}

func (p *browsers) Get(id string) (tools.Browser, error) {
	if id != "b1" && id != `b1"></output>` {
		return tools.Browser{}, errPane
	}
	b := &browser{p.panes}
	return tools.Browser{
		State:      b,
		Prompts:    b,
		Activity:   b,
		Reader:     b,
		Pictures:   b,
		Actions:    b,
		Mouse:      b,
		Forms:      b,
		Navigation: b,
		History:    b,
		Downloads:  b,
		Logins:     b,
		SiteData:   b,
	}, nil
}

func (p *browsers) List() []pane.Info                   { return []pane.Info{{ID: "b1", Title: p.shown, URL: p.at}} }
func (p *browsers) Close(context.Context, string) error { return nil }

type browser struct{ *panes }

func (p *browser) acted() (pane.ActionResult, error) {
	return pane.ActionResult{URL: p.at, Title: p.shown, Changed: p.shown}, nil
}

func (p *browser) Info() pane.Info {
	return pane.Info{ID: "b1", URL: p.at, Title: p.shown, Shared: p.user}
}

func (p *browser) SnapshotPart(context.Context, pane.SnapshotOptions) (pane.Snapshot, error) {
	return pane.Snapshot{Text: p.shown}, nil
}

func (p *browser) FindElements(context.Context, pane.FindOptions) (string, error) {
	return p.shown, nil
}

func (p *browser) Read(context.Context, pane.ReadOptions) (pane.PageText, error) {
	return pane.PageText{Text: p.shown}, nil
}

func (p *browser) Capture(context.Context, pane.ScreenshotOptions) ([]byte, error) {
	if p.picture != "" {
		return []byte(p.picture), nil
	}
	return []byte("jpeg"), nil
}

func (p *browser) Wait(context.Context, pane.WaitCondition, time.Duration) (pane.ActionResult, error) {
	return p.acted()
}

func (p *browser) PreviewAction(context.Context, string, bool) (pane.ActionPreview, error) {
	return p.touch, nil
}

func (p *browser) AsksForPayment(context.Context) (bool, error) { return p.touch.Payment, nil }

func (p *browser) Console() ([]string, error) { return []string{p.shown}, nil }

func (p *browser) Network() ([]pane.Request, error) { return []pane.Request{{URL: p.shown}}, nil }

func (p *browser) ClickWith(context.Context, string, pane.ClickOptions) (pane.ActionResult, error) {
	return p.acted()
}

func (p *browser) ClickAt(context.Context, int, int, pane.ClickOptions) (pane.ActionResult, error) {
	return p.acted()
}

func (p *browser) Hover(context.Context, string) (pane.ActionResult, error) { return p.acted() }

func (p *browser) Drag(context.Context, string, string) (pane.ActionResult, error) { return p.acted() }

func (p *browser) Scroll(context.Context, string, float64, float64) (pane.ActionResult, error) {
	return p.acted()
}
func (p *browser) ScrollTo(context.Context, string) (pane.ActionResult, error) { return p.acted() }

func (p *browser) Type(context.Context, string, string, bool, bool) (pane.ActionResult, error) {
	return p.acted()
}

func (p *browser) Press(context.Context, string, string) (pane.ActionResult, error) { return p.acted() }

func (p *browser) Select(context.Context, string, []string) (pane.ActionResult, error) {
	return p.acted()
}

func (p *browser) Check(context.Context, string, bool) (pane.ActionResult, error) { return p.acted() }

func (p *browser) Upload(context.Context, string, []pane.File) (pane.ActionResult, error) {
	return p.acted()
}
func (p *browser) OpenPrompt() (pane.UserPrompt, bool) { return p.question, p.question.Kind != "" }

func (p *browser) AcceptCertificate(context.Context, string) (pane.ActionResult, error) {
	return p.acted()
}

func (p *browser) SignIn(context.Context, string, string, string) (pane.ActionResult, error) {
	return p.acted()
}

func (p *browser) Dialog(context.Context, bool, string) (pane.ActionResult, error) { return p.acted() }

func (p *browser) Eval(context.Context, string) (string, error) { return p.shown, nil }

func (p *browser) Origins(context.Context) ([]string, error) {
	u, err := url.Parse(p.Info().URL)
	if err != nil || u.Host == "" {
		return nil, err
	}
	return []string{u.Scheme + "://" + u.Host}, nil
}

func (p *browser) LoginForm(context.Context, string) (pane.LoginForm, error) {
	return pane.LoginForm{User: "e1", Password: "e2"}, nil
}

func (p *browser) Login(context.Context, string, string, string, bool) (pane.ActionResult, error) {
	return p.acted()
}

// logins has one login for each origin.
type logins struct{}

func (logins) Users(origin string) ([]string, error) {
	if origin == "http://none.example" {
		return nil, nil
	}
	return []string{"ann"}, nil
}

func (logins) Open(_ context.Context, _, user string) (string, string, error) {
	return user, "correct horse", nil
}

func (p *browser) GoHistory(context.Context, string) (pane.ActionResult, error) { return p.acted() }
func (p *browser) HistoryTarget(_ context.Context, way string) (string, bool, error) {
	return p.at, way == "reload" && p.touch.Method == "POST", nil
}
func (p *browser) HTML(context.Context) ([]byte, error)  { return []byte(p.shown), nil }
func (p *browser) Print(context.Context) ([]byte, error) { return []byte("%PDF-"), nil }
func (p *browser) List() []pane.Download                 { return []pane.Download{{Name: p.shown}} }
func (p *browser) AwaitDownloads(context.Context, time.Duration) ([]pane.Download, error) {
	return p.List(), nil
}

func (p *browser) Cookies(context.Context) ([]pane.Cookie, error) {
	return []pane.Cookie{{Name: p.shown}}, nil
}
func (p *browser) SetCookie(context.Context, string, string) error { return nil }
func (p *browser) DeleteCookie(context.Context, string) error      { return nil }
