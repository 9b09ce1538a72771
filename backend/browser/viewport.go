package browser

import (
	"sync"

	"github.com/go-rod/rod/lib/proto"
)

// viewport is the size of the page and of its pixels.
type viewport struct {
	pane  *Pane
	state *state

	viewportMu sync.Mutex // held while the page is told its size
	width      int
	height     int
	ratio      float64 // pixels of the viewer's screen for one of CSS
	zoomScript proto.PageScriptIdentifier
}
