package browser

import (
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/waittest"
)

// openOwn opens a page of the user with a profile.
func (fi *fixture) openOwn(id, page string) *Pane {
	fi.Helper()
	p, err := fi.Open(fi.ctx, Options{ID: id, URL: fi.url(page), Profile: "default", Width: 800, Height: 600})
	fi.ok(err)
	fi.until(p, "loaded", func(i pane.Info) bool { return !i.Loading && i.Title != "" })
	return p
}

// gesture evaluates a script in the page as if the user had caused it, and waits for its promise.
func (fi *fixture) gesture(p *Pane, script string) {
	fi.Helper()
	pg, err := p.State.currentPage()
	fi.ok(err)
	fi.ok(pg.send(fi.ctx, patience, "evaluating", proto.RuntimeEvaluate{
		Expression: script, UserGesture: true, AwaitPromise: true,
	}))
}

func TestDiscardIdle_UnseenPage_ReturnsWhereItWas(t *testing.T) {
	b := newOwnFixture(t)
	p := b.openOwn("b1", "big.html")
	b.eval(p, "scrollTo(0, 300)")
	b.DiscardIdle(b.ctx, 0)
	info := p.State.Info()
	if !info.Asleep || info.Running || info.URL != b.url("big.html") {
		t.Fatalf("after it was discarded: %+v", info)
	}
	if saved := p.Save(b.ctx); saved.Y != 300 {
		t.Errorf("saved %+v", saved)
	}
	v := p.Attach()
	defer v.Close()
	b.until(p, "awake", func(i pane.Info) bool { return !i.Asleep && i.Running && !i.Loading })
	if !waittest.Reached(b.ctx, patience, func() bool { return b.eval(p, "scrollY") == "300" }) {
		t.Errorf("scrolled to %s", b.eval(p, "scrollY"))
	}
	b.DiscardIdle(b.ctx, 0)
	if p.State.Info().Asleep {
		t.Error("a page that is looked at was discarded")
	}
	v.SetVisible(false)
	b.DiscardIdle(b.ctx, 0)
	if !p.State.Info().Asleep {
		t.Error("a page in the background was not discarded")
	}
	v.SetVisible(true)
	b.until(p, "awake again", func(i pane.Info) bool { return !i.Asleep && i.Running })
}

func TestDiscardIdle_PageThatWouldLoseSomething_Stays(t *testing.T) {
	b := newOwnFixture(t)
	const tone = `(async () => {
		const rate = 8000, bytes = new DataView(new ArrayBuffer(44 + rate));
		const text = (at, s) => [...s].forEach((c, i) => bytes.setUint8(at + i, c.charCodeAt(0)));
		text(0, "RIFF"), bytes.setUint32(4, 36 + rate, true), text(8, "WAVEfmt "), bytes.setUint32(16, 16, true);
		bytes.setUint16(20, 1, true), bytes.setUint16(22, 1, true), bytes.setUint32(24, rate, true);
		bytes.setUint32(28, rate, true), bytes.setUint16(32, 1, true), bytes.setUint16(34, 8, true);
		text(36, "data"), bytes.setUint32(40, rate, true);
		window.sound = new Audio(URL.createObjectURL(new Blob([bytes], { type: "audio/wav" })));
		sound.loop = true, sound.muted = true;
		await sound.play();
	})()`
	for _, busy := range []struct {
		what, page string
		act        func(*Pane)
		stop       func(*Pane)
	}{
		{
			"plays an audio element", "two.html",
			func(p *Pane) { b.gesture(p, tone) },
			func(p *Pane) { b.gesture(p, "sound.pause()") },
		},
		{
			"plays an audio context", "two.html",
			func(p *Pane) { b.gesture(p, "window.audio = new AudioContext(), audio.resume()") },
			func(p *Pane) { b.gesture(p, "audio.close()") },
		},
		{
			"has a field that the user filled in", "form.html",
			func(p *Pane) {
				b.eval(p, `document.querySelector("input").focus()`)
				pg, err := p.State.currentPage()
				b.ok(err)
				b.ok(pg.send(b.ctx, patience, "typing", proto.InputInsertText{Text: "x"}))
				b.eval(p, "1") // the report has been handled
			},
			func(p *Pane) { b.ok(p.Navigation.Navigate(b.ctx, b.url("two.html"))) },
		},
	} {
		p := b.openOwn("b1", busy.page)
		busy.act(p)
		b.DiscardIdle(b.ctx, 0)
		if p.State.Info().Asleep {
			t.Errorf("a page that %s was discarded", busy.what)
		}
		busy.stop(p)
		// Chromium reports what happened to a player half a second late.
		if !waittest.Reached(b.ctx, patience, func() bool {
			b.DiscardIdle(b.ctx, 0)
			return p.State.Info().Asleep
		}) {
			t.Errorf("a page that no longer %s was not discarded", busy.what)
		}
		b.ok(b.ClosePane(b.ctx, "b1"))
	}
	private := b.open("b2", "two.html")
	b.DiscardIdle(b.ctx, 0)
	if private.State.Info().Asleep {
		t.Error("a private page was discarded, and its cookies with it")
	}
}

func TestPin_PageOfTheUser_IsSavedWithIt(t *testing.T) {
	b := newOwnFixture(t)
	p := b.openOwn("b1", "one.html")
	b.ok(p.State.Pin(true))
	saved := p.Save(b.ctx)
	b.ok(b.ClosePane(b.ctx, "b1"))
	again, err := b.OpenAsleep(saved)
	b.ok(err)
	if info := again.State.Info(); !info.Pinned || !info.Asleep {
		t.Errorf("after a restart: %+v", info)
	}
	b.ok(again.State.Pin(false))
	if again.Save(b.ctx).Pinned {
		t.Error("a page that sleeps stays pinned")
	}
	private, err := b.Open(b.ctx, Options{ID: "b2", URL: b.url("one.html")})
	b.ok(err)
	if private.State.Pin(true) == nil || private.State.Info().Pinned {
		t.Error("a private page was pinned")
	}
}

func TestDiscardIdle_PageWithHistory_GoesBackAndForward(t *testing.T) {
	b := newOwnFixture(t)
	p := b.openOwn("b1", "one.html")
	for _, page := range []string{"two.html", "big.html"} {
		b.ok(p.Navigation.Navigate(b.ctx, b.url(page)))
	}
	b.ok(p.Navigation.Back(b.ctx))
	at := func(page string, back, forward bool) {
		t.Helper()
		b.until(p, "at "+page, func(i pane.Info) bool {
			return i.URL == b.url(page) && !i.Loading && i.CanBack == back && i.CanFwd == forward
		})
	}
	at("two.html", true, true)
	b.DiscardIdle(b.ctx, 0)
	// It is closed and opened again, too.
	saved := p.Save(b.ctx)
	b.ok(b.ClosePane(b.ctx, "b1"))
	var err error
	p, err = b.OpenAsleep(saved)
	b.ok(err)
	v := p.Attach()
	defer v.Close()
	at("two.html", true, true)
	b.ok(p.Navigation.Forward(b.ctx))
	at("big.html", true, false)
	b.ok(p.Navigation.Back(b.ctx))
	at("two.html", true, true)
	b.ok(p.Navigation.Back(b.ctx))
	at("one.html", false, true)
	if err := p.Navigation.Back(b.ctx); err == nil {
		t.Error("there was a page before the first one")
	}
	b.ok(p.Navigation.Forward(b.ctx))
	at("two.html", true, true)
	b.ok(p.Navigation.Navigate(b.ctx, b.url("form.html")))
	at("form.html", true, false)
	b.ok(p.Navigation.Back(b.ctx))
	at("two.html", true, true)
}

func TestRead_PageThatSleeps_IsWoken(t *testing.T) {
	b := newOwnFixture(t)
	p := b.openOwn("b1", "two.html")
	b.DiscardIdle(b.ctx, 0)
	if !p.State.Info().Asleep {
		t.Fatal("the page does not sleep")
	}
	read, err := p.Reader.Read(b.ctx, pane.ReadOptions{})
	b.ok(err)
	if !strings.Contains(read.Text, "Page two") || p.State.Info().Asleep {
		t.Errorf("it reads %q", read.Text)
	}
}
