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
func (r *refAllocator) observeNumbers(pg *page, refs, frames int64) {
	r.refs.Store(max(r.refs.Load(), refs))
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := r.frames.Load() + 1; n <= frames; n++ {
		if r.where == nil {
			r.where = map[int64]*page{}
		}
		r.where[n] = pg
	}
	r.frames.Store(max(r.frames.Load(), frames))
}

func (r *refAllocator) pageOfFrame(frame int64) *page {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.where[frame]
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
func (fr *frames) add(f *remoteFrame) {
	fr.mu.Lock()
	defer fr.mu.Unlock()
	fr.list = append(fr.list, f)
}

func (fr *frames) bySession(session proto.TargetSessionID) *remoteFrame {
	fr.mu.Lock()
	defer fr.mu.Unlock()
	for _, f := range fr.list {
		if f.session == session {
			return f
		}
	}
	return nil
}

// detachFrames removes frames, and those inside them.
func (fr *frames) detachFrames(which func(*remoteFrame) bool) {
	list := fr.takeFrames(which)
	fr.state.m.mu.Lock()
	defer fr.state.m.mu.Unlock()
	for _, f := range list {
		delete(fr.state.m.remoteFrames, f.session)
		f.end(ErrEnded)
	}
}

// takeFrames removes frames, and those inside them, from the list.
func (fr *frames) takeFrames(which func(*remoteFrame) bool) (list []*remoteFrame) {
	fr.mu.Lock()
	defer fr.mu.Unlock()
	var rest []*remoteFrame
	pages := map[*page]bool{}
	for _, f := range fr.list { // a frame comes after the one that contains it
		if which(f) || pages[f.above] {
			pages[f.page] = true
			list = append(list, f)
		} else {
			rest = append(rest, f)
		}
	}
	fr.list = rest
	return list
}

// all lists the frames of other sites that are attached.
func (fr *frames) all() []*page {
	fr.mu.Lock()
	defer fr.mu.Unlock()
	var list []*page
	for _, f := range fr.list {
		if f.alive.Err() == nil {
			list = append(list, f.page)
		}
	}
	return list
}

func (fr *frames) detachAll() { fr.detachFrames(func(*remoteFrame) bool { return true }) }

func (m *Manager) byFrameSession(id proto.TargetSessionID) *Pane {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.remoteFrames[id]
}

// childrenOf lists the frames that a page contains directly.
func (fr *frames) childrenOf(above *page) []*remoteFrame {
	fr.mu.Lock()
	defer fr.mu.Unlock()
	var list []*remoteFrame
	for _, f := range fr.list {
		if f.above == above && f.alive.Err() == nil {
			list = append(list, f)
		}
	}
	return list
}

// numberFrames gives the frames of a page numbers in its page.js, so that they have a place
// among its lines.
func (fr *frames) numberFrames(ctx context.Context, above *page) {
	fr.numberMu.Lock()
	defer fr.numberMu.Unlock()
	ctx, cancel := above.boundAnswers(ctx)
	defer cancel()
	for _, f := range fr.childrenOf(above) {
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
			f.number.Store(fr.numbered.Add(1))
			register := fmt.Sprintf("goalpost.registerForeignFrame(this, %d)", f.number.Load())
			return above.callOnNode(c, owner.BackendNodeID, world.ID, register)
		})
		if err == nil {
			f.reportedContext.Store(world)
		}
	}
}

// callOnNode evaluates an expression with a node of the document as this.
func (p *page) callOnNode(
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
func (fr *frames) inOrder(pg *page) []*page {
	fr.mu.Lock()
	defer fr.mu.Unlock()
	list := []*page{pg}
	for _, f := range fr.list {
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
func (fr *frames) toPagePoint(ctx context.Context, from *page, at *targetPoint) error {
	for f := fr.bySession(from.session); f != nil; f = fr.bySession(f.above.session) {
		fr.numberFrames(ctx, f.above)
		if err := f.above.callScript(ctx, at, "mapFramePoint", f.number.Load(), at.X, at.Y); err != nil {
			return err
		}
	}
	return nil
}

// A frame of another origin reports positions from its own corner, because it cannot know where that corner is in the
// pane. Go knows which frame sent a position, and adds the offset.

// frameOffset returns where the document of a script context begins in the pane, in CSS pixels.
func (fr *frames) frameOffset(
	ctx context.Context, pg *page, world proto.RuntimeExecutionContextID,
) (x, y float64, err error) {
	frame := pg.mainFrame()
	if c := pg.worlds.Get(world); c.Frame != "" {
		frame = c.Frame
	}
	for {
		if frame != pg.mainFrame() {
			dx, dy, err := pg.frameElementOffset(ctx, frame)
			if err != nil {
				return 0, 0, err
			}
			x, y = x+dx, y+dy
		}
		f := fr.bySession(pg.session)
		if f == nil {
			return x, y, nil
		}
		frame, pg = pg.mainFrame(), f.above
	}
}

// frameElementOffset returns where the content of a frame element begins, in this page's coordinates.
func (p *page) frameElementOffset(ctx context.Context, frame proto.PageFrameID) (x, y float64, err error) {
	err = p.do(ctx, p.callLimit(), "finding a frame", func(c proto.Client) error {
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
func (fr *frames) pageAndFrames() []*page {
	if fr.state.page == nil {
		return nil
	}
	list := []*page{fr.state.page}
	fr.mu.Lock()
	defer fr.mu.Unlock()
	for _, f := range fr.list {
		list = append(list, f.page)
	}
	return list
}

// countRemote counts the frames of other sites.
func (fr *frames) countRemote() int {
	pg, err := fr.state.currentPage()
	if err != nil {
		return 0
	}
	return len(fr.inOrder(pg)) - 1
}

func (fr *frames) hasTarget(id proto.TargetTargetID) bool {
	fr.state.mu.Lock()
	pg := fr.state.page
	fr.state.mu.Unlock()
	if pg != nil && pg.target == id {
		return true
	}
	fr.mu.Lock()
	defer fr.mu.Unlock()
	return slices.ContainsFunc(fr.list, func(f *remoteFrame) bool { return f.target == id })
}
