package browser

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/pane"
)

var measured = flag.Bool("measured", false, "take orders from e2e/bench/snapshot.mjs")

// TestBench_Commands_AreAnswered is driven by e2e/bench/snapshot.mjs: it reads one command per line and writes one
// answer per line. It is skipped in a normal run.
func TestBench_Commands_AreAnswered(t *testing.T) {
	if !*measured {
		t.Skip("only e2e/bench/snapshot.mjs wants it")
	}
	b := newFixture(t)
	p, agent := leased(b, "b1", "about:blank")
	p.Viewport.set(pane.Size{Width: 1280, Height: 800})
	orders, answers := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for orders.Scan() {
		var order struct {
			Open  string
			Look  bool
			Parts bool
			Click int
		}
		if err := json.Unmarshal(orders.Bytes(), &order); err != nil {
			t.Fatal(err)
		}
		answer := map[string]any{}
		switch {
		case order.Open != "":
			b.ok(p.Navigation.Navigate(agent, order.Open))
		case order.Look:
			began := time.Now()
			s, err := p.Reader.SnapshotPart(agent, pane.SnapshotOptions{})
			answer["ms"] = float64(time.Since(began).Microseconds()) / 1000
			b.ok(err)
			text := s.Text
			for s.Next > 0 { // everything that a model could read
				s, err = p.Reader.SnapshotPart(agent, pane.SnapshotOptions{From: s.Next})
				b.ok(err)
				text += s.Text
			}
			answer["text"] = text
		case order.Parts:
			answer["parts"] = measureParts(b, p)
		case order.Click > 0:
			answer["times"] = clicks(b, p, order.Click)
		}
		if err := answers.Encode(answer); err != nil {
			t.Fatal(err)
		}
	}
}

// measureParts measures, one after the other, the requests that a snapshot sends to the page at once: medians in ms.
func measureParts(b *fixture, p *Pane) map[string]float64 {
	const times = 25
	world := p.State.page.worlds.Page.Load()
	if world == nil {
		b.Fatal("nothing has looked at the page yet")
	}
	medians := map[string]float64{}
	for name, ask := range map[string]func() error{
		"way": func() error {
			_, err := p.State.page.evaluateJSON(b.ctx, p.State.page.callLimit(), world.Evaluate("1"))
			return err
		},
		"script": func() error {
			var v pageView
			return p.State.page.callScript(b.ctx, &v, "takeSnapshot")
		},
		"listeners": func() error {
			p.State.page.findListeners(b.ctx)
			return nil
		},
		"html": func() error {
			_, err := p.State.page.countWrittenRoots(b.ctx)
			return err
		},
	} {
		var took []float64
		for range times {
			began := time.Now()
			b.ok(ask())
			took = append(took, float64(time.Since(began).Microseconds())/1000)
		}
		slices.Sort(took)
		medians[name] = took[times/2]
	}
	return medians
}

// clicks clicks the first buttons by their refs, one after the other, and returns the times in
// ms.
func clicks(b *fixture, p *Pane, n int) []float64 {
	agent := b.agent("g1")
	b.eval(p, "addEventListener('submit', (e) => e.preventDefault()); 1")
	s, err := p.Reader.SnapshotPart(agent, pane.SnapshotOptions{})
	b.ok(err)
	var refs []string
	for line := range strings.Lines(s.Text) {
		if m := regexp.MustCompile(`^ *(e\d+) button`).FindStringSubmatch(line); m != nil && len(refs) < 20 {
			refs = append(refs, m[1])
		}
	}
	var times []float64
	for i := range n {
		began := time.Now()
		_, err := p.Mouse.Click(agent, refs[i%len(refs)])
		b.ok(err)
		times = append(times, float64(time.Since(began).Microseconds())/1000)
	}
	return times
}

// BenchmarkPicture takes a picture of a page of 6,000 elements: without secrets, with one that
// the page does not show, and with one that it does.
func BenchmarkPicture(b *testing.B) {
	secrets := &hills{}
	w := newFixture(b, func(c *Config) { c.Secrets = secrets })
	p := w.open("b1", "big.html")
	for _, c := range []struct {
		name     string
		ignorant bool
		text     string
	}{{"none", true, ""}, {"known", false, ""}, {"shown", false, "over-the-hills"}} {
		b.Run(c.name, func(b *testing.B) {
			secrets.ignorant = c.ignorant
			w.eval(p, `document.querySelector('td, p, a, button').textContent = "`+c.text+`"`)
			for b.Loop() {
				_, err := p.Pictures.Screenshot(w.ctx, false)
				w.ok(err)
			}
		})
	}
}
