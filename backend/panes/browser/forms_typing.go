package browser

import (
	"context"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Type writes at the end of a text field, or replaces its text if clear is set; submit presses
// Enter afterwards. In a list it chooses the option with that name. It sets the value of a date,
// a time, a color or a slider, see setFieldByKeys.
func (fo *Forms) Type(ctx context.Context, target, value string, submit, clear bool) (ActionResult, error) {
	if len(value) > 1<<20 {
		return ActionResult{}, errors.New("typing: the text is longer than 1 MB")
	}
	return fo.actions.runAction(ctx, "typing into "+text.SanitizeLine(target, 80),
		func(ctx context.Context, pg *page) error {
			var field field
			at, err := fo.targets.callOnTarget(ctx, pg, &field, "planFill", target, value)
			if err != nil {
				return err
			}
			fo.state.change(func() { fo.state.network.expectsDelay, fo.state.network.ref = field.Suggests, field.Ref })
			if field.Kind == "text" {
				if err := fo.fillField(ctx, pg, at, field.Ref, value, clear); err != nil {
					return err
				}
			} else if err := fo.setFieldByKeys(ctx, pg, at, field); err != nil {
				return err
			}
			if !submit {
				return nil
			}
			return fo.pressKey(ctx, pg, "Enter")
		})
}

func (fo *Forms) fillField(ctx context.Context, pg, where *page, ref, text string, clear bool) error {
	if err := fo.mouse.clickOn(ctx, pg, "type into", ref, mousePress{}); err != nil {
		return err
	}
	var caret struct{ End, Empty, Lines bool }
	if err := where.callScript(ctx, &caret, "moveCaret", ref, clear); err != nil {
		return err
	}
	if text == "" && (!clear || caret.Empty && !caret.Lines) {
		return nil
	}
	if clear && caret.Lines { // the text of a code editor is not in the field that takes its keys
		if err := fo.pressKey(ctx, pg, "Ctrl+a"); err != nil {
			return err
		}
	}
	if err := where.callScript(ctx, nil, "startTyping", ref); err != nil {
		return err
	}
	if err := fo.writeText(ctx, pg, caret.End, text); err != nil {
		return err
	}
	return fo.checkTyped(ctx, where, ref, text, clear)
}

// checkTyped fails if a field did not take a text, and notes if the field changed the text.
func (fo *Forms) checkTyped(ctx context.Context, where *page, ref, value string, clear bool) error {
	var result struct{ Problem, Note string }
	err := where.callScript(ctx, &result, "checkTyped", ref, value, clear)
	switch {
	case err != nil: // the value may have replaced the field, or left the page
		fo.state.m.cfg.Log.Debug("checking a field", "pane", fo.state.id, "error", err)
		return cdp.Cause(ctx)
	case result.Problem != "":
		return errors.New(text.SanitizeLine(result.Problem, 400))
	case result.Note != "":
		fo.activity.noteDuringAction(text.SanitizeLine(result.Note, 400))
	}
	return nil
}

// writeText types a text at the caret, or with end at the end of the field. An empty text deletes
// the selection.
func (fo *Forms) writeText(ctx context.Context, pg *page, end bool, text string) error {
	switch {
	case end:
		if err := fo.pressKey(ctx, pg, "End"); err != nil {
			return err
		}
	case text == "":
		return fo.pressKey(ctx, pg, "Delete")
	}
	return fo.typeText(ctx, pg, text)
}

// maxTypedKeys is the longest text that is typed key by key, in characters.
const maxTypedKeys = 200

// typeText types a text with a key for each character, because pages listen to keys. A long text,
// or one of several lines, is inserted at once like a paste.
func (fo *Forms) typeText(ctx context.Context, pg *page, text string) error {
	needsPaste := strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
	switch {
	case text == "":
		return nil
	case needsPaste || utf8.RuneCountInString(text) > maxTypedKeys:
		return pg.send(ctx, pg.callLimit(), "writing", proto.InputInsertText{Text: text})
	}
	var last pane.Input
	for i, r := range text {
		if i > 0 {
			pg.Post(keyEvent(last))
		}
		last = pane.Input{Kind: pane.KeyDown, Key: string(r)}
		pg.Post(keyEvent(last))
		last.Kind = pane.KeyUp
	}
	return pg.send(ctx, pg.callLimit(), "writing", keyEvent(last))
}

// Press presses keys in sequence, named as in the DOM ("Enter", "Escape", "ArrowDown", "a"), with
// modifiers before them ("Ctrl+a") and spaces between. They go to target, or to the focused
// element if target is "".
func (fo *Forms) Press(ctx context.Context, target, keys string) (ActionResult, error) {
	list := strings.Fields(keys)
	if len(list) == 0 || len(list) > 50 {
		return ActionResult{}, errors.New("pressing keys: name 1 to 50, such as Enter or Ctrl+a")
	}
	return fo.actions.runAction(ctx, "pressing "+text.SanitizeLine(keys, 40), func(ctx context.Context, pg *page) error {
		words := "presses " + text.SanitizeLine(keys, 40)
		if target != "" {
			var field struct{ Words string }
			if _, err := fo.targets.callOnTarget(ctx, pg, &field, "focusElement", target); err != nil {
				return err
			}
			words += " in " + text.SanitizeLine(field.Words, 80)
		}
		fo.actions.showActionHint(words, 0, 0)
		for _, one := range list {
			if err := fo.pressKey(ctx, pg, one); err != nil {
				return err
			}
		}
		return nil
	})
}

func (fo *Forms) pressKey(ctx context.Context, pg *page, keys string) error {
	in, err := parseKeys(keys)
	if err != nil {
		return err
	}
	for _, kind := range []pane.InputKind{pane.KeyDown, pane.KeyUp} {
		in.Kind = kind
		if err := pg.send(ctx, pg.callLimit(), "the keyboard", keyEvent(in)); err != nil {
			return err
		}
	}
	return nil
}
