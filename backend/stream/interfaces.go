package stream

import (
	"context"

	"goalpost/backend/event"
	"goalpost/backend/pane"
)

// EventSource hands out subscriptions; *event.Broker is one.
type EventSource interface {
	SubscribeReliable(buffer int) *event.Subscription
}

// Terminals finds a terminal pane and attaches a viewer to it that begins at
// byte offset. An error ends the socket with CloseNotFound and its text.
type Terminals interface {
	Attach(ctx context.Context, pane string, offset int64) (TerminalViewer, error)
}

// TerminalViewer is one reader of a terminal. The methods are called from different
// goroutines at the same time.
type TerminalViewer interface {
	TerminalOutput
	TerminalSize
	// Write is one message of input for the program. It may wait while the
	// program does not read; Close makes it return. An error is told to the page.
	Write(p []byte) (int, error)
	Close()
}

// TerminalOutput is what a terminal prints.
type TerminalOutput interface {
	// Read gives the next bytes: at most 32 KiB, never cut inside a UTF-8
	// character, with the offset of the first. It waits for output, and gives
	// io.EOF once the program has ended and everything was read. An error with a
	// Lost in its chain is news and not the end; any other one ends the socket.
	Read(ctx context.Context) (offset int64, chunk []byte, err error)
	// Ack says that everything before offset is on the screen.
	Ack(offset int64)
	// Exit is meaningful once done is true; code is -1 after a signal.
	Exit() (code int, done bool)
}

// TerminalSize is the size of a terminal, which all of its viewers share.
type TerminalSize interface {
	Resize(cols, rows int) error
	// Resized gets a token when another viewer changed the size; Size is the news.
	Resized() <-chan struct{}
	Size() (cols, rows int)
}

// Gap is an error of TerminalViewer.Read: the bytes from..to-1 are no longer
// kept, the next Read continues at to.
type Gap interface {
	error
	Range() (from, to int64)
}

// Browsers finds a browser pane and attaches a viewer to it.
type Browsers interface {
	Attach(ctx context.Context, pane string) (BrowserViewer, error)
}

// BrowserViewer is one reader of a browser pane.
type BrowserViewer interface {
	// Next waits for a newer frame, or for a change of the pane or of what is
	// drawn over it.
	Next(ctx context.Context) (pane.ViewerUpdate, error)
	// Ack says that a frame was drawn, or dropped for a newer one.
	Ack(frame uint32)
	// Input does one act of the user; an error is shown and ends nothing.
	Input(ctx context.Context, in pane.Input) error
	// Resize takes CSS pixels.
	Resize(ctx context.Context, width, height int, ratio float64) error
	SetVisible(on bool)
	Close()
}
