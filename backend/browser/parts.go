package browser

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/pane"
)

// part is a frame of another site. Chromium gives it a process, and so a session
// and eyes of its own; the mouse and the keyboard are the page's.
type part struct {
	*page
	above  *page                // the page or the part that holds the frame
	number atomic.Int64         // by which walker.js of above knows it, 0 before it was told
	told   atomic.Pointer[eyes] // of above
}

// counter counts what gets a name in a pane: refs, and the frames that they are in.
type counter struct {
	refs, frames atomic.Int64
	mu           sync.Mutex
	where        map[int64]*page // the page that knows the refs of a frame
}

// seen takes the newest numbers that a page gave.
func (c *counter) seen(pg *page, refs, frames int64) {
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

func (c *counter) holder(frame int64) *page {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.where[frame]
}

// attachParts makes Chromium tell of frames of other sites, which wait until they
// are prepared; rod's type of 2024 knows no filter. Workers wait as well, whatever
// the filter says: one that were not told of would wait for ever.
type attachParts struct{}

// ProtoReq is asked for by proto.
func (attachParts) ProtoReq() string { return "Target.setAutoAttach" }

// MarshalJSON gives the command's parameters.
func (attachParts) MarshalJSON() ([]byte, error) {
	return []byte(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":[{"type":"iframe"},{"type":"worker"},{"exclude":true}]}`), nil
}

// listening keeps no bodies of what comes.
var listening = proto.NetworkEnable{MaxTotalBufferSize: zero(), MaxResourceBufferSize: zero()}

var networkOff = proto.NetworkDisable{}

func zero() *int {
	n := 0
	return &n
}

// onPart takes the news that a frame of another site came to above, or went.
func (p *Pane) onPart(above *page, e *cdp.Event) {
	var ev struct {
		SessionID  proto.TargetSessionID `json:"sessionId"`
		TargetInfo struct {
			TargetID proto.TargetTargetID `json:"targetId"`
			Type     string               `json:"type"`
		} `json:"targetInfo"`
	}
	if !decode(e, &ev) || ev.SessionID == "" {
		return
	}
	if e.Method == "Target.detachedFromTarget" {
		p.loosen(func(f *part) bool { return f.session == ev.SessionID })
		return
	}
	if ev.TargetInfo.Type != "iframe" {
		above.engine.post(ev.SessionID, proto.RuntimeRunIfWaitingForDebugger{})
		above.post(proto.TargetDetachFromTarget{SessionID: ev.SessionID}) // its requests are its page's
		return
	}
	f := &part{page: &page{engine: above.engine, target: ev.TargetInfo.TargetID, session: ev.SessionID, count: above.count, part: true}, above: above}
	f.alive, f.end = context.WithCancelCause(above.alive)
	p.m.mu.Lock()
	p.m.parts[f.session] = p
	p.m.mu.Unlock()
	listens := false
	p.change(func() { p.parts, listens = append(p.parts, f), p.listens() })
	requests := []proto.Request{
		proto.PageEnable{},
		proto.InspectorEnable{},
		proto.RuntimeEnable{},
		attachParts{},
		p.m.gates(),
		proto.PageSetInterceptFileChooserDialog{Enabled: true},
	}
	if !p.bare {
		requests = append(requests, ours...)
	}
	if listens {
		requests = append(requests, listening)
	}
	for _, req := range append(requests, proto.RuntimeRunIfWaitingForDebugger{}) {
		f.post(req)
	}
}

// onPartEvent takes an event of a part's session.
func (p *Pane) onPartEvent(e *cdp.Event) {
	f := p.partOf(proto.TargetSessionID(e.SessionID))
	if f == nil {
		return
	}
	switch e.Method {
	case "Target.attachedToTarget", "Target.detachedFromTarget":
		p.onPart(f.page, e)
	case "Runtime.executionContextsCleared":
		f.another()
	case "Inspector.targetCrashed":
		f.end(ErrCrashed)
		p.report("a frame of the page crashed: reload the page")
	case "Page.fileChooserOpened":
		p.onFileChooser(f.page, e)
	case "Page.windowOpen", "Page.downloadWillBegin", "Runtime.consoleAPICalled", "Runtime.exceptionThrown":
		p.onSaid(e)
	case "Page.javascriptDialogOpening":
		p.onDialog(f.page, e)
	case "Page.javascriptDialogClosed":
		p.withdraw(ofKind(pane.Alert, pane.Confirm, pane.Prompt, pane.BeforeUnload))
	case "Fetch.requestPaused":
		p.onPaused(f.page, e)
	case "Fetch.authRequired":
		p.onAuth(f.page, e)
	case "Runtime.bindingCalled":
		p.onTold(f.page, e)
	case "Runtime.executionContextCreated":
		f.onContext(e)
	default:
		if strings.HasPrefix(e.Method, "Network.") {
			p.onNetwork(e)
			p.noteRequest(e)
		}
	}
}

func (p *Pane) partOf(session proto.TargetSessionID) *part {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.parts {
		if f.session == session {
			return f
		}
	}
	return nil
}

// loosen lets go of parts, and of those inside them.
func (p *Pane) loosen(which func(*part) bool) {
	var gone []*part
	p.change(func() {
		var kept []*part
		lost := map[*page]bool{}
		for _, f := range p.parts { // a part comes after the one that holds it
			if which(f) || lost[f.above] {
				lost[f.page] = true
				gone = append(gone, f)
			} else {
				kept = append(kept, f)
			}
		}
		p.parts = kept
	})
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	for _, f := range gone {
		delete(p.m.parts, f.session)
		f.end(ErrEnded)
	}
}

func (p *Pane) dropParts() { p.loosen(func(*part) bool { return true }) }

func (m *Manager) byPart(id proto.TargetSessionID) *Pane {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.parts[id]
}

// within lists the parts that a page holds itself.
func (p *Pane) within(above *page) []*part {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []*part
	for _, f := range p.parts {
		if f.above == above && f.alive.Err() == nil {
			list = append(list, f)
		}
	}
	return list
}

// number gives the parts of a page numbers in its eyes, so that they have a place
// among its lines.
func (p *Pane) number(ctx context.Context, above *page) {
	p.numbering.Lock()
	defer p.numbering.Unlock()
	for _, f := range p.within(above) {
		world, _, err := above.look(ctx)
		if err != nil || f.told.Load() == world && f.number.Load() != 0 {
			continue
		}
		if _, err := above.inEyes(ctx, "true"); err != nil { // the script is there
			continue
		}
		err = above.do(ctx, callLimit, "finding a frame", func(c proto.Client) error {
			owner, err := ask(c, proto.DOMGetFrameOwner{FrameID: f.frame()})
			if err != nil {
				return err
			}
			f.number.Store(p.parting.Add(1))
			return above.hand(c, owner.BackendNodeID, world.id, fmt.Sprintf("goalpost.hold(this, %d)", f.number.Load()))
		})
		if err == nil {
			f.told.Store(world)
		}
	}
}

// hand runs an expression with a node of the document as this.
func (pg *page) hand(c proto.Client, node proto.DOMBackendNodeID, world proto.RuntimeExecutionContextID, expression string) error {
	found, err := ask(c, proto.DOMResolveNode{BackendNodeID: node, ExecutionContextID: world})
	if err != nil {
		return err
	}
	return tell(c, proto.RuntimeCallFunctionOn{ObjectID: found.Object.ObjectID, FunctionDeclaration: "function () { " + expression + " }", Silent: true})
}

// views are a page and its parts, in the order in which they came.
func (p *Pane) views(pg *page) []*page {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := []*page{pg}
	for _, f := range p.parts {
		if f.alive.Err() == nil && len(list) <= mostParts {
			list = append(list, f.page)
		}
	}
	return list
}

var inFrame = regexp.MustCompile(`^f(\d+)e\d+$`)

// where is the page or the part whose eyes gave a ref; the page if it is none.
func (p *Pane) where(pg *page, target string) *page {
	if m := inFrame.FindStringSubmatch(target); m != nil {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		if holder := p.count.holder(n); holder != nil && holder.alive.Err() == nil {
			return holder
		}
	}
	return pg
}

// askAt calls a function of walker.js that takes a target, where the target is:
// what no element of the page itself fits is looked for in its parts. A ref whose
// element is gone is found again if only one thing looks as it did. It says in
// which page it was.
func (p *Pane) askAt(ctx context.Context, pg *page, out any, function, target string, args ...any) (*page, error) {
	at := p.where(pg, target)
	err := at.ask(ctx, out, function, append([]any{target}, args...)...)
	switch {
	case errors.Is(err, ErrStale):
		place, ref, why := p.refind(ctx, pg, target)
		if ref == "" {
			return at, fmt.Errorf("%w%s", err, why)
		}
		p.tell(fmt.Sprintf("%s was gone; %s is the only thing like it now", target, ref))
		return place, place.ask(ctx, out, function, append([]any{ref}, args...)...)
	case !nowhere(err) || target == "":
		return at, err
	}
	silent := false
	for _, part := range p.views(pg)[1:] {
		inside := part.ask(ctx, out, function, append([]any{target}, args...)...)
		if inside == nil || isMiss(inside) && !nowhere(inside) {
			return part, inside
		}
		silent = silent || part.silent(inside)
	}
	if silent {
		err = fmt.Errorf("%w (%s)", err, inSilence)
	}
	return at, err
}

// inSilence is said of what was not found or not told where a frame does not answer.
const inSilence = "a frame of the page does not answer, and what it holds is not known"

// dullness is how long a frame of another site that did not answer is left alone, and mostParts how many are
// looked into at all: a page may have as many as it likes.
const (
	dullness  = 20 * time.Second
	mostParts = 30
)

var errDull = errors.New("a frame of the page does not answer")

// outward brings a point of a part to where it lies on the page. What lies over the
// frame is named.
func (p *Pane) outward(ctx context.Context, from *page, at *aimed) error {
	for f := p.partOf(from.session); f != nil; f = p.partOf(f.above.session) {
		p.number(ctx, f.above)
		if err := f.above.ask(ctx, at, "through", f.number.Load(), at.X, at.Y); err != nil {
			return err
		}
	}
	return nil
}
