// Package tail keeps the end of what a program writes, for the error that reports its end.
package tail

import "sync"

// Writer keeps the last bytes written to it. All methods may be called concurrently.
type Writer struct {
	limit int

	mu   sync.Mutex
	text []byte
}

// NewWriter returns a writer that keeps the last limit bytes.
func NewWriter(limit int) *Writer { return &Writer{limit: limit} }

// Write never fails.
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, b[max(0, len(b)-w.limit):]...)
	if excess := len(w.text) - w.limit; excess > 0 {
		w.text = append(w.text[:0], w.text[excess:]...)
	}
	return len(b), nil
}

// String returns the stored bytes. It may begin inside a character.
func (w *Writer) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}
