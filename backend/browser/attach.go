package browser

import (
	"context"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/script"
)

// attachTarget makes or takes over a page and prepares it. Nothing of the page is
// seen before that: the pane knows the session before any event of it can
// matter.
func (e *browserProcess) attachTarget(ctx context.Context, p *Pane, width, height int, target proto.TargetTargetID) (*page, error) {
	pg := &page{engine: e, target: target, count: &p.frames.refs}
	err := e.Do(ctx, e.Alive, "", launchLimit, "opening a page", func(c proto.Client) error {
		if pg.target == "" {
			id, err := e.contextFor(c, p.state.goalID, p.state.proxyGoal)
			if err != nil {
				return err
			}
			made, err := cdp.Call(c, proto.TargetCreateTarget{
				URL: "about:blank", BrowserContextID: id, Width: &width, Height: &height, NewWindow: true,
			})
			if err != nil {
				return fmt.Errorf("a new page: %w", err)
			}
			pg.target = made.TargetID
		}
		attached, err := cdp.Call(c, proto.TargetAttachToTarget{TargetID: pg.target, Flatten: true})
		if err != nil {
			return fmt.Errorf("attaching to the page: %w", err)
		}
		pg.session = attached.SessionID
		return nil
	})
	if err != nil {
		return nil, err
	}
	pg.alive, pg.end = context.WithCancelCause(e.Alive)
	listens := p.adopt(pg)
	defer e.m.held.release(pg.target)
	return pg, pg.do(ctx, launchLimit, "preparing the page", func(c proto.Client) error {
		requests := []proto.Request{
			proto.PageEnable{},
			proto.InspectorEnable{},
			proto.RuntimeEnable{}, // bindings reach new documents only while it is on
			proto.PageSetLifecycleEventsEnabled{Enabled: true},
			// Without it a page is hidden, and draws nothing, once another of the same window is in front.
			proto.EmulationSetFocusEmulationEnabled{Enabled: true},
			p.viewport.metrics(),
			proto.PageSetInterceptFileChooserDialog{Enabled: true},
			e.m.rules.fetchPatterns(),
			autoAttachFrames{},
			proto.InputSetInterceptDrags{Enabled: true},
			proto.SecurityEnable{},
			proto.SecuritySetOverrideCertificateErrors{Override: true},
		}
		if !p.state.scriptless {
			requests = append(requests, pageSetup...)
		}
		if listens { // what a goal's pages fetch is kept for its agent
			requests = append(requests, networkEnableParams)
		}
		// They are carried out in order; one answer is all that needs to be awaited.
		for _, req := range requests {
			pg.Post(req)
		}
		// Answered by the page's process, unlike some of those: a page that goes
		// elsewhere before it has carried them out crashes.
		tree, err := cdp.Call(c, proto.PageGetFrameTree{})
		if err == nil && target != "" {
			e.DrainEvents()
			p.popup.onPopupDocument(tree.FrameTree.Frame)
		}
		return err
	})
}

// pageSetup is what makes the page tell us what Chromium shows to nobody.
var pageSetup = []proto.Request{
	proto.RuntimeAddBinding{Name: bindingName, ExecutionContextName: script.WorldName},
	script.AddScript{Source: script.UserPrompts + script.Zoom, WorldName: script.WorldName, RunImmediately: true},
	script.AddScript{Source: script.Permissions},
}
