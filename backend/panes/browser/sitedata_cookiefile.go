package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Cookie is a cookie with its value, for import and for pictures of a page.
type Cookie struct {
	Name, Value, Domain, Path string
	Secure, HTTPOnly          bool
	SameSite                  string    // "", Strict, Lax, None
	Expires                   time.Time // zero: when the browser ends
}

// ParseCookies parses a file of cookies: Netscape's format, which curl and wget write, or JSON as
// browser extensions and automation tools write. Errors name the line.
func ParseCookies(file string) ([]Cookie, error) {
	text := strings.TrimSpace(strings.TrimPrefix(file, "\ufeff"))
	switch {
	case text == "":
		return nil, errors.New("the file of cookies is empty")
	case len(text) > 8<<20:
		return nil, errors.New("the file of cookies is larger than 8 MiB")
	case text[0] == '[' || text[0] == '{':
		return parseJSONCookies(text)
	}
	return parseNetscape(text)
}

func parseJSONCookies(text string) ([]Cookie, error) {
	type entry struct {
		Name, Value, Domain, Path string
		Secure                    bool
		HTTPOnly                  bool     `json:"httpOnly"`
		SameSite                  string   `json:"sameSite"`
		Expires                   *float64 `json:"expires"`
		ExpirationDate            *float64 `json:"expirationDate"`
	}
	var list []entry
	var wrapped struct{ Cookies []entry }
	err := json.Unmarshal([]byte(text), &list)
	if text[0] == '{' {
		err = json.Unmarshal([]byte(text), &wrapped)
		list = wrapped.Cookies
	}
	if err != nil {
		return nil, fmt.Errorf("the file of cookies is not a JSON list of cookies: %w", err)
	}
	cookies := make([]Cookie, 0, len(list))
	for i, e := range list {
		if e.Name == "" || e.Domain == "" {
			return nil, fmt.Errorf("cookie %d of the file lacks a name or a domain", i+1)
		}
		c := Cookie{Name: e.Name, Value: e.Value, Domain: e.Domain, Path: e.Path, Secure: e.Secure, HTTPOnly: e.HTTPOnly}
		switch strings.ToLower(e.SameSite) {
		case "strict":
			c.SameSite = "Strict"
		case "lax":
			c.SameSite = "Lax"
		case "none", "no_restriction":
			c.SameSite = "None"
		}
		for _, at := range []*float64{e.Expires, e.ExpirationDate} {
			if at != nil && *at > 0 {
				c.Expires = time.UnixMilli(int64(*at * 1000))
			}
		}
		cookies = append(cookies, c)
	}
	return cookies, nil
}

func parseNetscape(file string) ([]Cookie, error) {
	var cookies []Cookie
	lines := bufio.NewScanner(strings.NewReader(file))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimRight(lines.Text(), "\r")
		hidden := strings.HasPrefix(line, "#HttpOnly_")
		line = strings.TrimPrefix(line, "#HttpOnly_")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) == 6 { // the empty value at the end is often lost
			f = append(f, "")
		}
		if len(f) != 7 || f[0] == "" || f[5] == "" {
			return nil, fmt.Errorf("line %d of the file of cookies has %d fields and not the 7 of Netscape's format", n, len(f))
		}
		at, err := strconv.ParseFloat(f[4], 64)
		if err != nil {
			return nil, fmt.Errorf("line %d of the file of cookies: %q is not a time", n, text.SanitizeLine(f[4], 40))
		}
		c := Cookie{
			Domain:   f[0],
			Path:     f[2],
			Secure:   strings.EqualFold(f[3], "TRUE"),
			HTTPOnly: hidden,
			Name:     f[5],
			Value:    f[6],
		}
		if at > 0 {
			c.Expires = time.Unix(int64(at), 0)
		}
		cookies = append(cookies, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("the file of cookies: %w", err)
	}
	if len(cookies) == 0 {
		return nil, errors.New("the file contains no cookies")
	}
	return cookies, nil
}

// ImportCookies sets the cookies of a file in the pane's profile and returns how many there were.
func (sd *SiteData) ImportCookies(ctx context.Context, file string) (int, error) {
	cookies, err := ParseCookies(file)
	if err != nil {
		return 0, err
	}
	if err := sd.driver.checkDriver(ctx); err != nil {
		return 0, err
	}
	err = sd.state.withPage("importing cookies", func(pg *page) error {
		return pg.process.setCookies(ctx, pg.process.existingContext(sd.state.goalID), cookies)
	})
	return len(cookies), err
}

func (b *browserProcess) setCookies(ctx context.Context, id proto.BrowserBrowserContextID, cookies []Cookie) error {
	params := make([]*proto.NetworkCookieParam, 0, len(cookies))
	for _, c := range cookies {
		param := &proto.NetworkCookieParam{
			Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Secure: c.Secure, HTTPOnly: c.HTTPOnly,
			SameSite: proto.NetworkCookieSameSite(c.SameSite),
		}
		if param.Path == "" {
			param.Path = "/"
		}
		if !c.Expires.IsZero() {
			param.Expires = proto.TimeSinceEpoch(float64(c.Expires.UnixMilli()) / 1000)
		}
		params = append(params, param)
	}
	return b.Do(ctx, b.Alive, "", b.m.limits.call, "setting cookies", func(c proto.Client) error {
		return cdp.CallNoResult(c, proto.StorageSetCookies{Cookies: params, BrowserContextID: id})
	})
}

// Cookies returns the cookies of a goal's pages, none if it has no page yet.
func (m *Manager) Cookies(ctx context.Context, goalID string) ([]Cookie, error) {
	e := m.findProcess(goalProcess)
	if goalID == "" || e == nil || e.Alive.Err() != nil {
		return nil, nil
	}
	id := e.existingContext(goalID)
	if id == "" {
		return nil, nil // the default context is the user's
	}
	var list []Cookie
	err := e.Do(ctx, e.Alive, "", e.m.limits.call, "reading cookies", func(c proto.Client) error {
		got, err := cdp.Call(c, proto.StorageGetCookies{BrowserContextID: id})
		if err != nil {
			return err
		}
		for _, k := range got.Cookies {
			list = append(list, cookieOf(k))
		}
		return nil
	})
	return list, err
}

func cookieOf(k *proto.NetworkCookie) Cookie {
	c := Cookie{
		Name:     k.Name,
		Value:    k.Value,
		Domain:   k.Domain,
		Path:     k.Path,
		Secure:   k.Secure,
		HTTPOnly: k.HTTPOnly,
		SameSite: string(k.SameSite),
	}
	if !k.Session && k.Expires > 0 {
		c.Expires = time.UnixMilli(int64(float64(k.Expires) * 1000))
	}
	return c
}
