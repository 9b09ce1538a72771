package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// permissionPrompt makes Chromium ask again.
const permissionPrompt = proto.BrowserPermissionSettingPrompt

// denyPermission denies an origin a permission while an agent drives. On a shared page that ends
// with the share, because the user was not asked.
func (sd *SiteData) denyPermission(ctx context.Context, origin, permission string) error {
	isShared := false
	sd.state.change(func() { // so that the end of the share comes before or after
		if isShared = sd.state.sharedWith() != ""; isShared {
			sd.addDenial(permissionDenial{origin, permission})
		}
	})
	if err := sd.decidePermission(ctx, origin, permission, false); err != nil || !isShared || sd.state.Lease() != "" {
		return err
	}
	return sd.setPermission(ctx, origin, permission, permissionPrompt)
}

func (sd *SiteData) addDenial(d permissionDenial) {
	sd.mu.Lock()
	defer sd.mu.Unlock()
	sd.deniedPermissions = append(sd.deniedPermissions, d)
}

// takeDenials returns what was denied while the page was shared, and forgets it.
func (sd *SiteData) takeDenials() []permissionDenial {
	sd.mu.Lock()
	defer sd.mu.Unlock()
	denials := sd.deniedPermissions
	sd.deniedPermissions = nil
	return denials
}

// decidePermission grants or denies an origin one of: geolocation, notifications, camera,
// microphone, clipboard-read. It applies to the pane's profile until the browser ends.
func (sd *SiteData) decidePermission(ctx context.Context, origin, permission string, yes bool) error {
	if yes {
		return sd.setPermission(ctx, origin, permission, proto.BrowserPermissionSettingGranted)
	}
	return sd.setPermission(ctx, origin, permission, proto.BrowserPermissionSettingDenied)
}

func (sd *SiteData) setPermission(
	ctx context.Context, origin, permission string, setting proto.BrowserPermissionSetting,
) error {
	pg, err := sd.state.currentPage()
	if err != nil {
		return err
	}
	return pg.process.Do(ctx, pg.alive, "", pg.callLimit(), "setting a permission", func(c proto.Client) error {
		return cdp.CallNoResult(c, proto.BrowserSetPermission{
			Permission: &proto.BrowserPermissionDescriptor{Name: permission}, Setting: setting, Origin: origin,
			BrowserContextID: pg.process.existingContext(sd.state.goalID),
		})
	})
}

// SetPermission changes a permission of the page's origin, which must be the given one: ask,
// allow or block. It applies to the pane's profile until the browser ends.
func (sd *SiteData) SetPermission(ctx context.Context, origin, name string, state pane.PermissionState) error {
	settings := map[pane.PermissionState]proto.BrowserPermissionSetting{
		pane.PermissionAsk:   permissionPrompt,
		pane.PermissionAllow: proto.BrowserPermissionSettingGranted,
		pane.PermissionBlock: proto.BrowserPermissionSettingDenied,
	}
	setting, isKnown := settings[state]
	if !isKnown || !slices.Contains(permissions, name) {
		return fmt.Errorf("setting a permission: %q for %q is not valid: use ask, allow or block, for one of %v",
			text.SanitizeLine(string(state), 40), text.SanitizeLine(name, 40), permissions)
	}
	if err := sd.checkOrigin(ctx, origin); err != nil {
		return fmt.Errorf("setting a permission: %w", err)
	}
	if err := sd.setPermission(ctx, origin, name, setting); err != nil {
		return fmt.Errorf("setting a permission: %w", err)
	}
	sd.mu.Lock() // the user's decision outlives a share
	defer sd.mu.Unlock()
	sd.deniedPermissions = slices.DeleteFunc(sd.deniedPermissions, func(r permissionDenial) bool {
		return r.origin == origin && r.permission == name
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
	world, err := pg.userPromptsContext(ctx)
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
	var states []*struct{ Name, State string }
	if err := json.Unmarshal(raw, &states); err != nil {
		return list, fmt.Errorf("the page's answer: %w", err)
	}
	words := map[string]pane.PermissionState{
		"prompt":  pane.PermissionAsk,
		"granted": pane.PermissionAllow,
		"denied":  pane.PermissionBlock,
	}
	for _, one := range states {
		if one != nil && words[one.State] != "" && slices.Contains(permissions, one.Name) {
			list = append(list, pane.SitePermission{Name: one.Name, State: words[one.State]})
		}
	}
	return list, nil
}
