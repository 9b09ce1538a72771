package browser

import (
	"context"
	_ "embed" // for the scripts
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/pane"
)

// bindingName is how watch.js calls the host. The page's own world has no such function.
const bindingName = "goalpostTell"

//go:embed watch.js
var watchScript string

//go:embed permit.js
var permitScript string

// seen is what watch.js tells. All of it is hostile.
type seen struct {
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
	Far      bool          `json:"far"` // x and y are counted from its own document's corner
	User     string        `json:"user"`
	Password string        `json:"password"`
}

func (p *Pane) onTold(pg *page, e *cdp.Event) {
	var told proto.RuntimeBindingCalled
	var s seen
	if !decode(e, &told) || told.Name != bindingName || json.Unmarshal([]byte(told.Payload), &s) != nil {
		return
	}
	switch s.T {
	case "title":
		p.onTitle(s.Text)
	case "cursor":
		p.onCursor(s.Text)
	case "copied":
		p.onCopied(s.Text)
	case "calm":
		p.withdraw(ofKind(pane.Autocomplete))
	case "sent":
		p.onLoginSent(s)
	case "permission":
		p.onPermission(pg, told.ExecutionContextID, s)
	case "choose", "pick", "suggest", "menu":
		if !s.Far {
			p.onField(pg, told.ExecutionContextID, s)
			return
		}
		p.m.later(p, func(ctx context.Context) error {
			x, y, err := p.cornerOf(ctx, pg, told.ExecutionContextID)
			if err == nil {
				s.X, s.Y = s.X+x, s.Y+y
				p.onField(pg, told.ExecutionContextID, s) //nolint:contextcheck // what the person answers comes later
			}
			return err
		})
	}
}

// cursors are the shapes that the app knows; others are the arrow.
var cursors = strings.Fields(`default none context-menu help pointer progress wait cell crosshair text vertical-text alias copy move
	no-drop not-allowed grab grabbing all-scroll col-resize row-resize n-resize e-resize s-resize w-resize ne-resize nw-resize
	se-resize sw-resize ew-resize ns-resize nesw-resize nwse-resize zoom-in zoom-out`)

func (p *Pane) onCursor(shape string) {
	if !listed(cursors, shape) {
		shape = "default"
	}
	p.mu.Lock()
	same := p.cursor == shape
	p.mu.Unlock()
	if same {
		return
	}
	p.change(func() {
		p.cursor = shape
		p.redraw()
	})
}

// onCopied passes on what the person copied. What a page does to the clipboard
// while the agent drives is not the person's.
func (p *Pane) onCopied(text string) {
	p.change(func() {
		if p.info.Driver == pane.DriverAgent {
			return
		}
		p.copied = pane.Copied{N: p.copied.N + 1, Text: strings.ToValidUTF8(text, "\uFFFD")}
		p.redraw()
	})
}

// fields are the questions that stand at a place of the page; one at a time.
var fields = ofKind(pane.SelectOption, pane.PickValue, pane.Autocomplete, pane.ContextMenu)

func (p *Pane) onField(pg *page, world proto.RuntimeExecutionContextID, s seen) {
	if p.Driver() == pane.DriverAgent {
		return // it has acts of its own for lists and dates
	}
	q := pane.UserPrompt{
		Kind: pane.UserPromptKind(s.T), NoAnswer: true, Type: clean(s.Type, 20), Value: clean(s.Value, 200), Min: clean(s.Min, 40), Max: clean(s.Max, 40),
		X: s.X, Y: s.Y, Width: s.Width, Height: s.Height,
		Link: clean(s.Link, 4000), Image: clean(s.Image, 4000), Selected: s.Selected, Editable: s.Editable,
	}
	for _, o := range s.Options {
		o.Label, o.Group = clean(o.Label, 200), clean(o.Group, 100)
		q.Options = append(q.Options, o)
	}
	p.withdraw(func(a asked) bool { return fields(a) && (a.Kind != pane.Autocomplete || q.Kind != pane.Autocomplete) })
	p.pose(asked{UserPrompt: q, answer: func(ctx context.Context, a pane.Answer) error {
		switch {
		case !a.Yes || q.Kind == pane.ContextMenu:
			return nil
		case q.Kind == pane.SelectOption:
			return p.hand(ctx, pg, world, "choose", s.N, a.Index)
		case q.Kind == pane.Autocomplete: // by its words: the list may have been another when the person chose
			if !slices.ContainsFunc(q.Options, func(o pane.Option) bool { return o.Label == a.Text }) {
				return errors.New("there is no such suggestion")
			}
			return p.hand(ctx, pg, world, "set", s.N, a.Text)
		}
		return p.hand(ctx, pg, world, "set", s.N, a.Text)
	}})
}

// hand calls a function of watch.js in the frame that asked.
func (p *Pane) hand(ctx context.Context, pg *page, world proto.RuntimeExecutionContextID, function string, args ...any) error {
	list := make([]string, len(args))
	for i, a := range args {
		b, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("telling the page: %w", err)
		}
		list[i] = string(b)
	}
	out, err := evaluate(ctx, pg, world, fmt.Sprintf("goalpostHand.%s(%s)", function, strings.Join(list, ",")))
	if err == nil && string(out) != "true" {
		err = errors.New("the page's field is gone, or it does not take this value")
	}
	return err
}
