package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserCookiesArgs struct {
	Pane   string `json:"pane"`
	Set    string `json:"set,omitempty"`
	Value  string `json:"value,omitempty"`
	Delete string `json:"delete,omitempty"`
}

// browserCookies has the risk level network_write on every host, also for listing, because a login consists of cookies.
func browserCookies(r Deps) (Tool, error) {
	return defineTool("browser_cookies", func(_ context.Context, a browserCookiesArgs) (policy.Effect, error) {
		if a.Value != "" && a.Set == "" {
			return policy.Effect{}, errors.New("value needs the name of its cookie in \"set\"")
		}
		return r.pageEffect(a.Pane, func(p Browser) (policy.Effect, error) {
			e, err := addressEffect(p.State.Info().URL, policy.NetworkWrite, policy.NetworkWrite)
			if err != nil {
				return policy.UnknownEffect("the pane shows " + p.State.Info().URL), nil
			}
			e.Reason = "reads or changes the cookies of " + p.State.Info().URL
			return e, nil
		})
	}, func(ctx context.Context, a browserCookiesArgs) goal.Result {
		return r.usePage(a.Pane, func(p Browser) (goal.Result, error) {
			if a.Set != "" {
				if err := p.SiteData.SetCookie(ctx, a.Set, a.Value); err != nil {
					return goal.Result{}, err
				}
			}
			if a.Delete != "" {
				if err := p.SiteData.DeleteCookie(ctx, a.Delete); err != nil {
					return goal.Result{}, err
				}
			}
			list, err := p.SiteData.Cookies(ctx)
			var lines []string
			for _, c := range list {
				lines = append(lines, formatCookie(c))
			}
			return newestLines("the cookies of pane "+a.Pane, lines, "the page has no cookies"), err
		})
	})
}

// formatCookie describes a cookie without its value.
func formatCookie(c pane.Cookie) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s for %s%s, a value of %d bytes", c.Name, c.Domain, c.Path, c.Size)
	if c.Expires > 0 {
		fmt.Fprintf(&b, ", until %s", time.Unix(c.Expires, 0).UTC().Format(time.DateTime))
	}
	if c.Secure {
		b.WriteString(", Secure")
	}
	if c.HTTPOnly {
		b.WriteString(", HttpOnly")
	}
	if c.SameSite != "" {
		b.WriteString(", SameSite " + c.SameSite)
	}
	return b.String()
}
