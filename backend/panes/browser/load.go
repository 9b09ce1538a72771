package browser

import (
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// load is the progress of the main document.
type load struct {
	loader    proto.NetworkLoaderID   // of the document that is shown
	loaded    proto.NetworkLoaderID   // of the last document that finished loading
	empty     proto.NetworkLoaderID   // of the empty document that a new window begins with, "" once it has another
	moves     int                     // counts documents shown and moves within one
	documents []proto.NetworkLoaderID // the last few documents: one may have redirected to the next
	posted    bool                    // the document is the response to a form
	byUser    bool                    // the user navigated there, in a pane of theirs
	edited    bool                    // the user entered something in it
	// posting is the document that a form was last submitted for.
	posting proto.NetworkLoaderID
	// holdInputUntil is the time at which input stops waiting for the first frame of the document, see
	// awaitFirstPaint.
	holdInputUntil time.Time
}

// setDocument records that another document is shown.
func (l *load) setDocument(loader proto.NetworkLoaderID) {
	const maxShown = 16
	l.edited = false
	l.loader, l.documents = loader, append(l.documents[max(0, len(l.documents)-maxShown):], loader)
}

// isLoaded reports whether the document is loaded.
func (l load) isLoaded() bool { return l.loader == l.loaded && !l.awaitsDocument() }

// awaitsDocument reports whether the pane is a new window whose document has not arrived.
func (l load) awaitsDocument() bool { return l.empty != "" && (l.loader == "" || l.loader == l.empty) }
