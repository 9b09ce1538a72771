package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
)

type browserCookiesArgs struct {
	Pane   string `json:"pane" jsonschema:"the browser pane"`
	Set    string `json:"set,omitempty" jsonschema:"name of a cookie to set for the page's host"`
	Value  string `json:"value,omitempty" jsonschema:"its value"`
	Delete string `json:"delete,omitempty" jsonschema:"name of a cookie of the page to delete"`
}

// Cookies are what a login consists of: touching them is network_write on every host.
func browserCookies(b Browsers) (Tool, error) {
	return defineTool("browser_cookies", func(_ context.Context, a browserCookiesArgs) (policy.Effect, error) {
		if a.Value != "" && a.Set == "" {
			return policy.Effect{}, errors.New("a value needs the name of its cookie: set")
		}
		p, err := b.Get(a.Pane)
		if err != nil {
			return policy.Effect{}, err
		}
		e, err := addressEffect(p.Info().URL, policy.NetworkWrite, policy.NetworkWrite)
		if err != nil {
			return effectInPane(p.Info())(policy.UnknownEffect("the pane shows "+p.Info().URL), nil)
		}
		e.Reason = "touches the cookies of " + p.Info().URL
		return effectInPane(p.Info())(e, nil)
	}, func(ctx context.Context, a browserCookiesArgs) goal.Result {
		p, err := b.Get(a.Pane)
		if err != nil {
			return failedResult("%s", err)
		}
		if a.Set != "" {
			err = p.SetCookie(ctx, a.Set, a.Value)
		}
		if err == nil && a.Delete != "" {
			err = p.DeleteCookie(ctx, a.Delete)
		}
		var list []pane.Cookie
		if err == nil {
			list, err = p.Cookies(ctx)
		}
		if err != nil {
			return pageError(a.Pane, err)
		}
		var lines []string
		for _, c := range list {
			lines = append(lines, formatCookie(c))
		}
		return newestLines("the cookies of pane "+a.Pane, lines, "the page has no cookies")
	})
}

// formatCookie describes a cookie without its value.
func formatCookie(c pane.Cookie) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s for %s%s, a value of %d bytes", c.Name, c.Domain, c.Path, c.Size)
	if c.Expires > 0 {
		fmt.Fprintf(&b, ", until %s", time.Unix(c.Expires, 0).UTC().Format(time.DateTime))
	}
	for word, on := range map[string]bool{"Secure": c.Secure, "HttpOnly": c.HTTPOnly} {
		if on {
			b.WriteString(", " + word)
		}
	}
	if c.SameSite != "" {
		b.WriteString(", SameSite " + c.SameSite)
	}
	return b.String()
}
