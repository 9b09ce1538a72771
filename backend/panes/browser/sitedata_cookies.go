package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// The cookies of the page that an agent sees. Their values never leave this package.

// Cookies lists the cookies that a request for the page would send.
func (sd *SiteData) Cookies(ctx context.Context) ([]pane.Cookie, error) {
	var list []pane.Cookie
	err := sd.turns.withReadTurn(ctx, "listing the cookies", func(ctx context.Context, pg *page) error {
		return pg.do(ctx, pg.callLimit(), "listing the cookies", func(c proto.Client) error {
			got, err := cdp.Call(c, proto.NetworkGetCookies{Urls: []string{sd.state.Info().URL}})
			if err != nil {
				return err
			}
			for _, k := range got.Cookies {
				one := pane.Cookie{
					Name:     text.SanitizeLine(k.Name, 100),
					Domain:   text.SanitizeLine(k.Domain, 200),
					Path:     text.SanitizeLine(k.Path, 200),
					Size:     len(k.Value),
					Secure:   k.Secure,
					HTTPOnly: k.HTTPOnly,
					SameSite: text.SanitizeLine(string(k.SameSite), 20),
				}
				if !k.Session && k.Expires > 0 {
					one.Expires = int64(k.Expires)
				}
				list = append(list, one)
			}
			return nil
		})
	})
	return list, err
}

// SetCookie sets a cookie for the page's host, until the browser ends.
func (sd *SiteData) SetCookie(ctx context.Context, name, value string) error {
	return sd.turns.withTurn(ctx, "setting a cookie", func(ctx context.Context, pg *page) error {
		address, err := sd.cookieAddress(name)
		if err != nil {
			return err
		}
		return pg.do(ctx, pg.callLimit(), "setting a cookie", func(c proto.Client) error {
			set, err := cdp.Call(c, proto.NetworkSetCookie{Name: name, Value: value, URL: address})
			if err == nil && !set.Success {
				err = errors.New("chromium rejected it: names and values cannot contain spaces, quotes, commas or semicolons")
			}
			return err
		})
	})
}

// DeleteCookie deletes a cookie of the page.
func (sd *SiteData) DeleteCookie(ctx context.Context, name string) error {
	return sd.turns.withTurn(ctx, "deleting a cookie", func(ctx context.Context, pg *page) error {
		address, err := sd.cookieAddress(name)
		if err != nil {
			return err
		}
		return pg.do(ctx, pg.callLimit(), "deleting a cookie", func(c proto.Client) error {
			return cdp.CallNoResult(c, proto.NetworkDeleteCookies{Name: name, URL: address})
		})
	})
}

func (sd *SiteData) cookieAddress(name string) (string, error) {
	if strings.TrimSpace(name) == "" {
		return "", errors.New("the cookie has no name")
	}
	address := sd.state.Info().URL
	if !strings.HasPrefix(address, "http") {
		return "", fmt.Errorf("a page at %s has no cookies", text.SanitizeLine(address, 200))
	}
	return address, nil
}
