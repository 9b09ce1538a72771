package browser

import (
	"context"
	"fmt"
	"image/color"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestScreencast_PageChangesProcess_ShowsNewPage: a page changes its process at a navigation, or its navigation is
// cancelled. Afterwards it is shown correctly and takes input. Six rounds have each combination.
func TestScreencast_PageChangesProcess_ShowsNewPage(t *testing.T) {
	b := newFixture(t)
	hold := make(chan struct{})
	defer close(hold)
	site := func(c string) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				select {
				case <-hold:
				case <-r.Context().Done():
				}
				return
			}
			_, _ = fmt.Fprintf(w,
				"<body style='background:%s;height:2000px' onmousedown=\"document.body.style.background='rgb(0,160,0)'\">", c)
		}))
	}
	one, two := site("rgb(255,0,0)"), site("rgb(0,0,255)")
	defer one.Close()
	defer two.Close()
	p := b.open("b1", one.URL)
	v := p.Attach()
	defer v.Close()
	for n := range *rounds {
		at, want := one.URL, red
		if n%2 == 1 {
			at, want = two.URL, blue
		}
		if n%3 == 0 {
			_ = p.Navigation.Navigate(b.ctx, "http://127.0.0.1:1") // no server listens there
		}
		if n%3 == 1 {
			ctx, cancel := context.WithTimeout(b.ctx, 300*time.Millisecond)
			_ = p.Navigation.Navigate(ctx, at+"/slow")
			cancel()
		}
		b.ok(p.Navigation.Navigate(b.ctx, at))
		b.seen(p, v, n, want)
		b.click(v, 50, 50)
		b.seen(p, v, n, green)
	}
}

func (fi *fixture) seen(p *Pane, v *Viewer, n int, want color.RGBA) {
	fi.Helper()
	ctx, cancel := context.WithTimeout(fi.ctx, patience)
	defer cancel()
	var last color.RGBA
	for {
		news, err := v.Next(ctx)
		if err != nil {
			fi.Fatalf("round %d: wanted %v, the last picture is %v: %v; %+v", n, want, last, err, p.State.Info())
		}
		if f := news.Frame; f != nil {
			v.Ack(f.N)
			if last = middle(fi, f); near(last, want) {
				return
			}
		}
	}
}
