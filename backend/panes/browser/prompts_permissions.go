package browser

import (
	"context"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
)

// permissions are the permissions that a page may ask for, as Chromium names them.
var permissions = []string{"geolocation", "notifications", "camera", "microphone", "clipboard-read"}

// onPermission asks the user. Pages of an agent get no permission.
func (pe *promptEvents) onPermission(pg *page, world proto.RuntimeExecutionContextID, s pageReport) {
	if !slices.Contains(permissions, s.Type) {
		return
	}
	notify := func(ctx context.Context) error { return pe.callWatchScript(ctx, pg, world, "said", s.Text) }
	if pe.state.Driver() == pane.DriverAgent {
		pe.state.runAsync(func(ctx context.Context) error {
			pe.activity.noteDuringAction("the page asked for the permission " + s.Type + ", which agents do not get")
			if err := pe.siteData.denyPermission(ctx, s.Origin, s.Type); err != nil {
				return err
			}
			return notify(ctx)
		})
		return
	}
	pe.prompts.add(openPrompt{
		UserPrompt: pane.UserPrompt{Kind: pane.Permission, Origin: originOf(s.Origin), Value: s.Type},
		answer: func(ctx context.Context, a pane.Answer) error {
			if err := pe.siteData.decidePermission(ctx, s.Origin, s.Type, a.Yes); err != nil {
				return err
			}
			return notify(ctx)
		},
	})
}
