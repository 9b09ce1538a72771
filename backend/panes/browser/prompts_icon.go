package browser

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/script"
)

// maxIconSide is the largest width and height of an icon in pixels. userprompts.js draws it with 32.
const maxIconSide = 32

const pngAddress = "data:image/png;base64,"

// onIcon lets the page load the icon that it names, and draw it; onIconPicture receives it. Only pages of the user get
// an icon: what a goal's page loads is recorded for its agent and limited by its permissions.
func (pe *promptEvents) onIcon(pg *page, world proto.RuntimeExecutionContextID, address string) {
	isWanted := false
	pe.state.change(func() {
		if isWanted = pe.state.isOwnPage(); isWanted {
			pe.state.iconAddress = address
		}
	})
	if !isWanted {
		return
	}
	if address == "" {
		pe.state.onIconPicture("", "")
		return
	}
	list, err := script.Arguments([]any{address})
	if err != nil {
		return
	}
	req := proto.RuntimeEvaluate{Expression: "goalpostPrompts.icon(" + list + ")", ContextID: world, Silent: true}
	if c := pg.worlds.Get(world); c.Unique != "" {
		req.ContextID, req.UniqueContextID = 0, c.Unique
	}
	pg.Post(req)
}

// onIconPicture shows an icon that the page has drawn, unless it names another one by now.
func (s *State) onIconPicture(address, picture string) {
	icon := cleanIcon(picture)
	s.change(func() {
		if s.iconAddress == address && s.isOwnPage() {
			s.info.Icon = icon
		}
	})
}

// isIcon reports whether a request is for the page's icon, for which the user is asked nothing.
func (s *State) isIcon(address string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.iconAddress != "" && s.iconAddress == address
}

// cleanIcon encodes the PNG of an icon again, because the page's process may have made it; "" if it is not a small PNG.
func cleanIcon(picture string) string {
	code, ok := strings.CutPrefix(picture, pngAddress)
	if !ok || len(code) > 4*maxIconSide*maxIconSide*2 {
		return ""
	}
	data, err := base64.StdEncoding.DecodeString(code)
	if err != nil {
		return ""
	}
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil || size.Width > maxIconSide || size.Height > maxIconSide {
		return ""
	}
	picked, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return ""
	}
	var out bytes.Buffer
	if err := png.Encode(&out, picked); err != nil {
		return ""
	}
	return pngAddress + base64.StdEncoding.EncodeToString(out.Bytes())
}
