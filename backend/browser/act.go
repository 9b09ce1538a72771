package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
)

// actionHintDuration is how long the words of an action stay after it, for a user to read.
const actionHintDuration = 1500 * time.Millisecond

// Acted is what came of an action.
type Acted = pane.ActionResult

// targetPoint is a point on an element.
type targetPoint struct {
	Ref   string  `json:"ref"`
	Words string  `json:"words"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
}

// Click clicks an element with real mouse events. The target is a ref (e12), a
// selector (css=#id) or the visible text. The element is scrolled into view; one
// that is covered is not clicked, and the error names what covers it. Then the
// page gets up to two seconds to settle.
func (p *Pane) Click(ctx context.Context, target string) (Acted, error) {
	return p.ClickWith(ctx, target, Press{})
}

// Type writes into a text field, at its end, or in place of what is there when
// clear is set; submit presses Enter after it. In a list it chooses the option
// of that name; a date, a time, a colour and a slider take their value, see enter.
func (p *Pane) Type(ctx context.Context, target, text string, submit, clear bool) (Acted, error) {
	if len(text) > 1<<20 {
		return Acted{}, errors.New("typing: the text is longer than 1 MB")
	}
	return p.runAction(ctx, "typing into "+sanitize.Line(target, 80), func(ctx context.Context, pg *page) error {
		var field field
		at, err := p.callOnTarget(ctx, pg, &field, "prepare", target, text)
		if err != nil {
			return err
		}
		p.change(func() { p.network.patient = field.Suggests })
		if field.Kind == "text" {
			if err := p.fillField(ctx, pg, at, field.Ref, text, clear); err != nil {
				return err
			}
		} else if err := p.setFieldByKeys(ctx, pg, at, field); err != nil {
			return err
		}
		if !submit {
			return nil
		}
		return p.pressKey(ctx, pg, "Enter")
	})
}

func (p *Pane) fillField(ctx context.Context, pg, where *page, ref, text string, clear bool) error {
	if err := p.clickOn(ctx, pg, "type into", ref, mousePress{}); err != nil {
		return err
	}
	var caret struct{ End, Empty bool }
	if err := where.callScript(ctx, &caret, "caret", ref, clear); err != nil {
		return err
	}
	switch {
	case caret.End:
		if err := p.pressKey(ctx, pg, "End"); err != nil {
			return err
		}
	case text == "" && clear && !caret.Empty:
		return p.pressKey(ctx, pg, "Delete")
	}
	return p.typeText(ctx, pg, text)
}

// maxTypedKeys is how long a text may be that is typed key by key.
const maxTypedKeys = 200

// typeText types a text with a key for each character, since pages listen to keys. A
// long one, or one of several lines, comes at once as a paste does.
func (p *Pane) typeText(ctx context.Context, pg *page, text string) error {
	switch {
	case text == "":
		return nil
	case utf8.RuneCountInString(text) > maxTypedKeys || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		return pg.do(ctx, callLimit, "writing", func(c proto.Client) error { return cdp.CallNoResult(c, proto.InputInsertText{Text: text}) })
	}
	return pg.do(ctx, callLimit, "writing", func(c proto.Client) error {
		left := utf8.RuneCountInString(text)
		for _, r := range text {
			left--
			in := pane.Input{Kind: pane.KeyDown, Key: string(r)}
			pg.post(key(in))
			in.Kind = pane.KeyUp
			if left > 0 {
				pg.post(key(in))
			} else if err := cdp.CallNoResult(c, key(in)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Press presses keys, one after the other, named as in the DOM ("Enter",
// "Escape", "ArrowDown", "a"), with modifiers before them ("Ctrl+a") and spaces
// between. They go to target, or to what has the keyboard if it is "".
func (p *Pane) Press(ctx context.Context, target, keys string) (Acted, error) {
	list := strings.Fields(keys)
	if len(list) == 0 || len(list) > 50 {
		return Acted{}, errors.New("pressing keys: name 1 to 50, such as Enter or Ctrl+a")
	}
	return p.runAction(ctx, "pressing "+sanitize.Line(keys, 40), func(ctx context.Context, pg *page) error {
		words := "presses " + sanitize.Line(keys, 40)
		if target != "" {
			var field struct{ Words string }
			if _, err := p.callOnTarget(ctx, pg, &field, "focusOn", target); err != nil {
				return err
			}
			words += " in " + sanitize.Line(field.Words, 80)
		}
		p.showActionHint(words, 0, 0)
		for _, one := range list {
			if err := p.pressKey(ctx, pg, one); err != nil {
				return err
			}
		}
		return nil
	})
}

// resolveTarget finds the point of an element for the mouse and shows it to the user. It waits
// until an element that moves is steady.
func (p *Pane) resolveTarget(ctx context.Context, pg *page, verb, target string) (targetPoint, error) {
	at, _, err := p.aimWith(ctx, pg, verb, target, false, false)
	return at, err
}

// aimWith is aim; unsure has it wait in any case, and clicks sets the guard of a click.
func (p *Pane) aimWith(ctx context.Context, pg *page, verb, target string, unsure, clicks bool) (targetPoint, *page, error) {
	var at targetPoint
	where, err := p.callOnTarget(ctx, pg, &at, "aim", target, unsure, clicks)
	if err == nil {
		err = p.toPagePoint(ctx, where, &at)
	}
	if err != nil {
		return at, where, err
	}
	p.showActionHint(verb+" "+sanitize.Line(at.Words, 120), at.X, at.Y)
	return at, where, nil
}

// clickOn clicks an element. Something that comes over it in the last moment is
// kept from being clicked by snapshot.js, and the click is tried again.
func (p *Pane) clickOn(ctx context.Context, pg *page, verb, target string, how mousePress) error {
	missed := ""
	for try := range 3 {
		at, where, err := p.aimWith(ctx, pg, verb, target, try > 0, true)
		if err == nil {
			err = cdp.Cause(ctx)
		}
		if err != nil {
			p.releaseGuards(ctx, pg, false)
			return err
		}
		if err := p.click(ctx, pg, at, how.Press); err != nil {
			p.releaseGuards(ctx, pg, true)
			return err
		}
		var landed struct {
			Missed string
			Calm   *frameActivity
		}
		if err := where.callScript(ctx, &landed, "landed", how.last); err != nil || landed.Missed == "" {
			if err != nil {
				where.send("release", false)
			}
			if errors.Is(err, errPromptOpen) {
				return err
			}
			p.lastClickActivity[where] = landed.Calm
			return nil // the click may have ended the document
		}
		missed, target = landed.Missed, at.Ref
	}
	return fmt.Errorf("%s is in the way each time it is clicked: deal with that first", sanitize.Line(missed, 300))
}

// releaseGuards removes the guard of a click that is not made, or, with pressed, whose
// end is unknown. Which view has it is not known where one did not answer, so all are
// told, whatever became of ctx. While that lasts they are waited for: the mouse reaches
// the page another way.
func (p *Pane) releaseGuards(ctx context.Context, pg *page, pressed bool) {
	views := p.framesInOrder(pg)
	for _, view := range views {
		view.send("release", pressed)
	}
	for _, view := range views {
		if ctx.Err() != nil {
			return
		}
		if err := view.callScript(ctx, nil, "release", pressed); err != nil {
			p.m.cfg.Log.Debug("releasing the guard of a click", "pane", p.id, "error", err)
		}
	}
}

func (p *Pane) pressKey(ctx context.Context, pg *page, keys string) error {
	in, err := parseKeys(keys)
	if err != nil {
		return err
	}
	for _, kind := range []pane.InputKind{pane.KeyDown, pane.KeyUp} {
		in.Kind = kind
		if err := pg.do(ctx, callLimit, "the keyboard", func(c proto.Client) error { return cdp.CallNoResult(c, key(in)) }); err != nil {
			return err
		}
	}
	return nil
}

// runAction wraps an action that changes the page: it watches what the page does,
// waits until it is quiet, and tells what changed.
func (p *Pane) runAction(ctx context.Context, what string, f func(context.Context, *page) error) (Acted, error) {
	return p.runActionOn(ctx, what, func(*page) bool { return false }, f)
}

// runActionOn is act; asks says that f begins by asking the page itself.
func (p *Pane) runActionOn(ctx context.Context, what string, asks func(*page) bool, f func(context.Context, *page) error) (Acted, error) {
	var acted Acted
	err := p.withTurn(ctx, what, func(ctx context.Context, pg *page) error {
		before := p.Info()
		p.change(func() { p.loadNotice, p.dialogsInARow = "", 0 })
		if err := p.markState(ctx, pg, asks(pg)); err != nil {
			return err
		}
		err := p.actAndSettle(ctx, pg, f)
		if err != nil && !errors.Is(err, errPromptOpen) {
			return err
		}
		acted = p.actionResult(ctx, pg, before)
		return nil
	})
	return acted, err
}

// runActionDuringDialog is act while the page waits for an answer, which f gives.
func (p *Pane) runActionDuringDialog(ctx context.Context, what string, f func(context.Context, *page) error) (Acted, error) {
	var acted Acted
	err := p.withDialogTurn(ctx, what, func(ctx context.Context, pg *page) error {
		before := p.Info()
		err := p.actAndSettle(ctx, pg, f)
		if err != nil && !errors.Is(err, errPromptOpen) {
			return err
		}
		acted = p.actionResult(ctx, pg, before)
		return nil
	})
	return acted, err
}

// actAndSettle acts and waits until the page is quiet, or asks something.
func (p *Pane) actAndSettle(ctx context.Context, pg *page, f func(context.Context, *page) error) error {
	p.lastClickActivity, p.lastChanges = map[*page]*frameActivity{}, map[*page]*changes{}
	p.trackNetwork(pg, true)
	defer p.trackNetwork(pg, false)
	defer p.clearActionHint()
	if err := f(ctx, pg); err != nil {
		return err
	}
	ctx, calm := p.withoutPrompts(ctx)
	defer calm(nil)
	p.settle(ctx, pg)
	if ctx.Err() == nil {
		p.notePendingNavigation()
	}
	return nil
}

// notePendingNavigation keeps for the outcome what the page has announced and not done yet.
func (p *Pane) notePendingNavigation() {
	p.mu.Lock()
	net := p.network
	p.mu.Unlock()
	if !net.leaving.IsZero() {
		p.noteDuringAction("the page is about to go elsewhere")
	}
	if !net.opening.IsZero() {
		p.noteDuringAction("it asks for a new window, which is not there yet")
	}
}

// actionResult never fails: the action is done, whatever the page is like now.
func (p *Pane) actionResult(ctx context.Context, pg *page, before pane.Info) Acted {
	var b strings.Builder
	p.mu.Lock()
	now, happened := p.info, p.actionEvents
	p.actionEvents = nil
	p.mu.Unlock()
	for _, h := range happened {
		fmt.Fprintf(&b, "%s\n", h)
	}
	if now.URL != before.URL {
		fmt.Fprintf(&b, "the address is now %s\n", sanitize.Line(now.URL, 200))
	}
	if now.Loading {
		b.WriteString("the page is still loading\n")
	}
	if q, open := p.blockingPrompt(); open {
		fmt.Fprintf(&b, "the page stands still until its %s is answered: answer it, or your next action dismisses it\n", q.Kind)
		return Acted{URL: now.URL, Title: now.Title, Changed: truncateLines(b.String(), 1000)}
	}
	ctx, cancel := context.WithTimeout(ctx, p.m.limits.settle)
	defer cancel()
	ctx, calm := p.withoutPrompts(ctx)
	defer calm(nil)
	told, err := p.changesSinceMark(ctx, pg)
	if err != nil {
		p.markHung(err)
		fmt.Fprintf(&b, "what changed cannot be told: %s\n", sanitize.Line(err.Error(), 200))
	} else {
		if told == "" && b.Len() == 0 {
			told = "nothing visible changed\n"
		}
		b.WriteString(told)
	}
	return Acted{URL: now.URL, Title: now.Title, Changed: truncateLines(b.String(), 1000)}
}

// markState remembers what is in view, on the page and in its parts. With asks the page is
// not waited for: what it is asked next comes after it. Keys and the mouse would not,
// they reach the page another way.
func (p *Pane) markState(ctx context.Context, pg *page, asks bool) error {
	for _, view := range p.framesInOrder(pg) {
		if asks && view == pg && view.callScriptAsync("mark") {
			continue
		}
		if err := view.callScript(ctx, nil, "mark"); err != nil && view == pg {
			return err
		}
	}
	return nil
}

// changes are what is different since mark.
type changes struct {
	Fresh         bool // it is another document
	Added         []string
	More, Removed int
}

// changesSinceMark tells what is different since mark.
func (p *Pane) changesSinceMark(ctx context.Context, pg *page) (string, error) {
	var all changes
	silent := false
	for _, view := range p.framesInOrder(pg) {
		d := p.lastChanges[view]
		if d == nil || !view.callScriptAsync("rest") {
			d = &changes{}
			if err := view.callScript(ctx, d, "diff"); err != nil {
				if view == pg {
					return "", err
				}
				silent = silent || view.isUnresponsive(err)
				continue
			}
		}
		if view == pg {
			all.Fresh = d.Fresh
		}
		all.Added = append(all.Added, slices.DeleteFunc(d.Added, isFramePlaceholder)...)
		all.More, all.Removed = all.More+d.More, all.Removed+d.Removed
	}
	p.rememberRefs(all.Added)
	told := describeChange(all.Fresh, all.Added, all.More, all.Removed)
	if silent {
		told += unresponsiveFrameText + "\n"
	}
	return told, nil
}

func describeChange(fresh bool, added []string, more, removed int) string {
	var b strings.Builder
	if fresh {
		b.WriteString("a new document:\n")
	}
	for _, line := range added {
		mark := "+ "
		if fresh {
			mark = ""
		}
		fmt.Fprintf(&b, "%s%s\n", mark, sanitize.Line(line, 200))
	}
	if more > 0 {
		fmt.Fprintf(&b, "+ %d more lines\n", more)
	}
	if removed > 0 {
		fmt.Fprintf(&b, "%d lines went\n", removed)
	}
	return b.String()
}

// truncateLines keeps whole lines up to a size.
func truncateLines(text string, limit int) string {
	text = strings.TrimSuffix(text, "\n")
	if len(text) <= limit {
		return text
	}
	if i := strings.LastIndexByte(text[:limit-3], '\n'); i > 0 {
		return text[:i] + "\n…"
	}
	return sanitize.Line(text, limit-3)
}

// showActionHint tells the user what the agent does, and where.
func (p *Pane) showActionHint(words string, x, y float64) {
	p.change(func() {
		p.actionCount++
		p.info.Acting, p.info.X, p.info.Y = words, x, y
	})
}

// clearActionHint takes the words back after a while, unless another action came.
func (p *Pane) clearActionHint() {
	p.mu.Lock()
	acts := p.actionCount
	p.mu.Unlock()
	time.AfterFunc(actionHintDuration, func() { // of a closed pane it alters nothing that anybody sees
		p.change(func() {
			if p.actionCount == acts {
				p.info.Acting = ""
			}
		})
	})
}

// markHung remembers that the page let a call time out, see freeHung.
func (p *Pane) markHung(err error) {
	if errors.Is(err, ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		p.change(func() { p.unresponsive = true })
	}
}

// noteDuringAction keeps what happened on the page for the outcome of the action under way.
func (p *Pane) noteDuringAction(what string) {
	p.change(func() {
		if len(p.actionEvents) < 5 {
			p.actionEvents = append(p.actionEvents, what)
		}
	})
}
