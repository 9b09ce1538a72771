package browser

import (
	"context"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
)

// What a frame of another origin tells of a place is counted from its own corner:
// it cannot know where that lies. The host knows which frame told it.

// frameOffset is where the document of a world of ours begins in the pane, in CSS pixels.
func (p *Pane) frameOffset(ctx context.Context, pg *page, world proto.RuntimeExecutionContextID) (x, y float64, err error) {
	frame := pg.frame()
	if own := pg.worlds.Get(world); own.Frame != "" {
		frame = own.Frame
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
