package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/script"
)

// bindingName is the function with which userprompts.js calls the program. The page's own world
// does not have it.
const bindingName = "goalpostTell"

// pageReport is a message of userprompts.js. All of it is hostile.
type pageReport struct {
	T        string        `json:"t"`
	N        int           `json:"n"`
	Text     string        `json:"text"`
	Type     string        `json:"type"`
	Value    string        `json:"value"`
	Min      string        `json:"min"`
	Max      string        `json:"max"`
	Origin   string        `json:"origin"`
	X        float64       `json:"x"`
	Y        float64       `json:"y"`
	Width    float64       `json:"width"`
	Height   float64       `json:"height"`
	Options  []pane.Option `json:"options"`
	Link     string        `json:"link"`
	Image    string        `json:"image"`
	Selected string        `json:"selected"`
	Editable bool          `json:"editable"`
	Far      bool          `json:"far"` // x and y are relative to its own document
	User     string        `json:"user"`
	Password string        `json:"password"`
}

func (pe *promptEvents) onPageReport(pg *page, e *cdp.Event) {
	var ev proto.RuntimeBindingCalled
	var s pageReport
	if !decodeEvent(e, &ev) || ev.Name != bindingName || json.Unmarshal([]byte(ev.Payload), &s) != nil {
		return
	}
	switch s.T {
	case "title":
		pe.state.onTitle(s.Text)
	case "filling", "framed":
		pe.state.setFullscreen(s.T == "filling")
	case "icon":
		pe.onIcon(pg, ev.ExecutionContextID, s.Link)
	case "picture":
		pe.state.onIconPicture(s.Link, s.Text)
	case "cursor":
		pe.onCursor(s.Text)
	case "copied":
		pe.onCopied(s.Text)
	case "calm":
		pe.prompts.close(matchKinds(pane.Autocomplete))
	case "edited":
		pe.state.change(func() { pe.state.load.edited = true })
	case "sent":
		pe.logins.offerSaveLogin(s)
	case "permission":
		pe.onPermission(pg, ev.ExecutionContextID, s)
	case "choose", "pick", "suggest", "menu":
		if !s.Far {
			pe.onField(pg, ev.ExecutionContextID, s)
			return
		}
		pe.state.runAsync(func(ctx context.Context) error {
			x, y, err := pe.frames.frameOffset(ctx, pg, ev.ExecutionContextID)
			if err == nil {
				s.X, s.Y = s.X+x, s.Y+y
				pe.onField(pg, ev.ExecutionContextID, s) //nolint:contextcheck // what the user answers comes later
			}
			return err
		})
	}
}

// cursors are the pointer shapes that the app has; all others become the arrow.
var cursors = strings.Fields(
	`default none context-menu help pointer progress wait cell crosshair text vertical-text alias copy move
	no-drop not-allowed grab grabbing all-scroll col-resize row-resize n-resize e-resize s-resize w-resize
	ne-resize nw-resize se-resize sw-resize ew-resize ns-resize nesw-resize nwse-resize zoom-in zoom-out`)

func (pe *promptEvents) onCursor(shape string) {
	if !slices.Contains(cursors, shape) {
		shape = "default"
	}
	if pe.state.overlayNow().Cursor == shape {
		return
	}
	pe.state.change(func() {
		pe.state.updateOverlay(func(o *pane.Overlay) { o.Cursor = shape })
	})
}

// onCopied passes on what the user copied. What a page copies while the agent drives is ignored.
func (pe *promptEvents) onCopied(copied string) {
	pe.state.change(func() {
		if pe.state.info.Driver == pane.DriverAgent {
			return
		}
		pe.state.updateOverlay(func(o *pane.Overlay) {
			o.Copied = pane.Copied{N: o.Copied.N + 1, Text: text.ToUTF8(copied)}
		})
	})
}

// fieldPromptKinds are the prompts at a position on the page; only one is open at a time.
var fieldPromptKinds = matchKinds(pane.SelectOption, pane.PickValue, pane.Autocomplete, pane.ContextMenu)

func (pe *promptEvents) onField(pg *page, world proto.RuntimeExecutionContextID, s pageReport) {
	if pe.state.Driver() == pane.DriverAgent {
		return // the agent has tools for lists and dates
	}
	q := pane.UserPrompt{
		Kind:     pane.UserPromptKind(s.T),
		NoAnswer: true,
		Type:     text.SanitizeLine(s.Type, 20),
		Value:    text.SanitizeLine(s.Value, 200),
		Min:      text.SanitizeLine(s.Min, 40),
		Max:      text.SanitizeLine(s.Max, 40),
		X:        s.X,
		Y:        s.Y,
		Width:    s.Width,
		Height:   s.Height,
		Link:     text.SanitizeLine(s.Link, 4000),
		Image:    text.SanitizeLine(s.Image, 4000),
		Selected: s.Selected,
		Editable: s.Editable,
	}
	for _, o := range s.Options {
		o.Label, o.Group = text.SanitizeLine(o.Label, 200), text.SanitizeLine(o.Group, 100)
		q.Options = append(q.Options, o)
	}
	if q.Kind == pane.ContextMenu {
		pe.state.change(func() { pe.prompts.menu = promptPlace{pg, world} })
	}
	pe.prompts.close(func(a openPrompt) bool {
		return fieldPromptKinds(a) && (a.Kind != pane.Autocomplete || q.Kind != pane.Autocomplete)
	})
	pe.prompts.add(openPrompt{UserPrompt: q, answer: func(ctx context.Context, a pane.Answer) error {
		switch {
		case !a.Yes || q.Kind == pane.ContextMenu:
			return nil
		case q.Kind == pane.SelectOption:
			return pe.callWatchScript(ctx, pg, world, "choose", s.N, a.Index)
		case q.Kind == pane.Autocomplete: // by its text: the list may have changed before the user chose
			if !slices.ContainsFunc(q.Options, func(o pane.Option) bool { return o.Label == a.Text }) {
				return errors.New("the field no longer suggests this")
			}
		}
		return pe.callWatchScript(ctx, pg, world, "set", s.N, a.Text)
	}})
}

// callWatchScript calls a function of userprompts.js in the frame that sent the message.
func (pe *promptEvents) callWatchScript(
	ctx context.Context, pg *page, world proto.RuntimeExecutionContextID, function string, args ...any,
) error {
	list, err := script.Arguments(args)
	if err != nil {
		return err
	}
	out, err := evaluate(ctx, pg, world, fmt.Sprintf("goalpostPrompts.%s(%s)", function, list))
	if err == nil && string(out) != "true" {
		err = errors.New("the page's field is gone or does not accept this value")
	}
	return err
}
