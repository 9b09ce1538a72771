package script

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/cdp"
)

// UserPromptsWorldName names the isolated world of userprompts.js: it shares the document with the page and
// nothing else, so the page can neither see nor change it.
const UserPromptsWorldName = "goalpost"

// PageWorldName names the isolated world of page.js. Unlike the world of userprompts.js, it may
// read frames of any origin in its process.
const PageWorldName = "goalpost page"

// maxContexts limits the worlds that are remembered; older ones belong to documents that no longer
// exist.
const maxContexts = 500

// AddScript has fields that rod's type of 2024 lacks.
type AddScript struct {
	Source         string `json:"source"`
	WorldName      string `json:"worldName,omitempty"` // the page's own if ""
	RunImmediately bool   `json:"runImmediately"`
}

// ProtoReq implements proto.Request.
func (AddScript) ProtoReq() string { return "Page.addScriptToEvaluateOnNewDocument" }

// PageContext is the world of page.js in one document. Its id alone is ambiguous: when
// the page moves to another process, another world, even the page's own, may have the same id.
type PageContext struct {
	ID     proto.RuntimeExecutionContextID
	Unique string

	// Document is the id of the document in the page's own world, nil until it is needed.
	Document atomic.Pointer[proto.RuntimeRemoteObjectID]
	// HasScript means that page.js has run in the world.
	HasScript atomic.Bool
	// document is the id of the document in this world, nil until it is needed.
	document atomic.Pointer[proto.RuntimeRemoteObjectID]

	mu        sync.Mutex
	listening map[proto.DOMBackendNodeID]struct{}
}

// maxListening limits the elements with listeners that are passed to the script of one document.
const maxListening = 2000

// AddListening stores elements that the page listens on, and returns those that were not stored,
// at most limit.
func (p *PageContext) AddListening(nodes []proto.DOMBackendNodeID, limit int) []proto.DOMBackendNodeID {
	p.mu.Lock()
	defer p.mu.Unlock()
	var added []proto.DOMBackendNodeID
	for _, n := range nodes {
		if _, isListening := p.listening[n]; isListening || len(added) == limit || len(p.listening) >= maxListening {
			continue
		}
		if p.listening == nil {
			p.listening = map[proto.DOMBackendNodeID]struct{}{}
		}
		p.listening[n] = struct{}{}
		added = append(added, n)
	}
	return added
}

// OwnDocument returns the id of the document in the world, which is valid as long as the world.
func (p *PageContext) OwnDocument(client proto.Client) (proto.RuntimeRemoteObjectID, error) {
	if id := p.document.Load(); id != nil {
		return *id, nil
	}
	document, err := cdp.Call(client, p.Evaluate("document"))
	if err != nil {
		return "", fmt.Errorf("finding the document: %w", err)
	}
	p.document.Store(&document.Result.ObjectID)
	return document.Result.ObjectID, nil
}

// Evaluate creates the command that evaluates an expression in the world.
func (p *PageContext) Evaluate(expression string) proto.RuntimeEvaluate {
	return proto.RuntimeEvaluate{Expression: expression, UniqueContextID: p.Unique}
}

// Context is one of our worlds: its name, its frame, and a string that identifies it among all
// worlds of all processes.
type Context struct {
	Name   string
	Frame  proto.PageFrameID
	Unique string
}

// Contexts are our execution contexts in a page, by ids that are unique within a process only.
// Its methods may be called concurrently.
type Contexts struct {
	Page atomic.Pointer[PageContext] // in the current document, nil if unknown

	mu        sync.Mutex
	contexts  map[proto.RuntimeExecutionContextID]Context
	documents atomic.Int64 // counts the documents of the page; changed while mu is held
}

// OnCreated records one of our worlds, from the event Runtime.executionContextCreated.
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
	if json.Unmarshal(e.Params, &ev) != nil {
		return
	}
	if name := ev.Context.Name; name == UserPromptsWorldName || name == PageWorldName {
		c.add(ev.Context.ID, Context{ev.Context.Name, ev.Context.Aux.FrameID, ev.Context.Unique})
	}
}

func (c *Contexts) add(id proto.RuntimeExecutionContextID, world Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.contexts == nil || len(c.contexts) >= 2*maxContexts {
		newer := map[proto.RuntimeExecutionContextID]Context{}
		for older, entry := range c.contexts {
			if older+maxContexts > id { // ids grow
				newer[older] = entry
			}
		}
		c.contexts = newer
	}
	c.contexts[id] = world
}

// Get returns the world of an id, empty if it is not one of ours.
func (c *Contexts) Get(id proto.RuntimeExecutionContextID) Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.contexts[id]
}

// Documents returns how many documents the page has shown.
func (c *Contexts) Documents() int64 { return c.documents.Load() }

// LeaveDocument records that the page shows another document.
func (c *Contexts) LeaveDocument() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.documents.Add(1)
	c.Page.Store(nil)
}

// SetPage stores the world of page.js with this id, unless its document was left.
// documents is the result of Documents before the world was created.
func (c *Contexts) SetPage(id proto.RuntimeExecutionContextID, documents int64) *PageContext {
	c.mu.Lock()
	defer c.mu.Unlock()
	world := c.contexts[id]
	if world.Name != PageWorldName || c.documents.Load() != documents {
		return nil
	}
	s := &PageContext{ID: id, Unique: world.Unique}
	c.Page.Store(s)
	return s
}

// Arguments formats values as JavaScript.
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
