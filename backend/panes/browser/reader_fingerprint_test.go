package browser

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestFingerprint_AfterReload_IsTheSame: a fingerprint contains no refs, which change with a
// reload, and a goal's cookies are its own.
func TestFingerprint_AfterReload_IsTheSame(t *testing.T) {
	b := newFixture(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "who", Value: "ann"})
		_, _ = w.Write([]byte("<title>Shop</title><button onclick=\"this.textContent='Bought'\">Buy</button><p>One left"))
	}))
	defer server.Close()
	p, err := b.Open(b.ctx, Options{ID: "b1", GoalID: "g1", URL: server.URL})
	b.ok(err)
	shows := func() string {
		s, err := p.Reader.Fingerprint(b.ctx)
		b.ok(err)
		return s
	}
	first := shows()
	b.ok(p.Navigation.Reload(b.ctx))
	if again := shows(); again != first {
		t.Errorf("after a reload:\n%s\nbefore:\n%s", again, first)
	}
	_, err = p.Mouse.Click(b.ctx, "Buy")
	b.ok(err)
	if shows() == first {
		t.Error("the click changed nothing")
	}
	cookies, err := b.Cookies(b.ctx, "g1")
	if err != nil || len(cookies) != 1 || cookies[0].Name != "who" || cookies[0].Value != "ann" ||
		cookies[0].Domain != "127.0.0.1" {
		t.Errorf("%+v %v", cookies, err)
	}
	if others, err := b.Cookies(b.ctx, "g2"); err != nil || len(others) != 0 {
		t.Errorf("of a goal without a page: %+v %v", others, err)
	}
}
