package editor

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
)

// maxAnswerWait bounds how long the end of the editor's input waits for answers.
const maxAnswerWait = 5 * time.Second

// owedAnswers delays the end of the editor's input until the requests before it have their answers: the connection, and
// with it the program, ends at that end, even while an answer is being made. A prompt is not waited for, because a goal
// pauses when its editor is gone.
type owedAnswers struct {
	in  io.Reader
	out io.Writer

	mu      sync.Mutex
	line    []byte // of the input, not complete
	owed    map[string]bool
	settled chan struct{} // closed when nothing is owed after the input's end; nil at other times
}

// message is what tells requests and answers apart.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

func newOwedAnswers(in io.Reader, out io.Writer) *owedAnswers {
	return &owedAnswers{in: in, out: out, owed: map[string]bool{}}
}

// Read reads the editor's input. Only the connection calls it, one call at a time.
func (o *owedAnswers) Read(p []byte) (int, error) {
	n, err := o.in.Read(p)
	o.note(p[:n])
	switch {
	case n > 0: // the connection has to see these bytes before the end
		return n, nil
	case errors.Is(err, io.EOF):
		select {
		case <-o.end():
		case <-time.After(maxAnswerWait):
		}
	}
	return n, err //nolint:wrapcheck // as a reader
}

// note remembers the requests that are complete.
func (o *owedAnswers) note(input []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		end := bytes.IndexByte(input, '\n')
		if end < 0 {
			o.line = append(o.line, input...)
			return
		}
		o.owe(append(o.line, input[:end]...))
		o.line, input = o.line[:0], input[end+1:]
	}
}

func (o *owedAnswers) owe(line []byte) {
	var m message
	if json.Unmarshal(line, &m) == nil && m.ID != nil && m.Method != "" && m.Method != "session/prompt" {
		o.owed[string(m.ID)] = true
	}
}

// end returns a channel that is closed when all answers are written.
func (o *owedAnswers) end() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	settled := make(chan struct{})
	if o.settled = settled; len(o.owed) == 0 {
		close(settled)
		o.settled = nil
	}
	return settled
}

// Write writes one message to the editor.
func (o *owedAnswers) Write(p []byte) (int, error) {
	n, err := o.out.Write(p)
	var m message
	if json.Unmarshal(p, &m) == nil && m.ID != nil && m.Method == "" {
		o.mu.Lock()
		defer o.mu.Unlock()
		if delete(o.owed, string(m.ID)); o.settled != nil && len(o.owed) == 0 {
			close(o.settled)
			o.settled = nil
		}
	}
	return n, err //nolint:wrapcheck // as a writer
}
