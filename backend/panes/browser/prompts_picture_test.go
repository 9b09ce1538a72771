package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
)

// openMenu opens the context menu at a place of the page.
func (fi *fixture) openMenu(p *Pane, v *Viewer, x, y float64) pane.UserPrompt {
	fi.Helper()
	fi.ok(v.Input(fi.ctx, pane.Input{Kind: pane.MouseDown, X: x, Y: y, Button: "right", Buttons: 2, Clicks: 1}))
	fi.ok(v.Input(fi.ctx, pane.Input{Kind: pane.MouseUp, X: x, Y: y, Button: "right", Clicks: 1}))
	return fi.question(p, pane.ContextMenu)
}

func TestCopyPicture_OfEverySource_IsThePictureItself(t *testing.T) {
	b := newFixture(t)
	other := startIconSite(t)
	frame := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, "<!doctype html><body style='margin:0'><img width=800 height=600 src='%s/blue.svg'>", other)
	}))
	t.Cleanup(frame.Close)
	frame.URL = strings.Replace(frame.URL, "127.0.0.1", "localhost", 1)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if policy := r.FormValue("policy"); policy != "" {
			w.Header().Set("Content-Security-Policy", policy)
		}
		_, _ = fmt.Fprintf(w, "<!doctype html><title>p</title><body style='margin:0'>%s", r.FormValue("body"))
	}))
	t.Cleanup(site.Close)
	p := b.open("b1", "one.html")
	v := p.Attach()
	defer v.Close()
	img := func(address string) string { return `<img width=800 height=600 src="` + address + `">` }
	drawing := `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>` +
		`<rect width='9' height='9' fill='blue'/></svg>`
	framed := `<iframe width=800 height=600 style=border:0 src="` + frame.URL + `"></iframe>`
	for what, want := range map[string]struct {
		body, policy string
		color        color.RGBA
		side         int
	}{
		"another site's":               {body: img(other + "/favicon.ico"), color: red, side: 16},
		"another site's, by a policy":  {body: img(other + "/favicon.ico"), policy: "img-src http:", color: red, side: 16},
		"another site's, that allows":  {body: img(other + "/green.png"), color: green, side: 200},
		"a drawing of another site":    {body: img(other + "/blue.svg"), color: blue},
		"in the address":               {body: img(drawing), color: blue, side: 9},
		"in a frame of another site's": {body: framed, color: blue},
	} {
		b.ok(p.Navigation.Navigate(b.ctx, b.url("one.html")))
		b.frameOf(v, color.RGBA{255, 255, 255, 255})
		query := url.Values{"body": {want.body}, "policy": {want.policy}}
		b.ok(p.Navigation.Navigate(b.ctx, site.URL+"/?"+query.Encode()))
		b.frameOf(v, want.color) // what is not drawn yet has no menu
		q := b.openMenu(p, v, 400, 300)
		if q.Image == "" {
			t.Fatalf("%s: the menu knows no picture: %+v", what, q)
		}
		b.answer(p, pane.Answer{ID: q.ID})
		got, err := p.Prompts.CopyPicture(b.ctx)
		b.ok(err)
		picture, err := png.Decode(bytes.NewReader(got))
		b.ok(err)
		size := picture.Bounds()
		if want.side > 0 && size != image.Rect(0, 0, want.side, want.side) {
			t.Errorf("%s: the picture has the size %v", what, size)
		}
		if c := color.RGBAModel.Convert(picture.At(size.Dx()/2, size.Dy()/2)); c != want.color {
			t.Errorf("%s: the picture has the color %v", what, c)
		}
	}
}

func TestCopyPicture_GoneOrNoPicture_SaysSo(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "two.html")
	v := p.Attach()
	defer v.Close()
	if _, err := p.Prompts.CopyPicture(b.ctx); err == nil {
		t.Error("a picture was copied before a menu was opened")
	}
	b.answer(p, pane.Answer{ID: b.openMenu(p, v, 300, 300).ID})
	if _, err := p.Prompts.CopyPicture(b.ctx); err == nil {
		t.Error("a picture was copied where there is none")
	}
	b.ok(p.Navigation.Navigate(b.ctx, b.url("one.html")))
	if got, err := p.Prompts.CopyPicture(b.ctx); err == nil {
		t.Errorf("%d bytes were copied of a page that was left", len(got))
	}
}
