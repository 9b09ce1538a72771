package browser

import (
	"image/color"
	"testing"
)

// BenchmarkSnapshot looks at a page of about 6,000 elements.
func BenchmarkSnapshot(b *testing.B) {
	w := newBench(b)
	p := w.open("b1", "big.html")
	w.look(p)
	for b.Loop() {
		w.look(p)
	}
}

// BenchmarkClickToFrame is the time from a person's press of the mouse until
// the frame that shows its effect is here.
func BenchmarkClickToFrame(b *testing.B) {
	w := newBench(b)
	v := w.open("b1", "colour.html").Attach()
	defer v.Close()
	w.frameOf(v, red)
	colours := []color.RGBA{red, blue, green}
	for i := 1; b.Loop(); i++ {
		w.click(v, 400, 300)
		w.frameOf(v, colours[i%3])
	}
}

// BenchmarkClick is the agent's click with its settling.
func BenchmarkClick(b *testing.B) {
	w := newBench(b)
	p := w.open("b1", "colour.html")
	for b.Loop() {
		w.act(p.Click(w.ctx, "css=body"))
	}
}

func BenchmarkParseFrame(b *testing.B) {
	message := []byte(`{"method":"Page.screencastFrame","params":{"data":"`)
	for range 60000 {
		message = append(message, "AAAA"...)
	}
	message = append(message, `","metadata":{"deviceWidth":80,"deviceHeight":60},"sessionId":7},"sessionId":"S"}`...)
	b.SetBytes(int64(len(message)))
	copied := make([]byte, len(message))
	for b.Loop() {
		copy(copied, message)
		if _, ok := parseFrame(copied); !ok {
			b.Fatal("no frame")
		}
	}
}
