package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/cdp"
)

func TestFind_NextAndPrevious_WrapAround(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "text.html")
	for _, c := range []struct {
		text string
		step int
		want FindResult
	}{
		{"needle", 0, FindResult{1, 4}},
		{"needle", 1, FindResult{2, 4}},
		{"needle", -1, FindResult{1, 4}},
		{"needle", -1, FindResult{4, 4}},
		{"no such", 1, FindResult{}},
	} {
		got, err := p.TextSearch.Find(b.ctx, c.text, c.step)
		b.ok(err)
		if got != c.want {
			t.Errorf("find %q %+d: %+v, want %+v", c.text, c.step, got, c.want)
		}
	}
	if got := b.eval(p, "scrollY > 1000 && CSS.highlights.size === 0"); got != "true" {
		t.Error("the match was not scrolled to")
	}
}

// TestFind_FramesAndFields_AreSearched: matches in all frames and fields are counted, and each one is visible in
// its color when it is the current one.
func TestFind_FramesAndFields_AreSearched(t *testing.T) {
	b := newFixture(t)
	for _, zoom := range []int{100, 150} {
		p := b.open(fmt.Sprintf("zoom%d", zoom), "finding.html")
		b.says(p, "both are here")
		b.ok(p.Viewport.Zoom(b.ctx, zoom))
		places := []string{
			"the text", "an open root", "a closed root", "the middle of a text area", "a field", "a frame",
			"a frame of another site",
		}
		for i, place := range places {
			got, err := p.TextSearch.Find(b.ctx, "NEEDLE", min(i, 1))
			b.ok(err)
			if want := (FindResult{i + 1, len(places)}); got != want {
				t.Errorf("%s, zoom %d: %+v, want %+v", place, zoom, got, want)
			}
			b.marks(p, fmt.Sprintf("%s, zoom %d", place, zoom), true)
		}
		if got, err := p.TextSearch.Find(b.ctx, "needle in a field", 0); err != nil || got != (FindResult{1, 1}) {
			t.Errorf("what is in a field: %+v, %v", got, err)
		}
		b.eval(p, `document.querySelector('[aria-label=Field]').value = 'İ and a needle in a field'`)
		if got, err := p.TextSearch.Find(b.ctx, "needle in a field", 1); err != nil || got != (FindResult{1, 1}) {
			t.Errorf("a field that was written in: %+v, %v", got, err)
		}
		b.marks(p, "a field that was written in", true)
		if _, err := p.TextSearch.Find(b.ctx, "", 0); err != nil {
			t.Errorf("the end of the search: %v", err)
		}
		b.marks(p, "the end of the search", false)
	}
}

// marks waits until one match is visible in its color, or none. A frame of another site draws at
// any time, so this takes pictures until it has.
func (fi *fixture) marks(p *Pane, what string, wanted bool) {
	fi.Helper()
	n := 0
	for began := time.Now(); time.Since(began) < patience; {
		if n = fi.orange(p); wanted && n >= 100 && n < 3000 || !wanted && n == 0 {
			return
		}
	}
	fi.Errorf("%s: %d pixels of the match are to be seen", what, n)
}

// orange counts the pixels in the color of the current match.
func (fi *fixture) orange(p *Pane) (n int) {
	fi.Helper()
	pg, err := p.State.currentPage()
	fi.ok(err)
	var shot []byte
	fi.ok(pg.do(fi.ctx, pg.callLimit(), "a picture", func(c proto.Client) error {
		made, err := cdp.Call(c, proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatPng})
		if err == nil {
			shot = made.Data
		}
		return err
	}))
	picture, err := png.Decode(bytes.NewReader(shot))
	fi.ok(err)
	opaque, ok := picture.(*image.RGBA)
	if !ok {
		fi.Fatalf("the picture is %T", picture)
	}
	for i := 0; i+3 < len(opaque.Pix); i += 4 { // with At this takes seconds under the race detector
		if opaque.Pix[i] == 0xff && opaque.Pix[i+1] == 0x8a && opaque.Pix[i+2] == 0x1f {
			n++
		}
	}
	return n
}

func TestZoom_AfterNavigation_Stays(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "text.html")
	b.ok(p.Viewport.Zoom(b.ctx, 200))
	b.ok(p.Navigation.Navigate(b.ctx, b.url("form.html")))
	if got := b.eval(p, "getComputedStyle(document.documentElement).zoom"); got != `"2"` {
		t.Errorf("zoom %s after a navigation", got)
	}
	has(t, b.act(p.Mouse.Click(b.ctx, "Add")).Changed, "Added line")
	b.ok(p.Viewport.Zoom(b.ctx, 100))
	if got := b.eval(p, "document.documentElement.style.zoom"); got != `""` {
		t.Errorf("zoom %s", got)
	}
}
