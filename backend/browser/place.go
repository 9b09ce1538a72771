package browser

import (
	"context"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// What a frame of another origin tells of a place is counted from its own corner:
// it cannot know where that lies. The host knows which frame told it.

// manyWorlds is how many frames' worlds are remembered; older ones belong to
// documents that are gone.
const manyWorlds = 500

// onContext notes in which frame a world of ours is.
func (p *Pane) onContext(pg *page, e *cdp.Event) {
	var ev struct {
		Context struct {
			ID   proto.RuntimeExecutionContextID `json:"id"`
			Name string                          `json:"name"`
			Aux  struct {
				FrameID proto.PageFrameID `json:"frameId"`
			} `json:"auxData"`
		} `json:"context"`
	}
	if !decode(e, &ev) || ev.Context.Name != worldName {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if pg.frames == nil || len(pg.frames) >= 2*manyWorlds {
		kept := map[proto.RuntimeExecutionContextID]proto.PageFrameID{}
		for id, frame := range pg.frames {
			if id+manyWorlds > ev.Context.ID { // ids grow
				kept[id] = frame
			}
		}
		pg.frames = kept
	}
	pg.frames[ev.Context.ID] = ev.Context.Aux.FrameID
}

// cornerOf is where the document of a world of ours begins in the pane, in CSS pixels.
func (p *Pane) cornerOf(ctx context.Context, pg *page, world proto.RuntimeExecutionContextID) (x, y float64, err error) {
	p.mu.Lock()
	frame, known := pg.frames[world]
	p.mu.Unlock()
	if !known {
		frame = pg.frame()
	}
	for {
		if frame != pg.frame() {
			dx, dy, err := pg.holder(ctx, frame)
			if err != nil {
				return 0, 0, err
			}
			x, y = x+dx, y+dy
		}
		f := p.partOf(pg.session)
		if f == nil {
			return x, y, nil
		}
		frame, pg = pg.frame(), f.above
	}
}

// holder is where the content of the element that holds a frame begins, seen from this page.
func (pg *page) holder(ctx context.Context, frame proto.PageFrameID) (x, y float64, err error) {
	err = pg.do(ctx, callLimit, "finding a frame", func(c proto.Client) error {
		owner, err := ask(c, proto.DOMGetFrameOwner{FrameID: frame})
		if err != nil {
			return err
		}
		box, err := ask(c, proto.DOMGetBoxModel{BackendNodeID: owner.BackendNodeID})
		if err == nil && len(box.Model.Content) >= 2 {
			x, y = box.Model.Content[0], box.Model.Content[1]
		}
		return err
	})
	return x, y, err
}
