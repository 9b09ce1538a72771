package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/script"
)

// A script cannot see the listeners of the page, but the protocol reports those of a whole tree in
// one call, which takes a millisecond or two.

// maxNewListeners limits the elements with listeners that one snapshot passes to page.js.
const maxNewListeners = 300

// mouseEvents are the events whose listeners make an element clickable or draggable.
var mouseEvents = map[string]bool{
	"click":       true,
	"dblclick":    true,
	"mousedown":   true,
	"mouseup":     true,
	"pointerdown": true,
	"pointerup":   true,
	"touchstart":  true,
	"contextmenu": true,
	"dragstart":   true,
}

// findListeners asks which elements of the page have listeners for the mouse. It returns none if the
// page does not answer.
func (p *page) findListeners(ctx context.Context) (nodes []proto.DOMBackendNodeID) {
	ctx, cancel := p.boundAnswers(ctx)
	defer cancel()
	world, _, err := p.scriptContext(ctx)
	if err == nil {
		err = p.callBounded(ctx, func(c proto.Client) (err error) {
			nodes, err = listeningNodes(c, world)
			return err
		})
	}
	if err != nil {
		p.process.m.cfg.Log.Debug("asking for listeners", "error", err)
	}
	return nodes
}

// injectListeners passes elements on which the page listens for the mouse to page.js, and
// returns how many were new.
func (p *page) injectListeners(ctx context.Context, nodes []proto.DOMBackendNodeID) (added int) {
	world, _, err := p.scriptContext(ctx)
	if err != nil {
		return 0
	}
	fresh := world.AddListening(nodes, maxNewListeners)
	if len(fresh) == 0 {
		return 0
	}
	err = p.callBounded(ctx, func(c proto.Client) (err error) {
		added, err = p.addListening(c, world, fresh)
		return err
	})
	if err != nil {
		p.process.m.cfg.Log.Debug("passing listeners", "error", err)
	}
	return added
}

// listeningNodes asks which elements of the document have listeners of the page's own script for the
// mouse. It does not ask for those of all scripts, frames and shadow roots: Chromium 156 crashes a
// little later.
func listeningNodes(c proto.Client, world *script.PageContext) ([]proto.DOMBackendNodeID, error) {
	id := world.Document.Load()
	if id == nil {
		document, err := cdp.Call(c, proto.RuntimeEvaluate{Expression: "document"})
		if err != nil {
			return nil, err
		}
		id = &document.Result.ObjectID
		world.Document.Store(id)
	}
	all := -1
	raw, err := cdp.CallRaw(c, proto.DOMDebuggerGetEventListeners{
		ObjectID: *id,
		Depth:    &all,
	})
	if err != nil {
		return nil, err
	}
	var found struct {
		Listeners []struct {
			Type          string                 `json:"type"`
			BackendNodeID proto.DOMBackendNodeID `json:"backendNodeId"`
		} `json:"listeners"`
	}
	if err := json.Unmarshal(raw, &found); err != nil {
		return nil, fmt.Errorf("the page's listeners: %w", err)
	}
	var nodes []proto.DOMBackendNodeID
	for _, l := range found.Listeners {
		if mouseEvents[l.Type] && l.BackendNodeID != 0 {
			nodes = append(nodes, l.BackendNodeID)
		}
	}
	return nodes, nil
}

// addListening passes elements to page.js, and returns how many were new to it.
func (p *page) addListening(
	c proto.Client, world *script.PageContext, nodes []proto.DOMBackendNodeID,
) (int, error) {
	objects := make([]proto.RuntimeRemoteObjectID, len(nodes))
	slots := make(chan struct{}, 16) // calls at a time, because one call mostly waits for the round trip
	var calls sync.WaitGroup
	for i, node := range nodes {
		slots <- struct{}{}
		calls.Go(func() {
			defer func() { <-slots }()
			found, err := cdp.Call(c, proto.DOMResolveNode{BackendNodeID: node, ExecutionContextID: world.ID})
			if err == nil && found.Object != nil { // otherwise it was removed
				objects[i] = found.Object.ObjectID
			}
		})
	}
	calls.Wait()
	var list []*proto.RuntimeCallArgument
	for _, id := range objects {
		if id != "" {
			defer p.Post(proto.RuntimeReleaseObject{ObjectID: id})
			list = append(list, &proto.RuntimeCallArgument{ObjectID: id})
		}
	}
	return passObjects(c, "function (...elements) { return goalpost.addListening(...elements) }", list)
}
