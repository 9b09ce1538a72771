package browser

import (
	"context"

	"goalpost/backend/domain/pane"
)

// setFullscreen shows the viewers whether the page fills its pane. Only a page that the user has alone does: elsewhere
// they need to see what an agent does, and to take the page over.
func (s *State) setFullscreen(on bool) {
	s.change(func() {
		if on = on && s.isOwnPage(); s.overlay.Fullscreen != on {
			s.updateOverlay(func(o *pane.Overlay) { o.Fullscreen = on })
		}
	})
}

// LeaveFullscreen ends the full screen of the page. The toolbar returns even if the page does not answer.
func (v *Viewport) LeaveFullscreen(ctx context.Context) error {
	v.state.setFullscreen(false)
	return v.state.withPage("leaving full screen", func(pg *page) error {
		world, err := pg.userPromptsContext(ctx)
		if err == nil {
			_, err = evaluate(ctx, pg, world, "document.exitFullscreen().catch(() => {}).then(() => true)")
		}
		return err
	})
}
