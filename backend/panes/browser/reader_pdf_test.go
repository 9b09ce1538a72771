package browser

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
)

func TestPDF_Page_GivesItsFile(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "form.html")
	printed, err := p.Reader.Print(b.ctx)
	b.ok(err)
	if file, isPDF, err := p.Reader.PDF(b.ctx); isPDF || file != nil || err != nil {
		t.Errorf("a page with a form: %d bytes, %v, %v", len(file), isPDF, err)
	}
	asked := 0
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie, _ := r.Cookie("login")
		switch {
		case r.URL.Path == "/":
			w.Header().Set("Set-Cookie", "login=yes")
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<form method=post action=/sent><button>Send</button></form>"))
			return
		case r.URL.Path == "/once":
			if asked++; asked > 1 {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Cache-Control", "no-store")
		case cookie == nil || cookie.Value != "yes":
			http.Error(w, "log in", http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = w.Write(printed)
	}))
	t.Cleanup(site.Close)
	goTo := func(path string) {
		t.Helper()
		b.ok(p.Navigation.Navigate(b.ctx, site.URL+path))
		b.until(p, "loaded", func(i pane.Info) bool { return !i.Loading })
	}
	visit := func(path string) ([]byte, error) {
		t.Helper()
		goTo(path)
		file, isPDF, err := p.Reader.PDF(b.ctx)
		if !isPDF {
			t.Errorf("%s is no PDF: %v", path, err)
		}
		return file, err
	}
	goTo("/")
	if file, err := visit("/invoice.pdf?n=1#page=1"); err != nil || !bytes.Equal(file, printed) {
		t.Errorf("%d of %d bytes, %v", len(file), len(printed), err)
	}
	if file, err := visit("/once"); err == nil || !strings.Contains(err.Error(), "could not be requested again") {
		t.Errorf("%d bytes, %v", len(file), err)
	}
	goTo("/")
	b.act(p.Mouse.Click(b.ctx, "Send"))
	if _, isPDF, err := p.Reader.PDF(b.ctx); !isPDF || err == nil || !strings.Contains(err.Error(), "answer to a form") {
		t.Errorf("after a form: %v, %v", isPDF, err)
	}
}
