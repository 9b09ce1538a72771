package browser

import (
	"bytes"
	"context"
	"image/color"
	"image/jpeg"
	"strconv"
	"sync"
	"testing"
)

// wide waits for a picture of this width with a color in its middle.
func (fi *fixture) wide(v *Viewer, pixels int, want color.RGBA) {
	fi.Helper()
	for {
		f := fi.frame(v)
		c, err := jpeg.DecodeConfig(bytes.NewReader(f.JPEG))
		fi.ok(err)
		if f.Width == 500 && f.Height == 320 && c.Width == pixels && near(middle(fi, f), want) {
			return
		}
	}
}

func TestScreencast_HiDPIViewer_GetsHiDPIPicture(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "colour.html")
	fine, plain := p.Attach(), p.Attach()
	defer fine.Close()
	defer plain.Close()
	fine.Resize(500, 320, 2, false)
	b.wide(fine, 1000, red)
	b.wide(plain, 500, red)
	b.click(fine, 50, 50)
	b.wide(plain, 500, blue)
	b.wide(fine, 1000, blue)
	shot, err := p.Pictures.Screenshot(b.ctx, false)
	b.ok(err)
	if c, err := jpeg.DecodeConfig(bytes.NewReader(shot)); err != nil || c.Width != 500 {
		t.Errorf("a picture for the agent is %d wide: %v", c.Width, err)
	}
	b.click(fine, 50, 50)
	b.wide(fine, 1000, green) // the viewer's picture has the same resolution as before
}

// TestClick_DuringHiDPIPicture_HitsTarget: a click hits its target although Chromium enlarges the
// page for such a picture.
func TestClick_DuringHiDPIPicture_HitsTarget(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "fine.html")
	v := p.Attach()
	defer v.Close()
	v.Resize(500, 320, 2, false)
	b.value(p, "devicePixelRatio", `"2"`)
	b.eval(p, `seen = [];
		for (const k of ["mousedown", "mouseup"]) addEventListener(k, (e) => seen.push(k + e.clientX + "," + e.clientY))`)
	pg, err := p.State.currentPage()
	b.ok(err)
	shooting, stop := context.WithCancel(b.ctx)
	var done sync.WaitGroup
	done.Go(func() {
		for shooting.Err() == nil {
			_, _ = p.Pictures.captureHiDPI(pg)
		}
	})
	defer done.Wait()
	defer stop()
	for i := 1; i <= 10; i++ {
		b.click(v, 60, 35)
		b.value(p, "seen.length", strconv.Quote(strconv.Itoa(2*i)))
	}
	b.value(p, "[...new Set(seen)].join()", `"mousedown60,35,mouseup60,35"`)
}

// TestFrameSize_InScreenPixels_IsConverted: a frame whose size is in screen pixels is reported with the page's own
// size, because positions of the user's mouse are scaled by it.
func TestFrameSize_InScreenPixels_IsConverted(t *testing.T) {
	v := &Viewport{width: 1138, height: 654, ratio: 2}
	for _, c := range [][4]int{
		{2276, 1308, 1138, 654},
		{1138, 654, 1138, 654},
		{1360, 755, 1360, 755},
		{2276, 654, 2276, 654},
	} {
		if w, h := v.toCSSSize(c[0], c[1]); w != c[2] || h != c[3] {
			t.Errorf("%dx%d is %dx%d, want %dx%d", c[0], c[1], w, h, c[2], c[3])
		}
	}
}
