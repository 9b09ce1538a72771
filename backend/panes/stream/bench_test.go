package stream_test

import (
	"context"
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	"goalpost/backend/domain/pane"
)

// BenchmarkPicture sends a picture of 200 KB from a viewer over the socket, and its acknowledgement back. cpu-ms/op is
// the processor time of all of this. It includes reading from the socket, which the page does in a real run.
func BenchmarkPicture(b *testing.B) {
	w := open(b, nil)
	source := newBrowser()
	w.browsers["b1"] = source
	ws := w.dial(b, "/v1/browser/b1")
	picture := pane.Frame{Width: 1280, Height: 800, JPEG: make([]byte, 200<<10)}
	into := make([]byte, 64<<10)
	b.SetBytes(int64(len(picture.JPEG)))
	began := processorTime(b)
	for n := uint32(1); b.Loop(); n++ {
		next := picture
		next.N = n
		source.updates <- update{frame: &next}
		_, r, err := ws.Reader(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.CopyBuffer(onlyWriter{io.Discard}, r, into); err != nil {
			b.Fatal(err)
		}
		send(b, ws, fmt.Sprintf(`{"t":"ack","n":%d}`, n))
		<-source.acks
	}
	b.ReportMetric(float64(processorTime(b)-began)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
}

// onlyWriter keeps io.CopyBuffer from asking io.Discard for buffers of its own.
type onlyWriter struct{ io.Writer }

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
