package terminal

import (
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

const (
	maxBatch = 1 << 20
	slice    = 1 << 10

	// modelCatchUp limits how long Screen waits for the model to catch up with the output.
	modelCatchUp = time.Second

	// floodInterval is the time between batches during a flood: no viewer refreshes more often.
	floodInterval = 20 * time.Millisecond

	// maxFeeding limits the model's work on one batch; of the rest it gets only the last bytes.
	maxFeeding = 500 * time.Millisecond
	lastFeed   = 2 << 10
)

// screen is the model of what a user sees. It follows the scrollback at its own pace and skips what has scrolled
// away; the bytes for viewers are not affected. It also answers the program's queries.
type screen struct {
	s    *Session
	stop chan struct{}
	done sync.WaitGroup

	mu           sync.Mutex
	model        *vt.Emulator
	answers      sync.WaitGroup // the goroutine that reads the model's replies
	replacements int            // how often the model was replaced
	modes        map[int]bool   // the model's modes that keys depend on
	followed     int64          // offset of the next byte to process
	progress     signal

	sizeMu     sync.Mutex // a leaf lock: no other lock is taken while it is held
	cols, rows int        // requested size
}

func openScreen(s *Session, cols, rows int, from int64) *screen {
	c := &screen{s: s, stop: make(chan struct{}), cols: cols, rows: rows, followed: from}
	c.reset(cols, rows)
	c.done.Go(c.run)
	return c
}

// reset makes an empty model; mu is held, or the screen is not shared yet.
func (s *screen) reset(cols, rows int) {
	model := vt.NewEmulator(cols, rows)
	model.SetScrollbackSize(1) // the ring is the scrollback
	s.model, s.modes = model, map[int]bool{}
	model.SetCallbacks(vt.Callbacks{ // called while the model is fed
		EnableMode:  func(m ansi.Mode) { s.modes[m.Mode()] = true },
		DisableMode: func(m ansi.Mode) { delete(s.modes, m.Mode()) },
	})
	s.answers.Go(func() {
		buf := make([]byte, 4<<10)
		for {
			n, err := model.Read(buf)
			if err != nil {
				return
			}
			_, _ = s.s.Write(buf[:n]) // a program that has ended or does not read needs no reply
		}
	})
}

// stopReader ends the goroutine that reads the model's replies. It does not use Close, which races with Read.
func (s *screen) stopReader() {
	if pipe, ok := s.model.InputPipe().(interface{ Close() error }); ok {
		_ = pipe.Close() // of an io.Pipe: never fails
	}
}

func (s *screen) close() {
	close(s.stop)
	s.done.Wait()
	s.mu.Lock()
	s.stopReader()
	s.mu.Unlock()
	s.answers.Wait()
}

func (s *screen) resize(cols, rows int) {
	s.sizeMu.Lock()
	defer s.sizeMu.Unlock()
	s.cols, s.rows = cols, rows
}

// run processes batch after batch until close.
func (s *screen) run() {
	for {
		batch, from, next := s.batch()
		s.take(batch, from)
		if len(batch) > maxBatch/128 { // a flood: no viewer shows every screen of it
			rest := time.NewTimer(floodInterval)
			select {
			case <-rest.C:
			case <-s.stop:
			}
			rest.Stop()
		}
		select {
		case <-next:
		case <-s.stop:
			return
		}
	}
}

// batch returns the output since the last one, and a channel that is closed when there is more. It is already closed
// if more is waiting.
func (s *screen) batch() (batch []byte, from int64, next <-chan struct{}) {
	s.s.mu.Lock()
	defer s.s.mu.Unlock()
	r := s.s.ring
	from = max(s.followed, r.start)
	to := min(r.end, from+maxBatch)
	next = s.s.output.next()
	if to < r.end {
		more := make(chan struct{})
		close(more)
		next = more
	}
	return r.slice(from, to), from, next
}

// take updates the model with a batch.
func (s *screen) take(batch []byte, from int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.adjust()
	if len(batch) > 0 && from > s.followed {
		s.write([]byte{0x18}) // CAN: cancels an incomplete sequence
	}
	pieces, used := coalesceOutput(batch, s.model.Height())
	rest := 0
	for _, p := range pieces {
		rest += len(p.text)
	}
	deadline := time.Now().Add(maxFeeding)
	for _, p := range pieces {
		for text := p.text; len(text) > 0; {
			n := min(slice, len(text))
			if n < len(text) {
				n = max(1, completeUTF8Len(text[:n]))
			}
			if rest <= lastFeed || time.Now().Before(deadline) {
				s.write(text[:n])
			}
			rest -= n
			text = text[n:]
		}
	}
	s.followed = from + int64(used)
	s.progress.broadcast()
}

// adjust gives the model the requested size.
func (s *screen) adjust() {
	if cols, rows := s.wanted(); !s.hasSize() {
		s.recoverModel(func() { s.model.Resize(cols, rows) })
	}
}

func (s *screen) hasSize() bool {
	cols, rows := s.wanted()
	return s.model.Width() == cols && s.model.Height() == rows
}

func (s *screen) wanted() (cols, rows int) {
	s.sizeMu.Lock()
	defer s.sizeMu.Unlock()
	return s.cols, s.rows
}

func (s *screen) write(p []byte) {
	s.recoverModel(func() { _, _ = s.model.Write(p) }) // it fails only when closed
}

// recoverModel replaces a model that panics: output is hostile, and the ring still has the bytes.
func (s *screen) recoverModel(do func()) {
	defer func() {
		if recover() == nil {
			return
		}
		s.replacements++
		s.stopReader()
		s.reset(s.wanted())
	}()
	do()
}

// Screen returns what a user sees now: one string a row without trailing spaces, the cursor counted from 0, and whether
// a full-screen program uses the alternate screen.
func (s *Session) Screen() (lines []string, row, col int, alt bool) {
	_, end := s.Range()
	s.screen.awaitUpTo(end)
	return s.screen.lines()
}

// awaitUpTo waits until the model has processed everything before end. It gives up after a while if a batch ends
// inside a sequence, or during a flood.
func (s *screen) awaitUpTo(end int64) {
	timer := time.NewTimer(modelCatchUp)
	defer timer.Stop()
	for {
		s.mu.Lock()
		current, next := s.followed >= end && s.hasSize(), s.progress.next()
		s.mu.Unlock()
		if current {
			return
		}
		select {
		case <-next:
		case <-timer.C:
			return
		case <-s.stop:
			return
		}
	}
}

// The modes that decide what keys send.
const (
	cursorKeys     = 1
	bracketedPaste = 2004
)

// hasMode reports whether the program, after its present output, has switched on a mode.
func (s *Session) hasMode(mode int) bool {
	_, end := s.Range()
	s.screen.awaitUpTo(end)
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	return s.screen.modes[mode]
}

func (s *screen) lines() (lines []string, row, col int, alt bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.model
	for y := range m.Height() {
		var line strings.Builder
		for x := 0; x < m.Width(); {
			cell := m.CellAt(x, y)
			if cell == nil || cell.Width < 1 {
				x++
				continue
			}
			if cell.Content == "" {
				line.WriteByte(' ')
			} else {
				line.WriteString(cell.Content)
			}
			x += cell.Width
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	at := m.CursorPosition()
	return lines, at.Y, at.X, m.IsAltScreen()
}
