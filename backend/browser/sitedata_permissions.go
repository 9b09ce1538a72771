package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
)

// permissionPrompt makes Chromium ask again.
const permissionPrompt = proto.BrowserPermissionSettingPrompt

// denyPermission denies an origin a permission while an agent drives. On a shared page that ends
// with the share, because the user was not asked.
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

// SetPermissionState grants or denies an origin one of: geolocation, notifications, camera,
// microphone, clipboard-read. It applies to the pane's profile until the browser ends.
func (sd *siteData) SetPermissionState(ctx context.Context, origin, permission string, yes bool) error {
	if yes {
		return sd.setPermission(ctx, origin, permission, proto.BrowserPermissionSettingGranted)
	}
	return sd.setPermission(ctx, origin, permission, proto.BrowserPermissionSettingDenied)
}

func (sd *siteData) setPermission(
	ctx context.Context, origin, permission string, setting proto.BrowserPermissionSetting,
) error {
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

// SetPermission changes a permission of the page's origin, which must be the given one: ask,
// allow or block. It applies to the pane's profile until the browser ends.
func (sd *siteData) SetPermission(ctx context.Context, origin, name, state string) error {
	settings := map[string]proto.BrowserPermissionSetting{
		pane.PermissionAsk:   permissionPrompt,
		pane.PermissionAllow: proto.BrowserPermissionSettingGranted,
		pane.PermissionBlock: proto.BrowserPermissionSettingDenied,
	}
	setting, known := settings[state]
	if !known || !slices.Contains(permissions, name) {
		return fmt.Errorf("setting a permission: there is no %q for %q: it is ask, allow or block for one of %v",
			sanitize.Line(state, 40), sanitize.Line(name, 40), permissions)
	}
	if err := sd.checkOrigin(ctx, origin); err != nil {
		return fmt.Errorf("setting a permission: %w", err)
	}
	if err := sd.setPermission(ctx, origin, name, setting); err != nil {
		return fmt.Errorf("setting a permission: %w", err)
	}
	sd.state.change(func() { // the user's decision outlives a share
		sd.deniedPermissions = slices.DeleteFunc(sd.deniedPermissions, func(r permissionDenial) bool {
			return r.origin == origin && r.permission == name
		})
	})
	return nil
}

// permissionsOf asks Chromium itself, because the page's own world could answer anything.
func permissionsOf(ctx context.Context, pg *page) ([]pane.SitePermission, error) {
	list := []pane.SitePermission{}
	names, err := json.Marshal(permissions)
	if err != nil {
		return list, fmt.Errorf("the names: %w", err)
	}
	world, err := pg.mainWorldContext(ctx)
	if err != nil {
		return list, err
	}
	raw, err := evaluate(ctx, pg, world, `navigator.permissions
		? Promise.all(`+string(names)+`.map((name) =>
			navigator.permissions.query({ name }).then((p) => ({ name, state: p.state }), () => null)))
		: []`)
	if err != nil {
		return list, err
	}
	var said []*pane.SitePermission
	if err := json.Unmarshal(raw, &said); err != nil {
		return list, fmt.Errorf("the page's answer: %w", err)
	}
	words := map[string]string{
		"prompt":  pane.PermissionAsk,
		"granted": pane.PermissionAllow,
		"denied":  pane.PermissionBlock,
	}
	for _, one := range said {
		if one != nil && words[one.State] != "" && slices.Contains(permissions, one.Name) {
			list = append(list, pane.SitePermission{Name: one.Name, State: words[one.State]})
		}
	}
	return list, nil
}
