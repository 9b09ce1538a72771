package browser

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"image/color"
	"log/slog"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/lib/waittest"
	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/chromium"
)

// BenchmarkSnapshot reads a page of about 6,000 elements, one of 10,000 and a form.
func BenchmarkSnapshot(b *testing.B) {
	w := newFixture(b)
	for _, c := range []struct{ name, page, alter string }{
		{"big", "big.html", "1"},
		{"10000", "big.html", "t.append(...[...Array(415)].map((_, i) => t.rows[i].cloneNode(true))), 1"},
		{"form", "form.html", "1"},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := w.open(c.name, c.page)
			w.eval(p, c.alter)
			w.look(p)
			for b.Loop() {
				w.look(p)
			}
			w.ok(w.ClosePane(w.ctx, p.State.id))
		})
	}
}

// BenchmarkClickToFrame measures the time from a user's press of the mouse until the frame with
// its effect has arrived.
func BenchmarkClickToFrame(b *testing.B) {
	w := newFixture(b)
	v := w.open("b1", "colour.html").Attach()
	defer v.Close()
	w.frameOf(v, red)
	colours := []color.RGBA{red, blue, green}
	for i := 1; b.Loop(); i++ {
		w.click(v, 400, 300)
		w.frameOf(v, colours[i%3])
	}
}

// BenchmarkClick measures a click of the agent, including the time that the page takes to settle.
func BenchmarkClick(b *testing.B) {
	w := newFixture(b)
	p := w.open("b1", "colour.html")
	for b.Loop() {
		w.act(p.Mouse.Click(w.ctx, "css=body"))
	}
}

// BenchmarkFrame measures how long a picture of 200 KB takes from Chromium's pipe to a viewer, and its acknowledgement
// back. cpu-ms/op is the processor time of all of this. It includes writing into the pipe, which Chromium does in a
// real run.
func BenchmarkFrame(b *testing.B) {
	outR, outW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	m := New(Config{Dir: b.TempDir()})
	p := newPane(m, Options{ID: "b1"})
	c := cdp.Open(outR, inW, slog.New(slog.DiscardHandler), m.onEvent, m.onFrame)
	pg := &page{process: &browserProcess{Browser: &chromium.Browser{Conn: c}, m: m}, session: "S", refs: &p.frames.refs}
	pg.alive, pg.end = context.WithCancelCause(c.Alive)
	p.adoptPage(pg)
	p.screencast.SetPage(pg)

	data := base64.StdEncoding.EncodeToString(make([]byte, 200<<10))
	message := []byte(`{"method":"Page.screencastFrame","params":{"data":"` + data +
		`","metadata":{"deviceWidth":1280,"deviceHeight":800},"sessionId":7},"sessionId":"S"}` + "\x00")
	answered := make(chan struct{})
	go func() { // every message of ours, such as an acknowledgement, releases the next frame
		defer close(answered)
		in := bufio.NewReader(inR)
		for {
			if _, err := in.ReadBytes(0); err != nil {
				return
			}
			if _, err := outW.Write(message); err != nil {
				return
			}
		}
	}()
	v := p.Attach()
	b.SetBytes(200 << 10)
	began := processorTime(b)
	for b.Loop() {
		for {
			news, err := v.Next(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			if news.Frame != nil {
				v.Ack(news.Frame.N)
				break
			}
		}
	}
	b.ReportMetric(float64(processorTime(b)-began)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
	p.screencast.Close()
	for _, f := range []*os.File{inR, inW, outW, outR} {
		_ = f.Close()
	}
	<-answered
	c.WaitIdle()
	m.mu.Lock()
	delete(m.sessions, "S")
	m.mu.Unlock()
	p.State.change(func() { p.State.page = nil })
	if err := errors.Join(p.close(context.Background()), m.Close(context.Background())); err != nil {
		b.Fatal(err)
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkAnimation measures what an animated page of a goal costs, in percent of a processor, while a call of its
// agent runs and while nobody needs it; and a click of the agent after such a rest.
func BenchmarkAnimation(b *testing.B) {
	w := newFixture(b)
	p, agent := leased(w, "b1", "one.html")
	w.eval(p, animated)
	rest := func() {
		waittest.Until(b, "a page at rest", func() bool { return w.state(p) == proto.BrowserWindowStateMinimized })
	}
	cost := func(b *testing.B) {
		const span = 4 * time.Second
		used, began := w.chromiumTime(p), time.Now()
		time.Sleep(span)
		b.ReportMetric(100*(w.chromiumTime(p)-used)/time.Since(began).Seconds(), "%cpu")
	}
	b.Run("used", func(b *testing.B) {
		defer p.screencast.Use()()
		for b.Loop() {
			cost(b)
		}
	})
	b.Run("unseen", func(b *testing.B) {
		rest()
		for b.Loop() {
			cost(b)
		}
	})
	b.Run("click-after-rest", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			rest()
			b.StartTimer()
			w.act(p.Mouse.Click(agent, "css=body"))
		}
	})
	b.Run("click", func(b *testing.B) {
		defer p.screencast.Use()()
		for b.Loop() {
			w.act(p.Mouse.Click(agent, "css=body"))
		}
	})
}

// chromiumTime returns the processor time that the processes of a pane's Chromium have used, in seconds.
func (fi *fixture) chromiumTime(p *Pane) (seconds float64) {
	fi.Helper()
	pg, err := p.State.currentPage()
	fi.ok(err)
	fi.ok(pg.process.Do(fi.ctx, pg.alive, "", patience, "asking for the processes", func(c proto.Client) error {
		found, err := cdp.Call(c, proto.SystemInfoGetProcessInfo{})
		if err != nil {
			return err
		}
		for _, one := range found.ProcessInfo {
			seconds += one.CPUTime
		}
		return nil
	}))
	return seconds
}
