package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

var dialogKinds = map[proto.PageDialogType]pane.UserPromptKind{
	proto.PageDialogTypeAlert: pane.Alert, proto.PageDialogTypeConfirm: pane.Confirm,
	proto.PageDialogTypePrompt: pane.Prompt, proto.PageDialogTypeBeforeunload: pane.BeforeUnload,
}

// maxDialogsInARow is how many dialogs a page may show before the user or the agent acts.
const maxDialogsInARow = 10

// dialogPause is how long a page that keeps opening dialogs waits for each answer. Without it, the page and Chromium
// would take a processor each.
const dialogPause = 100 * time.Millisecond

// onDialog shows a dialog of the page to the driver.
func (pe *promptEvents) onDialog(pg *page, e *cdp.Event) {
	var dialog proto.PageJavascriptDialogOpening
	if !decodeEvent(e, &dialog) {
		return
	}
	kind, isKnown := dialogKinds[dialog.Type]
	if !isKnown {
		pg.Post(proto.PageHandleJavaScriptDialog{Accept: false})
		return
	}
	pe.state.mu.Lock()
	pe.prompts.dialogs++
	pe.prompts.dialogsInARow++
	nth := pe.prompts.dialogs
	isRepeat := pe.prompts.dialogsInARow > maxDialogsInARow
	pe.state.unresponsive = pe.state.unresponsive || isRepeat
	pe.state.mu.Unlock()
	if pe.state.scriptless {
		pg.Post(proto.PageHandleJavaScriptDialog{Accept: kind == pane.BeforeUnload})
		return
	}
	if isRepeat {
		pe.state.showNotice("the page keeps opening dialogs, which are dismissed: stop it or leave the page")
		pe.dismissAfterPause(pg, nth)
		return
	}
	message := text.SanitizeLine(dialog.Message, 2000)
	pe.activity.noteDuringAction(waitsFor(kind, text.SanitizeLine(message, 300)))
	pe.prompts.add(openPrompt{
		blocksPage: true,
		UserPrompt: pane.UserPrompt{
			Kind:   kind,
			Origin: originOf(dialog.URL),
			Text:   message,
			Value:  text.SanitizeLine(dialog.DefaultPrompt, 2000),
		},
		answer: func(ctx context.Context, a pane.Answer) error {
			return pg.send(ctx, pg.callLimit(), "the dialog",
				proto.PageHandleJavaScriptDialog{Accept: a.Yes, PromptText: a.Text})
		},
	})
}

// waitsFor describes an open dialog. The words of a page that warns before it is left are Chromium's own.
func waitsFor(kind pane.UserPromptKind, message string) string {
	if kind == pane.BeforeUnload {
		return "the page waits for an answer whether to leave it, because changes may be lost"
	}
	return fmt.Sprintf("the page waits for an answer to its %s %q", kind, message)
}

// dismissAfterPause answers Cancel to the pane's nth dialog, unless there has been another one by then.
func (pe *promptEvents) dismissAfterPause(pg *page, nth int) {
	pe.state.runAsync(func(ctx context.Context) error {
		select {
		case <-time.After(dialogPause):
		case <-pg.alive.Done():
			return nil
		case <-ctx.Done():
			return nil
		}
		pe.state.mu.Lock()
		isLatest := pe.prompts.dialogs == nth
		pe.state.mu.Unlock()
		if isLatest {
			pg.Post(proto.PageHandleJavaScriptDialog{Accept: false})
		}
		return nil
	})
}

// dismissDialog answers what the page waits for: OK to an alert, Cancel to everything else. A user who goes elsewhere
// leaves a page that warns of lost changes; an agent only does that by answering.
func (p *Prompts) dismissDialog(ctx context.Context) {
	for range 20 { // a page may ask repeatedly
		q, err := p.take(func(a openPrompt) bool { return a.blocksPage })
		if err != nil {
			return
		}
		a := q.defaultAnswer()
		if _, agent := goal.RunOf(ctx); agent && q.Kind == pane.BeforeUnload {
			a.Yes = false
		}
		word := "Cancel"
		if a.Yes {
			word = "OK"
		}
		p.activity.noteDuringAction(
			fmt.Sprintf("the page's %s %q was answered %s", q.Kind, text.SanitizeLine(q.Text, 300), word))
		if err := q.answer(ctx, a); err != nil {
			p.state.m.cfg.Log.Debug("dismissing", "pane", p.state.id, "error", err)
		}
	}
}

// OpenPrompt returns the oldest prompt that the page, or its loading, waits for.
func (p *Prompts) OpenPrompt() (pane.UserPrompt, bool) {
	q, open := p.blockingPrompt()
	return q.UserPrompt, open
}

func (p *Prompts) ofKind(kind pane.UserPromptKind, origin string) (openPrompt, error) {
	q, open := p.blockingPrompt()
	if !open || q.Kind != kind || q.Origin != origin {
		return q, fmt.Errorf("answering: the page has no %s prompt of %s", kind, text.SanitizeLine(origin, 200))
	}
	return q, nil
}
