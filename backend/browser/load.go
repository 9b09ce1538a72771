package browser

import (
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// load is how far the main document is.
type load struct {
	loader proto.NetworkLoaderID   // of the document that is shown
	loaded proto.NetworkLoaderID   // of the last document that finished loading
	empty  proto.NetworkLoaderID   // of the empty document that a new window begins with, "" if it has another by now
	moves  int                     // counts documents shown and moves within one
	shown  []proto.NetworkLoaderID // the last few documents: one may have continued to the next by itself
	posted bool                    // the document is the answer to a form that was sent
	byUser bool                    // it was a user who went there, in a pane of theirs
	// posting is the document that a form was last sent for.
	posting proto.NetworkLoaderID
	// holdInputUntil is when input is let through although the document may be without its first
	// picture, see awaitFirstPaint.
	holdInputUntil time.Time
}

// setDocument notes another document.
func (l *load) setDocument(loader proto.NetworkLoaderID) {
	const most = 16
	l.loader, l.shown = loader, append(l.shown[max(0, len(l.shown)-most):], loader)
}

// done says that the shown document is loaded.
func (l load) done() bool { return l.loader == l.loaded && !l.setPending() }

// setPending says that a window has been opened and its document is on the way.
func (l load) setPending() bool { return l.empty != "" && (l.loader == "" || l.loader == l.empty) }
