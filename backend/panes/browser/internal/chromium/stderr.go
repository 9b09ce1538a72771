package chromium

import (
	"io"
	"os"
	"strings"
	"time"

	"goalpost/backend/lib/tail"
)

// stderrTail stores the last lines of Chromium's output, for the error when it does not start.
type stderrTail struct {
	from *os.File
	text *tail.Writer
	done chan struct{} // closed when the reading has ended
}

func newStderrTail(from *os.File) *stderrTail {
	t := &stderrTail{
		from: from,
		text: tail.NewWriter(2 << 10),
		done: make(chan struct{}),
	}
	go func() {
		defer close(t.done)
		_, _ = io.Copy(t.text, from)
	}()
	return t
}

// String returns the last lines, on one line.
func (s *stderrTail) String() string { return strings.Join(strings.Fields(s.text.String()), " ") }

// close reads the rest and stops, even if a child process of Chromium still holds the other end.
func (s *stderrTail) close() {
	_ = s.from.SetReadDeadline(time.Now().Add(250 * time.Millisecond)) // if that fails, Close ends the reading
	<-s.done
	_ = s.from.Close()
}
