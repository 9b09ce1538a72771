package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
)

// TestPage_UsualParts_AreReadAndUsed: a frame of the same site and another origin, a label whose control is hidden, and
// a text behind the end of what a snapshot reads.
func TestPage_UsualParts_AreReadAndUsed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<button onclick="o.textContent = 'inside clicked'">Inside</button><p id=o></p>`)
	}))
	t.Cleanup(other.Close)
	b := newFixture(t)
	p := b.open("b1", "one.html")
	b.eval(p, fmt.Sprintf(`new Promise((done) => {
		document.body.innerHTML = '<label style="display:inline-block;padding:8px">Choose photo' +
			'<input type=file style="display:none" onchange="o.textContent = this.files[0].name"></label><p id=o></p>' +
			'<label><input type=checkbox style="display:none"><span>Styled box</span></label>' +
			'<iframe title=Vault width=400 height=100></iframe>';
		document.querySelector('iframe').onload = () => done(true);
		document.querySelector('iframe').src = '%s';
	})`, other.URL))
	s := b.look(p)
	has(t, s.Text, `"Choose photo"`, `"Styled box" for a checkbox`, `button "Inside"`)
	has(t, b.act(p.Mouse.Click(b.ctx, "Inside")).Changed, "inside clicked")
	has(t, b.act(p.Mouse.Click(b.ctx, "Styled box")).Changed, `for a checkbox checked`)
	photo := []pane.File{{Name: "photo.txt", Data: []byte("x")}}
	has(t, b.act(p.Forms.Upload(b.ctx, "Choose photo", photo)).Changed, "photo.txt")

	b.eval(p, `document.body.innerHTML = '<table>' + Array.from({length: 20000}, (_, i) =>
		'<tr><td>row ' + i + '</td><td>cell</td></tr>').join('') + '</table>', true`)
	found, err := p.Reader.FindElements(b.ctx, pane.FindOptions{Text: "row 19999"})
	b.ok(err)
	if !strings.Contains(found, `"row 19999"`) {
		t.Errorf("in a long table: %s", found)
	}
	has(t, b.act(p.Mouse.Click(b.ctx, "row 19998")).URL, "one.html")
}
