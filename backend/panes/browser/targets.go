package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"goalpost/backend/lib/text"
)

// targets finds the element that the agent names, also one whose ref no longer exists.
type targets struct {
	state    *State
	activity *Activity
	frames   *frames

	mu   sync.Mutex   // never held during a call of another part
	last lastSnapshot // what the agent has read
}

// maxRememberedRefs limits the stored lines that the agent got one by one.
const maxRememberedRefs = 500

// rememberRefs stores lines with refs that the agent gets, to know later what a ref was.
func (t *targets) rememberRefs(lines []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last.extraLines = append(t.last.extraLines, lines...)
	if excess := len(t.last.extraLines) - maxRememberedRefs; excess > 0 {
		t.last.extraLines = t.last.extraLines[excess:]
	}
}

// refLinePattern matches the beginning of a line: ref, role, and the quoted name if there is one.
var refLinePattern = text.NewPattern(`^((?:f\d+)?e\d+) ([a-z][a-z -]*?)(?: ("(?:[^"\\]|\\.)*")| |$)`)

// describeLostRef returns the role and name of a ref as the agent got it, on a page at the
// current address.
func (t *targets) describeLostRef(ref string) (role, name string, ok bool) {
	address := t.state.Info().URL
	t.mu.Lock()
	defer t.mu.Unlock()
	if addressWithoutQuery(t.last.url) != addressWithoutQuery(address) {
		return "", "", false
	}
	for _, list := range [][]string{t.last.extraLines, t.last.lines} {
		for i := len(list) - 1; i >= 0; i-- {
			line := strings.TrimLeft(list[i], " ")
			if !strings.HasPrefix(line, ref+" ") {
				continue
			}
			m := refLinePattern.FindStringSubmatch(line)
			if m == nil {
				return "", "", false
			}
			if m[3] != "" && json.Unmarshal([]byte(m[3]), &name) != nil {
				return "", "", false
			}
			return m[2], name, true
		}
	}
	return "", "", false
}

// addressWithoutQuery returns an address without query and fragment.
func addressWithoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// recoverRef finds the only element that looks like the one of a lost ref. If there is no such element, why is the
// reason, as the end of an error message.
func (t *targets) recoverRef(ctx context.Context, pg *page, oldRef string) (at *page, ref string, why string) {
	role, name, ok := t.describeLostRef(oldRef)
	if !ok {
		return nil, "", ""
	}
	what := role
	if name != "" {
		what = fmt.Sprintf("%s %q", role, name)
	}
	found := 0
	for _, view := range t.frames.inOrder(pg) {
		var refs []string
		if err := view.callScript(ctx, &refs, "findSimilar", role, name); err == nil && len(refs) > 0 {
			found += len(refs)
			at, ref = view, refs[0]
		}
	}
	switch found {
	case 0:
		return nil, "", fmt.Sprintf("; the page no longer has a %s", what)
	case 1:
		return at, ref, ""
	}
	return nil, "", fmt.Sprintf("; %d elements on the page now match %s", found, what)
}

// latestSnapshot returns what the agent last read.
func (t *targets) latestSnapshot() lastSnapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// setSnapshot records what the agent reads now.
func (t *targets) setSnapshot(next lastSnapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = next
}

// callOnTarget calls a function of page.js that takes a target, in the page or in the frame
// that has the target: it tries the frames if no element of the page matches. A lost ref is
// replaced if only one element looks the same. It returns the page or frame.
func (t *targets) callOnTarget(
	ctx context.Context, pg *page, out any, function, target string, args ...any,
) (*page, error) {
	at := t.frameOfRef(pg, target)
	err := at.callScript(ctx, out, function, append([]any{target}, args...)...)
	switch {
	case errors.Is(err, ErrStale):
		place, ref, why := t.recoverRef(ctx, pg, target)
		if ref == "" {
			return at, fmt.Errorf("%w%s", err, why)
		}
		t.activity.noteDuringAction(fmt.Sprintf("%s was gone; %s is the only element like it now", target, ref))
		return place, place.callScript(ctx, out, function, append([]any{ref}, args...)...)
	case errorCode(err) != "none" || target == "":
		return at, err
	}
	hasSilentFrame := false
	for _, view := range t.frames.inOrder(pg)[1:] {
		inside := view.callScript(ctx, out, function, append([]any{target}, args...)...)
		if inside == nil || errorCode(inside) != "" && errorCode(inside) != "none" {
			return view, inside
		}
		hasSilentFrame = hasSilentFrame || view.isUnresponsive(inside)
	}
	if hasSilentFrame {
		err = fmt.Errorf("%w (%s)", err, unresponsiveFrameText)
	}
	return at, err
}

var refInFrame = text.NewPattern(`^f(\d+)e\d+$`)

// frameOfRef returns the page or frame that created a ref; the page for other targets.
func (t *targets) frameOfRef(pg *page, target string) *page {
	if m := refInFrame.FindStringSubmatch(target); m != nil {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		if holder := t.frames.refs.pageOfFrame(n); holder != nil && holder.alive.Err() == nil {
			return holder
		}
	}
	return pg
}
