package browser

import (
	"context"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
)

// What a frame of another origin tells of a place is counted from its own corner:
// it cannot know where that lies. The host knows which frame told it.

// maxContexts is how many frames' worlds are remembered; older ones belong to
// documents that are gone.
const maxContexts = 500

// isolatedContexts are the execution contexts of ours in a page, by ids that Chromium gives again
// in each process. Its methods may be called concurrently.
type isolatedContexts struct {
	mu    sync.Mutex
	known map[proto.RuntimeExecutionContextID]isolatedContext
}

// isolatedContext is a world of ours: its name, the frame that it is in, and what no other
// world is ever called.
type isolatedContext struct {
	name   string
	frame  proto.PageFrameID
	unique string
}

func (w *isolatedContexts) add(id proto.RuntimeExecutionContextID, own isolatedContext) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known == nil || len(w.known) >= 2*maxContexts {
		kept := map[proto.RuntimeExecutionContextID]isolatedContext{}
		for older, known := range w.known {
			if older+maxContexts > id { // ids grow
				kept[older] = known
			}
		}
		w.known = kept
	}
	w.known[id] = own
}

func (w *isolatedContexts) get(id proto.RuntimeExecutionContextID) isolatedContext {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known[id]
}

// onContext notes a world of ours.
func (pg *page) onContext(e *cdp.Event) {
	var ev struct {
		Context struct {
			ID     proto.RuntimeExecutionContextID `json:"id"`
			Unique string                          `json:"uniqueId"`
			Name   string                          `json:"name"`
			Aux    struct {
				FrameID proto.PageFrameID `json:"frameId"`
			} `json:"auxData"`
		} `json:"context"`
	}
	if decode(e, &ev) && (ev.Context.Name == worldName || ev.Context.Name == scriptWorldName) {
		pg.worlds.add(ev.Context.ID, isolatedContext{ev.Context.Name, ev.Context.Aux.FrameID, ev.Context.Unique})
	}
}

// frameOffset is where the document of a world of ours begins in the pane, in CSS pixels.
func (p *Pane) frameOffset(ctx context.Context, pg *page, world proto.RuntimeExecutionContextID) (x, y float64, err error) {
	frame := pg.frame()
	if own := pg.worlds.get(world); own.frame != "" {
		frame = own.frame
	}
	for {
		if frame != pg.frame() {
			dx, dy, err := pg.frameElementOffset(ctx, frame)
			if err != nil {
				return 0, 0, err
			}
			x, y = x+dx, y+dy
		}
		f := p.frameBySession(pg.session)
		if f == nil {
			return x, y, nil
		}
		frame, pg = pg.frame(), f.above
	}
}

// frameElementOffset is where the content of the element that holds a frame begins, seen from this page.
func (pg *page) frameElementOffset(ctx context.Context, frame proto.PageFrameID) (x, y float64, err error) {
	err = pg.do(ctx, callLimit, "finding a frame", func(c proto.Client) error {
		owner, err := cdp.Call(c, proto.DOMGetFrameOwner{FrameID: frame})
		if err != nil {
			return err
		}
		box, err := cdp.Call(c, proto.DOMGetBoxModel{BackendNodeID: owner.BackendNodeID})
		if err == nil && len(box.Model.Content) >= 2 {
			x, y = box.Model.Content[0], box.Model.Content[1]
		}
		return err
	})
	return x, y, err
}
