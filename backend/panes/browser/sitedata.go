package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// SiteData reads and changes the stored data and the permissions of the page's site.
type SiteData struct {
	state   *State
	driver  *Driver
	prompts *Prompts
	turns   *turns

	mu                sync.Mutex            // guards what follows; never held during a call of another part
	deniedPermissions []permissionDenial    // to the page while it was shared
	certificate       *pane.SiteCertificate // of the page's connection, nil without one
}

// connectionSecurity is the security of the page's connection; rod's type of 2024 lacks some of
// it.
type connectionSecurity struct {
	State struct {
		Certificate *struct {
			Protocol string  `json:"protocol"`
			Subject  string  `json:"subjectName"`
			Issuer   string  `json:"issuer"`
			From     float64 `json:"validFrom"` // seconds since 1970
			To       float64 `json:"validTo"`
			Fault    string  `json:"certificateNetworkError"`
		} `json:"certificateSecurityState"`
	} `json:"visibleSecurityState"`
}

// onSecurity records the security of the page's connection.
func (sd *SiteData) onSecurity(e *cdp.Event) {
	var s connectionSecurity
	if !decodeEvent(e, &s) {
		return
	}
	var certificate *pane.SiteCertificate
	if c := s.State.Certificate; c != nil {
		certificate = &pane.SiteCertificate{
			Subject:  text.SanitizeLine(c.Subject, 200),
			Issuer:   text.SanitizeLine(c.Issuer, 200),
			Protocol: text.SanitizeLine(c.Protocol, 40),
			Fault:    text.SanitizeLine(strings.TrimPrefix(c.Fault, "net::"), 100),
			From:     rfc3339(c.From),
			To:       rfc3339(c.To),
		}
	}
	sd.mu.Lock()
	sd.certificate = certificate
	sd.mu.Unlock()
	sd.state.change(func() {}) // wakes readConnection
}

func rfc3339(seconds float64) string { return time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339) }

// Site returns the origin of the page, its permissions and how many cookies it has.
func (sd *SiteData) Site(ctx context.Context) (pane.Site, error) {
	s := pane.Site{Came: pane.SiteUnknown, Permissions: []pane.SitePermission{}}
	err := sd.state.withPage("asking about the site", func(pg *page) error {
		ctx, cancel := sd.prompts.withoutPrompts(ctx)
		defer cancel(nil)
		address, certificate := sd.readConnection(ctx)
		s.Came = connectionKind(address, certificate)
		if s.Came == pane.SiteUnknown {
			return nil
		}
		s.Origin, s.UserAgent = originOf(address), sd.state.userAgent()
		if s.Came == pane.SiteSecure || s.Came == pane.SiteBadCertificate {
			s.Certificate = certificate
		}
		cookies, err := sd.cookiesAt(ctx, pg, address)
		if err != nil {
			return err
		}
		s.Cookies = len(cookies)
		s.Permissions, err = permissionsOf(ctx, pg)
		return err
	})
	return s, err
}

// readConnection returns the page's address with its certificate, which Chromium reports a little
// after the address.
func (sd *SiteData) readConnection(ctx context.Context) (address string, c *pane.SiteCertificate) {
	ctx, cancel := context.WithTimeout(ctx, sd.state.m.limits.certificate)
	defer cancel()
	_ = sd.state.wait(ctx, func() bool {
		sd.mu.Lock()
		defer sd.mu.Unlock()
		address, c = sd.state.info.URL, sd.certificate
		return c != nil || !strings.HasPrefix(address, "https:")
	})
	return address, c
}

func connectionKind(address string, c *pane.SiteCertificate) pane.SiteConnection {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "":
		return pane.SiteUnknown
	case u.Scheme == "https" && c != nil && c.Fault == "":
		return pane.SiteSecure
	case u.Scheme == "https":
		return pane.SiteBadCertificate
	case isLoopbackName(u.Hostname()):
		return pane.SiteLocal
	}
	return pane.SitePlaintext
}

func (sd *SiteData) cookiesAt(ctx context.Context, pg *page, address string) (list []*proto.NetworkCookie, err error) {
	err = pg.do(ctx, pg.callLimit(), "listing the cookies", func(c proto.Client) error {
		got, err := cdp.Call(c, proto.NetworkGetCookies{Urls: []string{address}})
		if err == nil {
			list = got.Cookies
		}
		return err
	})
	return list, err
}

// ClearSite deletes the cookies and all other data of the page's origin, which must be the given
// one. The page itself keeps its memory until it is reloaded.
func (sd *SiteData) ClearSite(ctx context.Context, origin string) error {
	if err := sd.checkOrigin(ctx, origin); err != nil {
		return fmt.Errorf("clearing the site: %w", err)
	}
	return sd.state.withPage("clearing the site", func(pg *page) error {
		ctx, cancel := sd.prompts.withoutPrompts(ctx)
		defer cancel(nil)
		cookies, err := sd.cookiesAt(ctx, pg, sd.state.Info().URL)
		if err != nil {
			return err
		}
		if world, err := pg.userPromptsContext(ctx); err == nil { // the next command does not clear this
			_, _ = evaluate(ctx, pg, world, "sessionStorage.clear()")
		}
		return pg.do(ctx, pg.callLimit(), "clearing the site", func(c proto.Client) error {
			for _, k := range cookies {
				if err := cdp.CallNoResult(c, proto.NetworkDeleteCookies{
					Name:   k.Name,
					Domain: k.Domain,
					Path:   k.Path,
				}); err != nil {
					return err
				}
			}
			return cdp.CallNoResult(c, proto.StorageClearDataForOrigin{Origin: origin, StorageTypes: "all"})
		})
	})
}

// checkOrigin refuses a call that is meant for another page than the current one, or whose caller
// does not drive the pane.
func (sd *SiteData) checkOrigin(ctx context.Context, origin string) error {
	if err := sd.driver.checkDriver(ctx); err != nil {
		return err
	}
	if now := originOf(sd.state.Info().URL); connectionKind(sd.state.Info().URL, nil) == pane.SiteUnknown ||
		now != origin {
		return errors.New("the page has left this site: open the details of the current site")
	}
	return nil
}
