package browser

import (
	"context"
	"errors"
	"image/color"
	"strconv"
	"testing"
	"time"

	"goalpost/backend/domain/pane"
)

// staleAfter is how old the newest frame may get while a viewer is busy.
const staleAfter = 200 * time.Millisecond

var (
	red   = color.RGBA{255, 0, 0, 255}
	blue  = color.RGBA{0, 0, 255, 255}
	green = color.RGBA{0, 160, 0, 255}
)

func TestScreencast_AfterClick_SendsNewFrame(t *testing.T) {
	b := newFixture(t)
	v := b.open("b1", "colour.html").Attach()
	defer v.Close()
	f := b.frameOf(v, red)
	if f.Width != 800 || f.Height != 600 {
		t.Errorf("frame of %dx%d", f.Width, f.Height)
	}
	b.click(v, 400, 300)
	if g := b.frameOf(v, blue); g.N <= f.N {
		t.Errorf("frame %d after frame %d", g.N, f.N)
	}
}

// TestPageSize_SeveralViewers_FollowsTheKeyboard: what the page itself reports. Neither a hidden viewer nor one that
// only looks changes it, and a goal's page keeps its size for all of them.
func TestPageSize_SeveralViewers_FollowsTheKeyboard(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "colour.html")
	is := func(p *Pane, size string) {
		t.Helper()
		b.value(p, "innerWidth+'x'+innerHeight", strconv.Quote(size))
	}
	wide, small, phone := p.Attach(), p.Attach(), p.Attach()
	defer wide.Close()
	defer phone.Close()
	wide.Resize(900, 500, 1, false)
	b.sized(wide, 900, 500)
	small.SetVisible(false)
	small.Resize(400, 300, 1, false)
	phone.Resize(390, 700, 3, true)
	phone.GiveKeyboard()
	is(p, "900x500")
	small.SetVisible(true)
	is(p, "900x500")
	small.GiveKeyboard()
	b.sized(wide, 400, 300)
	small.SetVisible(false)
	b.sized(wide, 900, 500)
	small.SetVisible(true)
	b.sized(wide, 400, 300)
	wide.GiveKeyboard()
	b.sized(wide, 900, 500)
	small.GiveKeyboard()
	small.Close()
	is(p, "900x500")

	g, _ := leased(b, "b2", "colour.html")
	v := g.Attach()
	defer v.Close()
	v.Resize(486, 132, 2, false)
	v.GiveKeyboard()
	b.frameOf(v, red)
	is(g, "800x600")
}

// sized waits for a picture of this size in CSS pixels.
func (fi *fixture) sized(v *Viewer, width, height int) {
	fi.Helper()
	for f := fi.frame(v); f.Width != width || f.Height != height; f = fi.frame(v) {
	}
}

func TestScreencast_PaneResized_SendsThatSize(t *testing.T) {
	b := newFixture(t)
	v := b.open("b1", "colour.html").Attach()
	defer v.Close()
	b.frameOf(v, red)
	v.Resize(500, 320, 1, false)
	for f := b.frame(v); f.Width != 500 || f.Height != 320; {
		f = b.frame(v)
	}
}

func TestSecondViewer_StaticPage_GetsFrame(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "colour.html")
	one := p.Attach()
	defer one.Close()
	f := b.frameOf(one, red)
	two := p.Attach()
	defer two.Close()
	if g := b.frame(two); g.N < f.N {
		t.Errorf("the second viewer got frame %d, the first has %d", g.N, f.N)
	}
	one.SetVisible(false)
	two.SetVisible(false)
	one.SetVisible(true)
	b.frameOf(one, red)
}

// TestSlowViewer_GetsNewestFrame: a viewer that does not acknowledge slows the source down. Once it continues, it gets
// the last picture of the page.
func TestSlowViewer_GetsNewestFrame(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "colour.html")
	v := p.Attach()
	defer v.Close()
	b.frameOf(v, red)
	b.click(v, 10, 10)
	var held *pane.Frame
	for held == nil {
		n, err := v.Next(b.ctx)
		f := n.Frame
		b.ok(err)
		held = f
	}
	from := p.screencast.Captured()
	began := time.Now()
	b.eval(p, "burst(60)")
	if n, most := p.screencast.Captured()-from, 4+2*int(time.Since(began)/staleAfter); n > most {
		t.Errorf("%d frames were captured for a viewer that takes none; at most %d", n, most)
	}
	short, cancel := context.WithTimeout(b.ctx, 3*staleAfter)
	defer cancel()
	for {
		n, err := v.Next(short)
		f := n.Frame
		if f != nil {
			t.Fatalf("frame %d came before frame %d was acknowledged", f.N, held.N)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			break
		}
		b.ok(err)
	}
	newest := p.screencast.Captured()
	v.Ack(held.N)
	if f := b.frame(v); int(f.N) < newest {
		t.Errorf("after frame %d came %d, and the newest was %d", held.N, f.N, newest)
	} else if !near(middle(t, f), green) {
		b.frameOf(v, green)
	}
}

func TestBusyViewer_PageChanges_GetsLastFrame(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "colour.html")
	v := p.Attach()
	defer v.Close()
	for range *rounds {
		b.eval(p, "burst(12)")
		b.frameOf(v, green)
		b.eval(p, "document.body.style.background = 'rgb(255,0,0)'")
		b.frameOf(v, red)
	}
}

func TestScreencast_WithoutViewers_IsStopped(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "colour.html")
	b.eval(p, "burst(20)")
	if n := p.screencast.Captured(); n != 0 {
		t.Errorf("%d frames without a viewer", n)
	}
	v := p.Attach()
	b.frameOf(v, green)
	v.Close()
	if _, err := v.Next(b.ctx); !errors.Is(err, ErrClosed) {
		t.Errorf("next on a closed view: %v", err)
	}
	n := p.screencast.Captured()
	b.eval(p, "burst(20)")
	if m := p.screencast.Captured(); m != n {
		t.Errorf("%d frames after the viewer left", m-n)
	}
	w := p.Attach()
	b.ok(b.ClosePane(b.ctx, "b1"))
	for {
		n, err := w.Next(b.ctx)
		info := n.Info
		if errors.Is(err, ErrClosed) {
			break
		}
		if b.ok(err); info != nil && info.ID != "b1" {
			t.Errorf("info %+v", info)
		}
	}
}

// click is a user's click.
func (fi *fixture) click(v *Viewer, x, y float64) {
	fi.Helper()
	fi.ok(v.Input(fi.ctx, pane.Input{Kind: pane.MouseMove, X: x, Y: y}))
	fi.ok(v.Input(fi.ctx, pane.Input{Kind: pane.MouseDown, X: x, Y: y, Button: "left", Buttons: 1, Clicks: 1}))
	fi.ok(v.Input(fi.ctx, pane.Input{Kind: pane.MouseUp, X: x, Y: y, Button: "left", Clicks: 1}))
}
