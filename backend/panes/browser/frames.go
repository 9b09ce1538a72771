package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/script"
)

// frames are the page's frames of other sites, each with its own session.
type frames struct {
	state *State

	refs     refAllocator // for all documents of the pane, so that no ref of an old one is valid in a new one
	numberMu sync.Mutex   // held while frames of other sites get their numbers
	numbered atomic.Int64 // counts them

	mu   sync.Mutex     // guards list; never held during a call of another part
	list []*remoteFrame // a frame comes after the one that contains it
}

// remoteFrame is a frame of another site. It has its own process, and so its own session and
// script context; the mouse and the keyboard belong to the page.
type remoteFrame struct {
	*page
	above           *page                              // the page or the frame that contains this one
	number          atomic.Int64                       // its number in the page.js of above, 0 until it has one
	reportedContext atomic.Pointer[script.PageContext] // of above
}

// refAllocator counts the refs of a pane, and the frames that contain them.
type refAllocator struct {
	refs, frames atomic.Int64
	mu           sync.Mutex
	where        map[int64]*page // which page has the refs of a frame
}

// observeNumbers stores the newest numbers that a page has used.
func (c *refAllocator) observeNumbers(pg *page, refs, frames int64) {
	c.refs.Store(max(c.refs.Load(), refs))
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := c.frames.Load() + 1; n <= frames; n++ {
		if c.where == nil {
			c.where = map[int64]*page{}
		}
		c.where[n] = pg
	}
	c.frames.Store(max(c.frames.Load(), frames))
}

func (c *refAllocator) pageOfFrame(frame int64) *page {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.where[frame]
}

// autoAttach makes Chromium report new targets of some types, and hold them until they are
// prepared. Its value is the filter in JSON, which rod's type of 2024 lacks.
type autoAttach string

const (
	// attachFrames is for frames of other sites. Chromium holds workers as well, whatever the filter
	// says: one that is not reported would be held for ever.
	attachFrames autoAttach = `[{"type":"iframe"},{"type":"worker"},{"exclude":true}]`
	// attachOthers is for targets of no pane, until onTarget has seen them.
	attachOthers autoAttach = `[{"type":"service_worker"},{"type":"shared_worker"},{"type":"page"},{"exclude":true}]`
)

// ProtoReq implements proto.Request.
func (autoAttach) ProtoReq() string { return "Target.setAutoAttach" }

// MarshalJSON returns the command's parameters.
func (a autoAttach) MarshalJSON() ([]byte, error) {
	return []byte(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":` + string(a) + `}`), nil
}

// networkEnableParams turns on network events and stores no response bodies.
var networkEnableParams = proto.NetworkEnable{MaxTotalBufferSize: new(int), MaxResourceBufferSize: new(int)}

// add adds a frame that has been attached.
func (fs *frames) add(f *remoteFrame) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.list = append(fs.list, f)
}

func (fs *frames) bySession(session proto.TargetSessionID) *remoteFrame {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.list {
		if f.session == session {
			return f
		}
	}
	return nil
}

// detachFrames removes frames, and those inside them.
func (fs *frames) detachFrames(which func(*remoteFrame) bool) {
	gone := fs.takeFrames(which)
	fs.state.m.mu.Lock()
	defer fs.state.m.mu.Unlock()
	for _, f := range gone {
		delete(fs.state.m.remoteFrames, f.session)
		f.end(ErrEnded)
	}
}

// takeFrames removes frames, and those inside them, from the list.
func (fs *frames) takeFrames(which func(*remoteFrame) bool) (gone []*remoteFrame) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var kept []*remoteFrame
	lost := map[*page]bool{}
	for _, f := range fs.list { // a frame comes after the one that contains it
		if which(f) || lost[f.above] {
			lost[f.page] = true
			gone = append(gone, f)
		} else {
			kept = append(kept, f)
		}
	}
	fs.list = kept
	return gone
}

func (fs *frames) detachAll() { fs.detachFrames(func(*remoteFrame) bool { return true }) }

func (m *Manager) byFrameSession(id proto.TargetSessionID) *Pane {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.remoteFrames[id]
}

// childrenOf lists the frames that a page contains directly.
func (fs *frames) childrenOf(above *page) []*remoteFrame {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var list []*remoteFrame
	for _, f := range fs.list {
		if f.above == above && f.alive.Err() == nil {
			list = append(list, f)
		}
	}
	return list
}

// numberFrames gives the frames of a page numbers in its page.js, so that they have a place
// among its lines.
func (fs *frames) numberFrames(ctx context.Context, above *page) {
	fs.numberMu.Lock()
	defer fs.numberMu.Unlock()
	ctx, cancel := above.boundAnswers(ctx)
	defer cancel()
	for _, f := range fs.childrenOf(above) {
		world, _, err := above.scriptContext(ctx)
		if err != nil || f.reportedContext.Load() == world && f.number.Load() != 0 {
			continue
		}
		if _, err := above.evalInScriptWorld(ctx, "true"); err != nil { // makes sure that the script is there
			continue
		}
		err = above.do(ctx, above.callLimit(), "finding a frame", func(c proto.Client) error {
			owner, err := cdp.Call(c, proto.DOMGetFrameOwner{FrameID: f.mainFrame()})
			if err != nil {
				return err
			}
			f.number.Store(fs.numbered.Add(1))
			register := fmt.Sprintf("goalpost.registerForeignFrame(this, %d)", f.number.Load())
			return above.callOnNode(c, owner.BackendNodeID, world.ID, register)
		})
		if err == nil {
			f.reportedContext.Store(world)
		}
	}
}

// callOnNode evaluates an expression with a node of the document as this.
func (pg *page) callOnNode(
	c proto.Client, node proto.DOMBackendNodeID, world proto.RuntimeExecutionContextID, expression string,
) error {
	found, err := cdp.Call(c, proto.DOMResolveNode{BackendNodeID: node, ExecutionContextID: world})
	if err != nil {
		return err
	}
	return cdp.CallNoResult(c, proto.RuntimeCallFunctionOn{
		ObjectID:            found.Object.ObjectID,
		FunctionDeclaration: "function () { " + expression + " }",
		Silent:              true,
	})
}

// inOrder lists a page and its frames, oldest first.
func (fs *frames) inOrder(pg *page) []*page {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	list := []*page{pg}
	for _, f := range fs.list {
		if f.alive.Err() == nil && len(list) <= maxFrames {
			list = append(list, f.page)
		}
	}
	return list
}

// unresponsiveFrameText is added to results that lack the content of a frame.
const unresponsiveFrameText = "a frame of the page does not answer, so its content is unknown"

// frameTimeout is the time without calls for a frame of another site that did not answer. maxFrames
// limits the frames that are read: a page may have any number.
const (
	frameTimeout = 20 * time.Second
	maxFrames    = 30
)

var errFrameUnresponsive = errors.New("a frame of the page does not answer")

// toPagePoint converts a point of a frame to a point of the page. The error names what covers the
// frame there.
func (fs *frames) toPagePoint(ctx context.Context, from *page, at *targetPoint) error {
	for f := fs.bySession(from.session); f != nil; f = fs.bySession(f.above.session) {
		fs.numberFrames(ctx, f.above)
		if err := f.above.callScript(ctx, at, "mapFramePoint", f.number.Load(), at.X, at.Y); err != nil {
			return err
		}
	}
	return nil
}

// A frame of another origin reports positions from its own corner, because it cannot know where that corner is in the
// pane. Go knows which frame sent a position, and adds the offset.

// frameOffset returns where the document of a script context begins in the pane, in CSS pixels.
func (fs *frames) frameOffset(
	ctx context.Context, pg *page, world proto.RuntimeExecutionContextID,
) (x, y float64, err error) {
	frame := pg.mainFrame()
	if own := pg.worlds.Get(world); own.Frame != "" {
		frame = own.Frame
	}
	for {
		if frame != pg.mainFrame() {
			dx, dy, err := pg.frameElementOffset(ctx, frame)
			if err != nil {
				return 0, 0, err
			}
			x, y = x+dx, y+dy
		}
		f := fs.bySession(pg.session)
		if f == nil {
			return x, y, nil
		}
		frame, pg = pg.mainFrame(), f.above
	}
}

// frameElementOffset returns where the content of a frame element begins, in this page's coordinates.
func (pg *page) frameElementOffset(ctx context.Context, frame proto.PageFrameID) (x, y float64, err error) {
	err = pg.do(ctx, pg.callLimit(), "finding a frame", func(c proto.Client) error {
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

// pageAndFrames returns the page, followed by its frames. The caller holds the state's mutex.
func (fs *frames) pageAndFrames() []*page {
	if fs.state.page == nil {
		return nil
	}
	list := []*page{fs.state.page}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.list {
		list = append(list, f.page)
	}
	return list
}

// countRemote counts the frames of other sites.
func (fs *frames) countRemote() int {
	pg, err := fs.state.currentPage()
	if err != nil {
		return 0
	}
	return len(fs.inOrder(pg)) - 1
}

func (fs *frames) hasTarget(id proto.TargetTargetID) bool {
	fs.state.mu.Lock()
	pg := fs.state.page
	fs.state.mu.Unlock()
	if pg != nil && pg.target == id {
		return true
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return slices.ContainsFunc(fs.list, func(f *remoteFrame) bool { return f.target == id })
}
