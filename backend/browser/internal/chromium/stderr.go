package chromium

import (
	"os"
	"strings"
	"sync"
	"time"
)

// stderrTail keeps the last words of Chromium, for the error when it does not start.
type stderrTail struct {
	from *os.File
	done chan struct{}
	mu   sync.Mutex
	text []byte
}

func newTail(from *os.File) *stderrTail {
	t := &stderrTail{from: from, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		buffer := make([]byte, 4<<10)
		for {
			n, err := from.Read(buffer)
			t.mu.Lock()
			t.text = append(t.text, buffer[:n]...)
			if over := len(t.text) - 2<<10; over > 0 {
				t.text = append(t.text[:0], t.text[over:]...)
			}
			t.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return t
}

// String gives the last lines, on one line.
func (t *stderrTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(string(t.text)), " ")
}

// close reads what is left and stops, also when a helper of Chromium still
// holds the other end.
func (t *stderrTail) close() {
	_ = t.from.SetReadDeadline(time.Now().Add(250 * time.Millisecond)) // without one, Close ends the reading
	<-t.done
	_ = t.from.Close()
}
