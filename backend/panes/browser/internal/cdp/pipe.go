package cdp

import (
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

// maxMessage limits one message of Chromium; a full-page picture is a few megabytes.
const maxMessage = 256 << 20

// readAhead is the size of one read: more than a frame.
const readAhead = 512 << 10

var consolePrefix = []byte(`{"method":"Runtime.consoleAPICalled"`)

// pipe carries the protocol over Chromium's debugging pipe: JSON messages, each terminated by a
// zero byte. Send may be called concurrently, Read by one goroutine. It implements rod's
// cdp.WebSocketable. Frames of a screencast never reach rod, which would parse each three times
// and store it in an unbounded buffer: Read passes them to onFrame.
type pipe struct {
	onFrame func(ScreencastFrame)
	events  atomic.Int64 // passed to rod
	calls   pendingCalls
	relays  relays

	mu  sync.Mutex // guards writes to out
	out *os.File
	raw *os.File

	// Bytes that were read and not returned yet; only Read uses it.
	buf        []byte
	start, end int

	consoleLines int // console lines in the current second, which began at since; only Read uses both
	since        time.Time
}

// passesConsole reports whether a console message is passed on: short ones, at most a hundred a
// second.
func (p *pipe) passesConsole(size int) bool {
	if now := time.Now(); now.Sub(p.since) > time.Second {
		p.consoleLines, p.since = 0, now
	}
	p.consoleLines++
	return p.consoleLines <= 100 && size < 64<<10
}

func newPipe(in, out *os.File, onFrame func(ScreencastFrame)) *pipe {
	enlargePipe(in)
	return &pipe{onFrame: onFrame, out: out, raw: in, buf: make([]byte, readAhead)}
}

// Send writes one message.
func (p *pipe) Send(message []byte) error {
	packet := make([]byte, 0, len(message)+1)
	packet = append(append(packet, message...), 0)
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.out.Write(packet); err != nil {
		return fmt.Errorf("writing to Chromium: %w", err)
	}
	return nil
}

// Read returns the next message for rod, which are the events. rod panics in a goroutine of its
// own on a message that it cannot decode, so such a message ends the connection here.
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
		if p.relays.deliver(message) {
			continue
		}
		if bytes.HasPrefix(message, consolePrefix) && !p.passesConsole(len(message)) { // a page may log any amount
			continue
		}
		if p.calls.resolve(message) {
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
		if envelope.Method != "" {
			p.events.Add(1)
		}
		return bytes.Clone(message), nil // rod stores it
	}
}

// next reads up to the zero byte. The result is valid until the next call.
func (p *pipe) next() ([]byte, error) {
	for offset := p.start; ; {
		if n := bytes.IndexByte(p.buf[offset:p.end], 0); n >= 0 {
			message := p.buf[p.start : offset+n]
			p.start = offset + n + 1
			return message, nil
		}
		p.grow()
		offset = p.end
		if p.end-p.start > maxMessage {
			return nil, fmt.Errorf("reading from Chromium: a message of more than %d bytes", maxMessage)
		}
		n, err := p.raw.Read(p.buf[p.end:])
		p.end += n
		if n == 0 && err != nil {
			if errors.Is(err, os.ErrClosed) {
				err = io.EOF
			}
			return nil, fmt.Errorf("reading from Chromium: %w", err)
		}
	}
}

// grow makes space behind the bytes that were read, and frees the space of an unusually long
// message.
func (p *pipe) grow() {
	switch unread := p.buf[p.start:p.end]; {
	case len(unread) == 0 && len(p.buf) > 8*readAhead:
		p.buf = make([]byte, readAhead)
	case len(unread) > len(p.buf)/2:
		larger := make([]byte, 2*len(p.buf))
		copy(larger, unread)
		p.buf = larger
	case p.start == 0:
		return
	default:
		copy(p.buf, unread)
	}
	p.start, p.end = 0, p.end-p.start
}

// closeWrite closes the writing end, which makes Chromium end.
func (p *pipe) closeWrite() error {
	if err := p.out.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("closing Chromium's pipe: %w", err)
	}
	return nil
}

// close closes both ends, which ends a Read that waits.
func (p *pipe) close() error {
	err := p.closeWrite()
	if e := p.raw.Close(); e != nil && !errors.Is(e, os.ErrClosed) {
		err = errors.Join(err, fmt.Errorf("closing Chromium's pipe: %w", e))
	}
	return err
}
