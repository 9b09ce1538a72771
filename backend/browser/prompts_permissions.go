package browser

import (
	"context"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/pane"
)

// permissions are those that a page may ask for, as Chromium names them.
var permissions = []string{"geolocation", "notifications", "camera", "microphone", "clipboard-read"}

// onPermission asks the user; the agent's pages get no permission.
func (pe *promptEvents) onPermission(pg *page, world proto.RuntimeExecutionContextID, s pageReport) {
	if !slices.Contains(permissions, s.Type) {
		return
	}
	say := func(ctx context.Context) error { return pe.callWatchScript(ctx, pg, world, "said", s.Text) }
	if pe.state.Driver() == pane.DriverAgent {
		pe.state.runAsync(func(ctx context.Context) error {
			pe.activity.noteDuringAction("the page asked for the permission " + s.Type + ", which agents do not get")
			if err := pe.siteData.denyPermission(ctx, s.Origin, s.Type); err != nil {
				return err
			}
			return say(ctx)
		})
		return
	}
	pe.prompts.add(openPrompt{
		UserPrompt: pane.UserPrompt{Kind: pane.Permission, Origin: originOf(s.Origin), Value: s.Type},
		answer: func(ctx context.Context, a pane.Answer) error {
			if err := pe.siteData.SetPermissionState(ctx, s.Origin, s.Type, a.Yes); err != nil {
				return err
			}
			return say(ctx)
		},
	})
}

// denyPermission forbids an origin something while an agent drives. On a page that the
// user lent it holds no longer than the loan: they were not asked.
func (sd *siteData) denyPermission(ctx context.Context, origin, permission string) error {
	lent := false
	sd.state.change(func() {
		if lent = sd.state.sharedWith() != ""; lent {
			sd.deniedPermissions = append(sd.deniedPermissions, permissionDenial{origin, permission})
		}
	})
	if err := sd.SetPermissionState(ctx, origin, permission, false); err != nil || !lent || sd.state.Lease() != "" {
		return err
	}
	return sd.setPermission(ctx, origin, permission, permissionPrompt)
}

// SetPermissionState allows or forbids an origin one of: geolocation, notifications, camera,
// microphone, clipboard-read. It holds for the pane's profile until the browser ends.
func (sd *siteData) SetPermissionState(ctx context.Context, origin, permission string, yes bool) error {
	if yes {
		return sd.setPermission(ctx, origin, permission, proto.BrowserPermissionSettingGranted)
	}
	return sd.setPermission(ctx, origin, permission, proto.BrowserPermissionSettingDenied)
}

// permissionPrompt asks again.
const permissionPrompt = proto.BrowserPermissionSettingPrompt

func (sd *siteData) setPermission(ctx context.Context, origin, permission string, setting proto.BrowserPermissionSetting) error {
	pg, err := sd.state.currentPage()
	if err != nil {
		return err
	}
	return pg.engine.Do(ctx, pg.alive, "", callLimit, "setting a permission", func(c proto.Client) error {
		return cdp.CallNoResult(c, proto.BrowserSetPermission{
			Permission: &proto.BrowserPermissionDescriptor{Name: permission}, Setting: setting, Origin: origin,
			BrowserContextID: pg.engine.existingContext(sd.state.goalID),
		})
	})
}
