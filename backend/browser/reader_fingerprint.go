package browser

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
)

// refPattern matches the ref before a line of the page; it changes with a reload.
var refPattern = regexp.MustCompile(`^\s*e\d+ `)

// Fingerprint is the page as text for comparisons: it is the same as long as the page has the
// same content, wherever it is scrolled to. It neither answers nor closes prompts.
func (rd *reader) Fingerprint(ctx context.Context) (string, error) {
	var seen pageView
	err := rd.turns.withDialogTurn(ctx, "looking at the page", func(ctx context.Context, pg *page) (err error) {
		seen, err = rd.readPage(ctx, pg)
		return err
	})
	lines := slices.Concat(seen.Here, seen.There)
	for i, line := range lines {
		lines[i] = refPattern.ReplaceAllString(line, "")
	}
	slices.Sort(lines)
	return seen.Title + "\n" + strings.Join(lines, "\n"), err
}

// Cookies returns those of a goal's pages, none if it has no page yet.
func (m *Manager) Cookies(ctx context.Context, goalID string) ([]Cookie, error) {
	e := m.findEngine(goalEngine)
	if goalID == "" || e == nil || e.Alive.Err() != nil {
		return nil, nil
	}
	id := e.existingContext(goalID)
	if id == "" {
		return nil, nil // the default context is the user's
	}
	var list []Cookie
	err := e.Do(ctx, e.Alive, "", callLimit, "reading cookies", func(c proto.Client) error {
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

// IsShareableURL reports whether another user who opens the address may see the same.
func IsShareableURL(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}
