package browser

import "goalpost/backend/pane"

// siteData is what the page's site stores and may do.
type siteData struct {
	state   *state
	driver  *driver
	prompts *prompts
	turns   *turns

	deniedPermissions []permissionDenial    // to the page while it was lent
	certificate       *pane.SiteCertificate // of the page's connection, nil without one
}
