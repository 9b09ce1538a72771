package terminal

import (
	"errors"
	"os"
	"sync"
)

// maxInput limits the input that waits for a program that does not read, in bytes. There is no other limit between a
// page and a program.
const maxInput = 1 << 20

var (
	// ErrInputFull means that the program does not read its input.
	ErrInputFull = errors.New("the program does not read its input")
	// ErrInputTooLong means that one input exceeds maxInput.
	ErrInputTooLong = errors.New("more than 1 MiB at once is too long; paste it in parts, or put it into a file")
)

// input is typed text that the kernel has not accepted yet. A write to a pty blocks while the program does not read;
// typing must not block.
type input struct {
	wake chan struct{} // one token: there is input

	mu       sync.Mutex
	queue    []byte
	inFlight int // bytes that are being written
	closed   bool
}

func newInput() *input { return &input{wake: make(chan struct{}, 1)} }

// put queues all of p or nothing. It never waits.
func (in *input) put(p []byte) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.closed {
		return ErrEnded
	}
	if len(p) > maxInput {
		return ErrInputTooLong
	}
	if in.inFlight+len(in.queue)+len(p) > maxInput {
		return ErrInputFull
	}
	in.queue = append(in.queue, p...)
	in.poke()
	return nil
}

func (in *input) poke() {
	select {
	case in.wake <- struct{}{}:
	default:
	}
}

func (in *input) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
	in.poke()
}

// run writes the queue to the pty until close or until the pty is gone.
func (in *input) run(master *os.File) {
	for range in.wake {
		in.mu.Lock()
		p, closed := in.queue, in.closed
		in.queue, in.inFlight = nil, len(p)
		in.mu.Unlock()
		if closed {
			return
		}
		if _, err := master.Write(p); err != nil {
			return // the reader sees the end too
		}
		in.mu.Lock()
		in.inFlight = 0
		in.mu.Unlock()
	}
}
