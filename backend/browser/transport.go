package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// maxMessage bounds one message of Chromium; a full-page picture is a few megabytes.
const maxMessage = 256 << 20

var consolePrefix = []byte(`{"method":"Runtime.consoleAPICalled"`)

// pipe carries the protocol over Chromium's debugging pipe: JSON messages, each
// ended by a zero byte. Send may be called concurrently, Read by one goroutine.
// It is what rod's cdp.Client calls a WebSocketable.
//
// Frames of a screencast never reach rod, which would parse each three times
// and keep it in an unbounded buffer: Read hands them to onFrame.
type pipe struct {
	onFrame func(castFrame)
	events  atomic.Int64 // handed to rod

	mu  sync.Mutex // guards writes to out
	out *os.File
	in  *bufio.Reader
	raw *os.File

	heard int // lines of consoles since since, which only Read touches
	since time.Time
}

// hears says whether a line of a console is passed on: short ones, a hundred a second.
func (p *pipe) hears(size int) bool {
	if now := time.Now(); now.Sub(p.since) > time.Second {
		p.heard, p.since = 0, now
	}
	p.heard++
	return p.heard <= 100 && size < 64<<10
}

func newPipe(in, out *os.File, onFrame func(castFrame)) *pipe {
	return &pipe{onFrame: onFrame, out: out, in: bufio.NewReaderSize(in, 256<<10), raw: in}
}

// Send writes one message.
func (p *pipe) Send(message []byte) error {
	framed := make([]byte, 0, len(message)+1)
	framed = append(append(framed, message...), 0)
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.out.Write(framed); err != nil {
		return fmt.Errorf("writing to Chromium: %w", err)
	}
	return nil
}

// Read returns the next message that is for rod. rod panics in a goroutine of
// its own on a message that it cannot decode, so such a message ends the
// connection here.
func (p *pipe) Read() ([]byte, error) {
	for {
		message, err := p.next()
		if err != nil {
			return nil, err
		}
		if bytes.HasPrefix(message, framePrefix) {
			if f, ok := parseFrame(message); ok {
				p.onFrame(f)
			}
			continue
		}
		if bytes.HasPrefix(message, consolePrefix) && !p.hears(len(message)) { // a page may write a great deal of it
			continue
		}
		var envelope struct {
			ID        int             `json:"id"`
			SessionID string          `json:"sessionId"`
			Method    string          `json:"method"`
			Result    json.RawMessage `json:"result"`
			Error     *struct {
				Code    int    `json:"code"`
				Message string `json:"message"`
				Data    string `json:"data"`
			} `json:"error"`
		}
		if err := json.Unmarshal(message, &envelope); err != nil {
			return nil, fmt.Errorf("reading from Chromium: %w", err)
		}
		if envelope.ID >= postedFrom { // the answer to something that nobody waits for
			continue
		}
		if envelope.Method != "" {
			p.events.Add(1)
		}
		return message, nil
	}
}

// next reads up to the zero byte. The result is the caller's.
func (p *pipe) next() ([]byte, error) {
	var message []byte
	for {
		part, err := p.in.ReadSlice(0)
		message = append(message, part...)
		switch {
		case err == nil:
			return message[:len(message)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			if errors.Is(err, os.ErrClosed) {
				err = io.EOF
			}
			return nil, fmt.Errorf("reading from Chromium: %w", err)
		case len(message) > maxMessage:
			return nil, fmt.Errorf("reading from Chromium: a message of more than %d bytes", maxMessage)
		}
	}
}

// hangUp closes the writing end: Chromium takes it as the order to end.
func (p *pipe) hangUp() error {
	if err := p.out.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("closing Chromium's pipe: %w", err)
	}
	return nil
}

// close closes both ends; a Read that waits returns.
func (p *pipe) close() error {
	err := p.hangUp()
	if e := p.raw.Close(); e != nil && !errors.Is(e, os.ErrClosed) {
		err = errors.Join(err, fmt.Errorf("closing Chromium's pipe: %w", e))
	}
	return err
}
