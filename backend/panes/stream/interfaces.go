package stream

import (
	"context"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
)

// EventSource provides subscriptions; *event.Broker is one.
type EventSource interface {
	SubscribeReliable(buffer int) *event.Subscription
}

// Pages notices what the user sees.
type Pages interface {
	// Open adds a page that is connected.
	Open() Page
}

// Page is one connected page.
type Page interface {
	// LooksAt says which goal the page shows while it has the focus, "" for none. Close forgets it.
	LooksAt(id goal.ID)
	Close()
}

// Terminals finds a terminal pane and attaches a viewer that begins at byte offset. An error ends the socket with
// CloseNotFound and its text.
type Terminals interface {
	Attach(ctx context.Context, pane string, offset int64) (TerminalViewer, error)
}

// TerminalViewer is one reader of a terminal. Read, Write and the other methods are called concurrently.
type TerminalViewer interface {
	TerminalOutput
	TerminalSize
	// Write takes one message of input for the program, whole or not at all. It never waits for the program. The page
	// shows its error.
	Write(p []byte) (int, error)
	Close()
}

// TerminalOutput is what a terminal prints.
type TerminalOutput interface {
	// Read returns the next bytes: at most 32 KiB, never cut inside a UTF-8 character, with the offset of the first.
	// It waits for output, and returns io.EOF once the program has ended and everything was read. An error with a Gap
	// in its chain is reported and reading continues; any other error ends the socket.
	Read(ctx context.Context) (offset int64, chunk []byte, err error)
	// Ack confirms that everything before offset is on the screen.
	Ack(offset int64)
	// Exit is meaningful once done is true; code is -1 after a signal.
	Exit() (code int, done bool)
}

// TerminalSize is the size of a terminal, which all of its viewers share.
type TerminalSize interface {
	// Resize stores the viewer's space. Whether the terminal gets that size, pane.Sizes decides; looks means that the
	// viewer never sets it.
	Resize(cols, rows int, looks bool) error
	// GiveKeyboard notes that the user turned to this viewer.
	GiveKeyboard() error
	// Resized gets a token when the size is not, or no longer, that of the viewer's space; Size returns it.
	Resized() <-chan struct{}
	Size() (cols, rows int)
}

// Gap is an error of TerminalViewer.Read: the bytes from..to-1 were discarded, and the next Read continues at to.
type Gap interface {
	error
	Range() (from, to int64)
}

// Files finds the pane of a text file and attaches a viewer to it.
type Files interface {
	Attach(pane string) (FileViewer, error)
}

// FileViewer is one reader of a text file.
type FileViewer interface {
	// Next returns what the file holds, at first at once, then each time that it has changed.
	Next(ctx context.Context) (FileContent, error)
	Close()
}

// FileContent is what a text file holds at one moment.
type FileContent struct {
	Text       []byte // UTF-8
	Version    string // names the content when it is saved
	Problem    string // why there is no text, "" if there is one
	IsReadOnly bool   // the user may not write the file
	Target     string // where a symbolic link leads to, "" for an ordinary file
}

// Browsers finds a browser pane and attaches a viewer to it.
type Browsers interface {
	Attach(ctx context.Context, pane string) (BrowserViewer, error)
}

// BrowserViewer is one reader of a browser pane.
type BrowserViewer interface {
	// Next waits for a newer frame, or for a change of the pane or of its overlay.
	Next(ctx context.Context) (pane.ViewerUpdate, error)
	// Ack confirms that a frame was drawn, or dropped for a newer one.
	Ack(frame uint32)
	// Input performs one input of the user; an error is shown, and the connection continues.
	Input(ctx context.Context, in pane.Input) error
	// Resize stores the viewer's space in CSS pixels. Whether the page gets that size, pane.Sizes decides; looks means
	// that the viewer never sets it.
	Resize(width, height int, ratio float64, looks bool)
	// GiveKeyboard notes that the user turned to this viewer.
	GiveKeyboard()
	SetVisible(on bool)
	Close()
}
