package browser

import (
	"fmt"
	"testing"
)

// TestSetOwn_DuringPicture_NextDocumentBeginsInSize: the document's first script reads the new size, although Chromium
// restores the size that it found when a picture began.
func TestSetOwn_DuringPicture_NextDocumentBeginsInSize(t *testing.T) {
	b := newFixture(t)
	p, run := leased(b, "b1", "sized.html")
	for n := range 6 {
		taken := make(chan error, 1)
		go func() { _, err := p.Pictures.Screenshot(b.ctx, true); taken <- err }()
		for range n { // at a different moment of the picture each time
			b.eval(p, "1")
		}
		width, height := 500+n, 300+n
		if !p.Viewport.SetOwn(run, width, height) {
			t.Fatal("the page of a goal has no size of its own")
		}
		b.ok(p.Navigation.Navigate(run, b.url("sized.html")))
		b.value(p, "began", fmt.Sprintf(`"%d by %d"`, width, height))
		b.ok(<-taken)
	}
}
