package browser

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

// TestSnapshot_PageChangesProcess_IsOfOneDocument: during calls a page moves to another process, in which Chromium
// numbers worlds from 1 again. A call for the script of the previous document must not reach a page's own world.
func TestSnapshot_PageChangesProcess_IsOfOneDocument(t *testing.T) {
	b := newOwnFixture(t)
	frames := `<h1>Elsewhere</h1>` + strings.Repeat(`<iframe srcdoc="<p>within"></iframe>`, 12)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(frames))
	}))
	defer server.Close()
	p := b.open("b1", "one.html")
	b.look(p)
	pg, err := p.State.currentPage()
	b.ok(err)
	before := pg.worlds.Page.Load()
	b.ok(p.Navigation.Navigate(b.ctx, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)))
	if _, err := pg.evaluateJSON(b.ctx, pg.callLimit(),
		proto.RuntimeEvaluate{Expression: "1", ContextID: before.ID}); err != nil {
		t.Fatalf("no world has that id by now: %v", err)
	}
	pg.worlds.Page.Store(before)
	has(t, b.look(p).Text, `heading "Elsewhere"`, "within")
	if n := b.eval(p, `String([self, ...Array.from(frames)].filter((w) => w.goalpost).length)`); n != `"0"` {
		t.Errorf("%s worlds of the page have our eyes", n)
	}
}
