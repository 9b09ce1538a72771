package browser

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
)

// pngOf returns a PNG of one color.
func pngOf(t testing.TB, side int, c color.Color) []byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		picture.Set(i%side, i/side, c)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// iconColor returns the color in the middle of an icon.
func iconColor(t testing.TB, icon string) color.Color {
	t.Helper()
	code, ok := strings.CutPrefix(icon, pngAddress)
	data, err := base64.StdEncoding.DecodeString(code)
	picture, decodeErr := png.Decode(bytes.NewReader(data))
	if !ok || err != nil || decodeErr != nil {
		t.Fatalf("the icon is %.80q: %v, %v", icon, err, decodeErr)
	}
	if size := picture.Bounds().Size(); size.X != maxIconSide || size.Y != maxIconSide {
		t.Errorf("the icon has the size %v", size)
	}
	return color.RGBAModel.Convert(picture.At(maxIconSide/2, maxIconSide/2))
}

// startIconSite serves a red icon at the usual place, a green one, a drawing in blue, and pages that name an icon:
// /page?icon=ADDRESS.
func startIconSite(t testing.TB) (site string) {
	t.Helper()
	mux := http.NewServeMux()
	serve := func(path, kind string, data []byte, allowed bool) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			if allowed {
				w.Header().Set("Access-Control-Allow-Origin", "*")
			}
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(data)
		})
	}
	serve("/favicon.ico", "image/png", pngOf(t, 16, red), false)
	serve("/green.png", "image/png", pngOf(t, 200, green), true)
	serve("/blue.svg", "image/svg+xml", []byte(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="blue"/></svg>`), false)
	serve("/broken.png", "image/png", []byte("\x89PNG\r\n\x1a\n and no more"), true)
	mux.HandleFunc("/locked.png", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="The vault"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if policy := r.FormValue("policy"); policy != "" {
			w.Header().Set("Content-Security-Policy", policy)
		}
		link := ""
		if at := r.FormValue("icon"); at != "" {
			link = fmt.Sprintf("<link rel='shortcut icon' href='%s'>", at)
		}
		_, _ = fmt.Fprintf(w, "<!doctype html><title>%s</title>%s<p>page", r.FormValue("title"), link)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestIcon_PageOfTheUser_IsDrawnSmall(t *testing.T) {
	b := newOwnFixture(t)
	site := startIconSite(t)
	other := startIconSite(t)
	p := b.openOwn("b1", site+"/page?title=usual")
	icon := func(what string, want color.Color) {
		t.Helper()
		b.until(p, what, func(i pane.Info) bool { return i.Icon != "" && iconColor(t, i.Icon) == want })
	}
	icon("red", red)
	open := func(query string) {
		t.Helper()
		b.ok(p.Navigation.Navigate(b.ctx, site+"/page?"+query))
	}
	open("icon=/blue.svg")
	icon("blue", blue)
	open("icon=" + other + "/green.png")
	icon("green", green)
	b.eval(p, "document.querySelector('link').href = '/blue.svg'")
	icon("blue, as the page changed it", blue)
	if saved := p.Save(b.ctx); saved.Icon != p.State.Info().Icon {
		t.Errorf("the icon was not saved: %+v", saved)
	}
	b.ok(p.Navigation.Navigate(b.ctx, b.url("one.html"))) // another site, without an icon
	if got := p.State.Info().Icon; got != "" {
		t.Errorf("another site has the icon %.60q", got)
	}
}

func TestIcon_NotReadable_IsNotShown(t *testing.T) {
	b := newOwnFixture(t)
	site := startIconSite(t)
	other := startIconSite(t)
	unproven := httptest.NewTLSServer(http.NotFoundHandler())
	unproven.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(unproven.Close)
	p := b.openOwn("b1", site+"/page")
	for what, query := range map[string]string{
		"a broken picture":                      "icon=/broken.png",
		"a missing picture":                     "icon=/missing.png",
		"another site that does not allow it":   "icon=" + other + "/blue.svg",
		"another site without a certificate":    "icon=" + unproven.URL + "/green.png",
		"a picture that needs a login":          "icon=/locked.png",
		"the page's policy forbids pictures":    "policy=" + url.QueryEscape("img-src 'none'") + "&icon=/green.png",
		"no picture at all, but a page":         "icon=/page",
		"an address that no picture comes from": "icon=" + url.QueryEscape("data:text/html,<script>alert(1)</script>"),
	} {
		b.ok(p.Navigation.Navigate(b.ctx, site+"/page"))
		b.until(p, "red", func(i pane.Info) bool { return i.Icon != "" && iconColor(t, i.Icon) == red })
		b.ok(p.Navigation.Navigate(b.ctx, site+"/page?"+query))
		b.until(p, "without an icon: "+what, func(i pane.Info) bool { return i.Icon == "" })
		if asked := p.State.overlayNow().Questions; len(asked) > 0 {
			t.Errorf("%s: the user is asked %+v", what, asked)
		}
	}
}

// TestIcon_PageOfAGoal_IsNotLoaded counts no requests: Chromium asks for the icon itself, about a second later.
func TestIcon_PageOfAGoal_IsNotLoaded(t *testing.T) {
	b := newOwnFixture(t)
	site := startIconSite(t)
	p, err := b.Open(b.ctx, Options{ID: "b1", URL: site + "/page?icon=/green.png", GoalID: "g1"})
	b.ok(err)
	b.until(p, "loaded", func(i pane.Info) bool { return !i.Loading })
	b.eval(p, "1") // what the page reported has been handled
	p.State.mu.Lock()
	defer p.State.mu.Unlock()
	if p.State.iconAddress != "" || p.State.info.Icon != "" {
		t.Errorf("the icon %q was loaded: %.60q", p.State.iconAddress, p.State.info.Icon)
	}
}

func TestCleanIcon_Forged_IsRefused(t *testing.T) {
	encode := func(data []byte) string { return pngAddress + base64.StdEncoding.EncodeToString(data) }
	good := pngOf(t, maxIconSide, red)
	if iconColor(t, cleanIcon(encode(good))) != red {
		t.Error("a good icon was refused")
	}
	if got := cleanIcon(encode(append(good, make([]byte, 600)...))); len(got) > 600 {
		t.Errorf("what follows the picture was kept: %s", got)
	}
	for what, forged := range map[string]string{
		"a script":        "data:text/html,<script>",
		"a drawing":       "data:image/svg+xml;base64,PHN2Zy8+",
		"no PNG":          encode([]byte("GIF89a")),
		"a cut PNG":       encode(good[:len(good)/2]),
		"a large picture": encode(pngOf(t, maxIconSide+1, red)),
		"not base64":      pngAddress + "!",
		"too long":        pngAddress + strings.Repeat("A", 1<<20),
	} {
		if got := cleanIcon(forged); got != "" {
			t.Errorf("%s: %.60q", what, got)
		}
	}
}
