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

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/script"
)

// frames are the page's frames of other sites, each with a session of its own. The list is
// guarded by the state's mutex: it belongs to the page.
type frames struct {
	state *state

	refs     refAllocator   // of refs in all documents of the pane, so that an old one fits none of a new one
	numberMu sync.Mutex     // held while frames of other sites get their numbers
	list     []*remoteFrame // of the page: frames of other sites
	numbered atomic.Int64   // counts them
}

// remoteFrame is a frame of another site. Chromium gives it a process, and so a session
// and eyes of its own; the mouse and the keyboard are the page's.
type remoteFrame struct {
	*page
	above           *page                                  // the page or the part that holds the frame
	number          atomic.Int64                           // by which snapshot.js of above knows it, 0 before it was told
	reportedContext atomic.Pointer[script.SnapshotContext] // of above
}

// refAllocator counts what gets a name in a pane: refs, and the frames that they are in.
type refAllocator struct {
	refs, frames atomic.Int64
	mu           sync.Mutex
	where        map[int64]*page // the page that knows the refs of a frame
}

// observeNumbers takes the newest numbers that a page gave.
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

// autoAttachFrames makes Chromium tell of frames of other sites, which wait until they
// are prepared; rod's type of 2024 knows no filter. Workers wait as well, whatever
// the filter says: one that were not told of would wait for ever.
type autoAttachFrames struct{}

// ProtoReq is asked for by proto.
func (autoAttachFrames) ProtoReq() string { return "Target.setAutoAttach" }

// MarshalJSON gives the command's parameters.
func (autoAttachFrames) MarshalJSON() ([]byte, error) {
	return []byte(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,` +
		`"filter":[{"type":"iframe"},{"type":"worker"},{"exclude":true}]}`), nil
}

// networkEnableParams keeps no bodies of what comes.
var networkEnableParams = proto.NetworkEnable{MaxTotalBufferSize: intPtrZero(), MaxResourceBufferSize: intPtrZero()}

var networkOff = proto.NetworkDisable{}

func intPtrZero() *int {
	n := 0
	return &n
}

func (fs *frames) bySession(session proto.TargetSessionID) *remoteFrame {
	fs.state.mu.Lock()
	defer fs.state.mu.Unlock()
	for _, f := range fs.list {
		if f.session == session {
			return f
		}
	}
	return nil
}

// detachFrames lets go of parts, and of those inside them.
func (fs *frames) detachFrames(which func(*remoteFrame) bool) {
	var gone []*remoteFrame
	fs.state.change(func() {
		var kept []*remoteFrame
		lost := map[*page]bool{}
		for _, f := range fs.list { // a part comes after the one that holds it
			if which(f) || lost[f.above] {
				lost[f.page] = true
				gone = append(gone, f)
			} else {
				kept = append(kept, f)
			}
		}
		fs.list = kept
	})
	fs.state.m.mu.Lock()
	defer fs.state.m.mu.Unlock()
	for _, f := range gone {
		delete(fs.state.m.parts, f.session)
		f.end(ErrEnded)
	}
}

func (fs *frames) detachAll() { fs.detachFrames(func(*remoteFrame) bool { return true }) }

func (m *Manager) byFrameSession(id proto.TargetSessionID) *Pane {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.parts[id]
}

// childrenOf lists the parts that a page holds itself.
func (fs *frames) childrenOf(above *page) []*remoteFrame {
	fs.state.mu.Lock()
	defer fs.state.mu.Unlock()
	var list []*remoteFrame
	for _, f := range fs.list {
		if f.above == above && f.alive.Err() == nil {
			list = append(list, f)
		}
	}
	return list
}

// numberFrames gives the parts of a page numbers in its eyes, so that they have a place
// among its lines.
func (fs *frames) numberFrames(ctx context.Context, above *page) {
	fs.numberMu.Lock()
	defer fs.numberMu.Unlock()
	for _, f := range fs.childrenOf(above) {
		world, _, err := above.scriptContext(ctx)
		if err != nil || f.reportedContext.Load() == world && f.number.Load() != 0 {
			continue
		}
		if _, err := above.evalInScriptWorld(ctx, "true"); err != nil { // the script is there
			continue
		}
		err = above.do(ctx, callLimit, "finding a frame", func(c proto.Client) error {
			owner, err := cdp.Call(c, proto.DOMGetFrameOwner{FrameID: f.mainFrame()})
			if err != nil {
				return err
			}
			f.number.Store(fs.numbered.Add(1))
			return above.callOnNode(c, owner.BackendNodeID, world.ID, fmt.Sprintf("goalpost.registerForeignFrame(this, %d)", f.number.Load()))
		})
		if err == nil {
			f.reportedContext.Store(world)
		}
	}
}

// callOnNode runs an expression with a node of the document as this.
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

// inOrder are a page and its parts, in the order in which they came.
func (fs *frames) inOrder(pg *page) []*page {
	fs.state.mu.Lock()
	defer fs.state.mu.Unlock()
	list := []*page{pg}
	for _, f := range fs.list {
		if f.alive.Err() == nil && len(list) <= maxFrames {
			list = append(list, f.page)
		}
	}
	return list
}

// unresponsiveFrameText is said of what was not found or not told where a frame does not answer.
const unresponsiveFrameText = "a frame of the page does not answer, and what it holds is not known"

// frameTimeout is how long a frame of another site that did not answer is left alone, and maxFrames how many are
// looked into at all: a page may have as many as it likes.
const (
	frameTimeout = 20 * time.Second
	maxFrames    = 30
)

var errFrameUnresponsive = errors.New("a frame of the page does not answer")

// toPagePoint brings a point of a part to where it lies on the page. What lies over the
// frame is named.
func (fs *frames) toPagePoint(ctx context.Context, from *page, at *targetPoint) error {
	for f := fs.bySession(from.session); f != nil; f = fs.bySession(f.above.session) {
		fs.numberFrames(ctx, f.above)
		if err := f.above.callScript(ctx, at, "through", f.number.Load(), at.X, at.Y); err != nil {
			return err
		}
	}
	return nil
}

// What a frame of another origin tells of a place is counted from its own corner:
// it cannot know where that lies. The host knows which frame told it.

// frameOffset is where the document of a world of ours begins in the pane, in CSS pixels.
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

// pageAndFrames is the page with its parts; mu is held.
func (fs *frames) pageAndFrames() []*page {
	if fs.state.page == nil {
		return nil
	}
	list := []*page{fs.state.page}
	for _, part := range fs.list {
		list = append(list, part.page)
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
	defer fs.state.mu.Unlock()
	if fs.state.page != nil && fs.state.page.target == id {
		return true
	}
	return slices.ContainsFunc(fs.list, func(f *remoteFrame) bool { return f.target == id })
}
