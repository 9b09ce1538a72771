package script

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
)

// WorldName names the isolated world of our scripts: it shares the document
// with the page, and nothing else, so the page can neither see nor alter them.
const WorldName = "goalpost"

// SnapshotWorldName names the isolated world of snapshot.js. It may look into every frame of
// its process, of whichever origin, which the other world may not.
const SnapshotWorldName = "goalpost eyes"

// maxContexts is how many frames' worlds are remembered; older ones belong to
// documents that are gone.
const maxContexts = 500

// AddScript has what rod's type of 2024 does not know.
type AddScript struct {
	Source         string `json:"source"`
	WorldName      string `json:"worldName,omitempty"` // the page's own if ""
	RunImmediately bool   `json:"runImmediately"`
}

// ProtoReq is asked for by proto.
func (AddScript) ProtoReq() string { return "Page.addScriptToEvaluateOnNewDocument" }

// SnapshotContext is the world of snapshot.js in one document. By its id alone it could be taken for
// another one, even for the page's own, once the page is in another process.
type SnapshotContext struct {
	ID     proto.RuntimeExecutionContextID
	Unique string
}

// Evaluate makes the command that evaluates an expression in the world.
func (c *SnapshotContext) Evaluate(expression string) proto.RuntimeEvaluate {
	return proto.RuntimeEvaluate{Expression: expression, UniqueContextID: c.Unique}
}

// Context is a world of ours: its name, the frame that it is in, and what no other
// world is ever called.
type Context struct {
	Name   string
	Frame  proto.PageFrameID
	Unique string
}

// Contexts are the execution contexts of ours in a page, by ids that Chromium gives again
// in each process. Its methods may be called concurrently.
type Contexts struct {
	Snapshot atomic.Pointer[SnapshotContext] // in the present document, nil if not known

	mu        sync.Mutex
	known     map[proto.RuntimeExecutionContextID]Context
	documents atomic.Int64 // counts those that the page has shown; grows while mu is held
}

// OnCreated notes a world of ours, from the event Runtime.executionContextCreated.
func (c *Contexts) OnCreated(e *cdp.Event) {
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
	if json.Unmarshal(e.Params, &ev) == nil && (ev.Context.Name == WorldName || ev.Context.Name == SnapshotWorldName) {
		c.add(ev.Context.ID, Context{ev.Context.Name, ev.Context.Aux.FrameID, ev.Context.Unique})
	}
}

func (c *Contexts) add(id proto.RuntimeExecutionContextID, own Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= 2*maxContexts {
		kept := map[proto.RuntimeExecutionContextID]Context{}
		for older, known := range c.known {
			if older+maxContexts > id { // ids grow
				kept[older] = known
			}
		}
		c.known = kept
	}
	c.known[id] = own
}

// Get gives the world of an id, empty if it is not one of ours.
func (c *Contexts) Get(id proto.RuntimeExecutionContextID) Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[id]
}

// Documents is how many documents the page has shown.
func (c *Contexts) Documents() int64 { return c.documents.Load() }

// LeaveDocument notes that the page shows another document.
func (c *Contexts) LeaveDocument() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.documents.Add(1)
	c.Snapshot.Store(nil)
}

// SetSnapshot keeps the world of snapshot.js with this id, unless the document is gone that it is
// in. documents is what Documents gave before the world was made.
func (c *Contexts) SetSnapshot(id proto.RuntimeExecutionContextID, documents int64) *SnapshotContext {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.known[id]
	if own.Name != SnapshotWorldName || c.documents.Load() != documents {
		return nil
	}
	s := &SnapshotContext{id, own.Unique}
	c.Snapshot.Store(s)
	return s
}

// Arguments are values as JavaScript.
func Arguments(values []any) (string, error) {
	list := make([]string, len(values))
	for i, v := range values {
		b, err := json.Marshal(v)
		if err != nil {
			return "", fmt.Errorf("asking the page: %w", err)
		}
		list[i] = string(b)
	}
	return strings.Join(list, ","), nil
}
