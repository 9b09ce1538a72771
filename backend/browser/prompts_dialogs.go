package browser

import (
	"context"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
)

var dialogKinds = map[proto.PageDialogType]pane.UserPromptKind{
	proto.PageDialogTypeAlert: pane.Alert, proto.PageDialogTypeConfirm: pane.Confirm,
	proto.PageDialogTypePrompt: pane.Prompt, proto.PageDialogTypeBeforeunload: pane.BeforeUnload,
}

// maxDialogsInARow is how many dialogs a page may show while nobody does anything else.
const maxDialogsInARow = 10

// onDialog shows a dialog of the page to the driver. An agent that leaves a page wants to leave,
// so it is not asked again.
func (pe *promptEvents) onDialog(pg *page, e *cdp.Event) {
	var dialog proto.PageJavascriptDialogOpening
	if !decodeEvent(e, &dialog) {
		return
	}
	kind, known := dialogKinds[dialog.Type]
	if !known {
		pg.Post(proto.PageHandleJavaScriptDialog{Accept: false})
		return
	}
	pe.state.mu.Lock()
	agent := pe.state.info.Driver == pane.DriverAgent
	pe.prompts.dialogsInARow++
	again := pe.prompts.dialogsInARow > maxDialogsInARow
	pe.state.unresponsive = pe.state.unresponsive || again
	pe.state.mu.Unlock()
	if pe.state.scriptless {
		pg.Post(proto.PageHandleJavaScriptDialog{Accept: kind == pane.BeforeUnload})
		return
	}
	if again {
		pe.state.showNotice("the page asks again and again: its dialogs are dismissed; stop it or go elsewhere")
		pg.Post(proto.PageHandleJavaScriptDialog{Accept: false})
		return
	}
	if kind == pane.BeforeUnload && agent {
		pg.Post(proto.PageHandleJavaScriptDialog{Accept: true})
		return
	}
	said := sanitize.Line(dialog.Message, 2000)
	if kind != pane.BeforeUnload {
		pe.activity.noteDuringAction(fmt.Sprintf("the page waits for an answer to its %s %q", kind, sanitize.Line(said, 300)))
	}
	pe.prompts.add(openPrompt{
		stops: true,
		UserPrompt: pane.UserPrompt{
			Kind:   kind,
			Origin: originOf(dialog.URL),
			Text:   said,
			Value:  sanitize.Line(dialog.DefaultPrompt, 2000),
		},
		answer: func(ctx context.Context, a pane.Answer) error {
			return pg.send(ctx, callLimit, "the dialog", proto.PageHandleJavaScriptDialog{Accept: a.Yes, PromptText: a.Text})
		},
	})
}

// dismissDialog answers what the page waits for: OK to an alert, Cancel to everything else.
func (ps *prompts) dismissDialog(ctx context.Context) {
	for range 20 { // a page may ask repeatedly
		q, err := ps.take(func(a openPrompt) bool { return a.stops })
		if err != nil {
			return
		}
		a := q.defaultAnswer()
		word := "Cancel"
		if a.Yes {
			word = "OK"
		}
		ps.activity.noteDuringAction(
			fmt.Sprintf("the page's %s %q was answered %s", q.Kind, sanitize.Line(q.Text, 300), word))
		if err := q.answer(ctx, a); err != nil {
			ps.state.m.cfg.Log.Debug("dismissing", "pane", ps.state.id, "error", err)
		}
	}
}

// OpenPrompt returns the oldest prompt that the page, or its loading, waits for.
func (ps *prompts) OpenPrompt() (pane.UserPrompt, bool) {
	q, open := ps.blockingPrompt()
	return q.UserPrompt, open
}

func (ps *prompts) ofKind(kind pane.UserPromptKind, origin string) (openPrompt, error) {
	q, open := ps.blockingPrompt()
	if !open || q.Kind != kind || q.Origin != origin {
		return q, fmt.Errorf("answering: the page asks for no %s of %s", kind, sanitize.Line(origin, 200))
	}
	return q, nil
}
