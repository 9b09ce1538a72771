package tools

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

func browserTools(r Room) []maker {
	return []maker{
		func() (Tool, error) { return browserOpen(r.Browsers) },
		func() (Tool, error) { return browserSnapshot(r.Browsers) },
		func() (Tool, error) { return browserClick(r.Browsers) },
		func() (Tool, error) { return browserType(r.Browsers) },
		func() (Tool, error) { return browserScreenshot(r.Browsers) },
	}
}

type browserOpenArgs struct {
	URL  string `json:"url" jsonschema:"address to load: http or https"`
	Pane string `json:"pane,omitempty" jsonschema:"browser pane to load it in; a new one if left out"`
}

func browserOpen(b Browsers) (Tool, error) {
	return define("browser_open", func(_ context.Context, a browserOpenArgs) (policy.Effect, error) {
		return visit(a.URL, policy.ReadOnly, policy.NetworkGet)
	}, func(ctx context.Context, a browserOpenArgs) goal.Result {
		p, err := b.Open(ctx, a.Pane, a.URL)
		if err != nil {
			return failed("%s", err)
		}
		return ok("pane %s is at %s\n%s", p.Pane, p.URL, outside("the title of pane "+p.Pane, p.Title))
	})
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

type browserPaneArgs struct {
	Pane string `json:"pane" jsonschema:"the browser pane, as browser_open named it"`
}

func browserSnapshot(b Browsers) (Tool, error) {
	return define("browser_snapshot", func(context.Context, browserPaneArgs) (policy.Effect, error) {
		return policy.Effect{Risk: policy.ReadOnly}, nil
	}, func(ctx context.Context, a browserPaneArgs) goal.Result {
		text, err := b.Snapshot(ctx, a.Pane)
		if err != nil {
			return failed("%s", err)
		}
		return goal.Result{OK: true, Text: outside("the page in pane "+a.Pane, text)}
	})
}

type browserClickArgs struct {
	Pane   string `json:"pane" jsonschema:"the browser pane"`
	Target string `json:"target" jsonschema:"what to click: a ref of the snapshot such as e12, css=SELECTOR, or the visible text"`
}

func browserClick(b Browsers) (Tool, error) {
	t, err := define("browser_click", func(ctx context.Context, a browserClickArgs) (policy.Effect, error) {
		return acting(ctx, b, a.Pane, a.Target, false)
	}, func(ctx context.Context, a browserClickArgs) goal.Result {
		text, err := b.Click(ctx, a.Pane, a.Target)
		return acted(a.Pane, text, err)
	})
	return showing(t, err, func(ctx context.Context, a browserClickArgs) string { return sends(ctx, b, a.Pane, a.Target, false) })
}

type browserTypeArgs struct {
	Pane   string `json:"pane" jsonschema:"the browser pane"`
	Target string `json:"target" jsonschema:"the field: a ref of the snapshot such as e12, css=SELECTOR, or its label"`
	Text   string `json:"text" jsonschema:"what to type"`
	Clear  bool   `json:"clear,omitempty" jsonschema:"empty the field first"`
	Submit bool   `json:"submit,omitempty" jsonschema:"press Enter afterwards"`
}

func browserType(b Browsers) (Tool, error) {
	t, err := define("browser_type", func(ctx context.Context, a browserTypeArgs) (policy.Effect, error) {
		return acting(ctx, b, a.Pane, a.Target, a.Submit)
	}, func(ctx context.Context, a browserTypeArgs) goal.Result {
		text, err := b.Type(ctx, a.Pane, a.Target, a.Text, a.Submit, a.Clear)
		return acted(a.Pane, text, err)
	})
	return showing(t, err, func(ctx context.Context, a browserTypeArgs) string { return sends(ctx, b, a.Pane, a.Target, a.Submit) })
}

// acting on a page may follow a link or send a form: what cannot be told counts
// as network_write.
func acting(ctx context.Context, b Browsers, pane, target string, enter bool) (policy.Effect, error) {
	address, err := b.URL(pane)
	if err != nil {
		return policy.Effect{}, fmt.Errorf("pane %s: %w", pane, err)
	}
	t, err := b.Touch(ctx, pane, target, enter)
	return touched(address, t, err)
}

// sends says to a person what acting on an element would send.
func sends(ctx context.Context, b Browsers, pane, target string, enter bool) string {
	t, err := b.Touch(ctx, pane, target, enter)
	if err != nil {
		return ""
	}
	return t.shown()
}

func acted(pane, text string, err error) goal.Result {
	if err != nil {
		return failed("%s", err)
	}
	return goal.Result{OK: true, Text: outside("the page in pane "+pane, text)}
}

type browserScreenshotArgs struct {
	Pane string `json:"pane" jsonschema:"the browser pane"`
	Full bool   `json:"full,omitempty" jsonschema:"the whole page and not only what is in view"`
}

func browserScreenshot(b Browsers) (Tool, error) {
	return define("browser_screenshot", func(context.Context, browserScreenshotArgs) (policy.Effect, error) {
		return policy.Effect{Risk: policy.ReadOnly}, nil
	}, func(ctx context.Context, a browserScreenshotArgs) goal.Result {
		img, err := b.Screenshot(ctx, a.Pane, a.Full)
		if err != nil {
			return failed("%s", err)
		}
		return goal.Result{OK: true, Text: fmt.Sprintf("kept a picture of pane %s, %d bytes, for the journal", a.Pane, len(img)), Image: img}
	})
}
