// Package browser shows real Chromium in panes: a user sees frames and sends
// input, an agent takes snapshots, clicks and types. One Chromium serves the
// user and every goal; each goal has a browser context of its own, so that
// cookies and storage never mix. Chromium is reached over a pipe (descriptors
// 3 and 4), never over a debugging port, and it ends when the pipe closes.
//
// Everything that comes from a page (text, titles, dialogs, addresses) is
// hostile: it is shortened and cleaned before it leaves this package.
package browser

import (
	"errors"
	"time"

	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/chromium"
)

// Errors that callers distinguish with errors.Is.
var (
	// ErrMissing means that no Chromium is installed; the text says what to install.
	ErrMissing = chromium.ErrMissing
	// ErrLocked means that another Goalpost process uses the profile.
	ErrLocked = chromium.ErrLocked
	// ErrCrashed means that the page's process ended; Reload restores the page.
	ErrCrashed = cdp.NewCause("the page crashed: reload it")
	// ErrEnded means that Chromium ended; Reload or Navigate starts it again.
	ErrEnded = cdp.ErrEnded
	// errClosedItself means that a page closed its own window.
	errClosedItself = cdp.KindCause("the page closed itself: open an address in this pane, or reload it", ErrEnded)
	// ErrClosed means that the pane or the manager was closed.
	ErrClosed = cdp.ErrClosed
	// ErrRefused means that a pane may not open the address.
	ErrRefused error = fault.Kind(fault.Refused, "url", "address refused",
		"open an address that begins with http:// or https://")
	// ErrStale means that a ref names an element that is no longer on the page.
	ErrStale = errors.New("stale ref, take a new snapshot")
	// ErrTimeout means that the page did not answer in time.
	ErrTimeout = cdp.ErrTimeout
)

// The timeouts of one operation, besides the caller's context. The type limits holds those that
// protect against hostile pages.
const (
	navigateTimeout = 30 * time.Second // until the server answers
	launchTimeout   = 30 * time.Second
)

// Find returns the path of the Chromium to use. The error is ErrMissing and says what to install.
func Find() (string, error) { return chromium.Find() }

// FindDesktopOpener returns the desktop's program that opens files; false without a desktop.
func FindDesktopOpener() (string, bool) { return chromium.FindDesktopOpener() }
