package tools_test

import (
	"context"
	"net/url"
	"time"

	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
)

// browsers has one pane, b1, whose page shows panes.shown. Tests with real pages are in browser_test.go.
type browsers struct{ *panes }

func (br *browsers) Open(_ context.Context, _, url string, _ goal.PageSize) (tools.Page, error) {
	return tools.Page{Pane: "b1", URL: url, Title: br.shown}, nil
}

func (br *browsers) Get(id string) (tools.Browser, error) {
	if id != "b1" && id != `b1"></output>` {
		return tools.Browser{}, errPane
	}
	b := &browser{br.panes}
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

func (br *browsers) List() []pane.Info                   { return []pane.Info{{ID: "b1", Title: br.shown, URL: br.at}} }
func (br *browsers) Close(context.Context, string) error { return nil }

type browser struct{ *panes }

func (b *browser) acted() (pane.ActionResult, error) {
	return pane.ActionResult{URL: b.at, Title: b.shown, Changed: b.shown}, nil
}

func (b *browser) Info() pane.Info {
	return pane.Info{ID: "b1", URL: b.at, Title: b.shown, Shared: b.user}
}

func (b *browser) SnapshotPart(context.Context, pane.SnapshotOptions) (pane.Snapshot, error) {
	return pane.Snapshot{Text: b.shown}, nil
}

func (b *browser) FindElements(context.Context, pane.FindOptions) (string, error) {
	return b.shown, nil
}

func (b *browser) Read(context.Context, pane.ReadOptions) (pane.PageText, error) {
	return pane.PageText{Text: b.shown}, nil
}

func (b *browser) PDF(context.Context) ([]byte, bool, error) {
	return []byte(b.pdf), b.pdf != "", nil
}

// textPDFs takes a file for its text. Real PDFs are read in the tests of goalsandbox and browser.
type textPDFs struct{}

func (textPDFs) Text(_ context.Context, file []byte) (string, error) { return string(file), nil }

func (b *browser) Capture(context.Context, pane.ScreenshotOptions) ([]byte, error) {
	if b.picture != "" {
		return []byte(b.picture), nil
	}
	return []byte("jpeg"), nil
}

func (b *browser) Wait(context.Context, pane.WaitCondition, time.Duration) (pane.ActionResult, error) {
	return b.acted()
}

func (b *browser) PreviewAction(context.Context, string, bool) (pane.ActionPreview, error) {
	return b.touch, nil
}

func (b *browser) AsksForPayment(context.Context) (bool, error) { return b.touch.Payment, nil }

func (b *browser) Console() ([]string, error) { return []string{b.shown}, nil }

func (b *browser) Network() ([]pane.Request, error) { return []pane.Request{{URL: b.shown}}, nil }

func (b *browser) ClickWith(context.Context, string, pane.ClickOptions) (pane.ActionResult, error) {
	return b.acted()
}

func (b *browser) ClickAt(context.Context, int, int, pane.ClickOptions) (pane.ActionResult, error) {
	return b.acted()
}

func (b *browser) Hover(context.Context, string) (pane.ActionResult, error) { return b.acted() }

func (b *browser) Drag(context.Context, string, string) (pane.ActionResult, error) { return b.acted() }

func (b *browser) Scroll(context.Context, string, float64, float64) (pane.ActionResult, error) {
	return b.acted()
}
func (b *browser) ScrollTo(context.Context, string) (pane.ActionResult, error) { return b.acted() }

func (b *browser) Type(context.Context, string, string, bool, bool) (pane.ActionResult, error) {
	return b.acted()
}

func (b *browser) Press(context.Context, string, string) (pane.ActionResult, error) { return b.acted() }

func (b *browser) Select(context.Context, string, []string) (pane.ActionResult, error) {
	return b.acted()
}

func (b *browser) Check(context.Context, string, bool) (pane.ActionResult, error) { return b.acted() }

func (b *browser) Upload(context.Context, string, []pane.File) (pane.ActionResult, error) {
	return b.acted()
}
func (b *browser) OpenPrompt() (pane.UserPrompt, bool) { return b.question, b.question.Kind != "" }

func (b *browser) AcceptCertificate(context.Context, string) (pane.ActionResult, error) {
	return b.acted()
}

func (b *browser) SignIn(context.Context, string, string, string) (pane.ActionResult, error) {
	return b.acted()
}

func (b *browser) Dialog(context.Context, bool, string) (pane.ActionResult, error) { return b.acted() }

func (b *browser) Eval(context.Context, string) (string, error) { return b.shown, nil }

func (b *browser) Origins(context.Context) ([]string, error) {
	u, err := url.Parse(b.Info().URL)
	if err != nil || u.Host == "" {
		return nil, err
	}
	return []string{u.Scheme + "://" + u.Host}, nil
}

func (b *browser) LoginForm(context.Context, string) (pane.LoginForm, error) {
	return pane.LoginForm{User: "e1", Password: "e2"}, nil
}

func (b *browser) Login(context.Context, string, string, string, bool) (pane.ActionResult, error) {
	return b.acted()
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

func (b *browser) GoHistory(context.Context, string) (pane.ActionResult, error) { return b.acted() }
func (b *browser) HistoryTarget(_ context.Context, way string) (string, bool, error) {
	return b.at, way == "reload" && b.touch.Method == "POST", nil
}
func (b *browser) HTML(context.Context) ([]byte, error)  { return []byte(b.shown), nil }
func (b *browser) Print(context.Context) ([]byte, error) { return []byte("%PDF-"), nil }
func (b *browser) List() []pane.Download                 { return []pane.Download{{Name: b.shown}} }
func (b *browser) AwaitDownloads(context.Context, time.Duration) ([]pane.Download, error) {
	return b.List(), nil
}

func (b *browser) Cookies(context.Context) ([]pane.Cookie, error) {
	return []pane.Cookie{{Name: b.shown}}, nil
}
func (b *browser) SetCookie(context.Context, string, string) error { return nil }
func (b *browser) DeleteCookie(context.Context, string) error      { return nil }
