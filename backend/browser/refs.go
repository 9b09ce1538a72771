package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// maxRememberedRefs is how many of the lines that the agent was told one by one are kept.
const maxRememberedRefs = 500

// rememberRefs keeps lines with refs that the agent is told, to know later what a ref was.
func (t *targets) rememberRefs(lines []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last.said = append(t.last.said, lines...)
	if over := len(t.last.said) - maxRememberedRefs; over > 0 {
		t.last.said = t.last.said[over:]
	}
}

// refLinePattern reads the beginning of a line: ref, role, and the name in quotes if it has one.
var refLinePattern = regexp.MustCompile(`^((?:f\d+)?e\d+) ([a-z][a-z -]*?)(?: ("(?:[^"\\]|\\.)*")| |$)`)

// describeLostRef says what a ref stood for when the agent was told of it, on a page at the
// present address.
func (t *targets) describeLostRef(ref string) (role, name string, ok bool) {
	address := t.state.Info().URL
	t.mu.Lock()
	defer t.mu.Unlock()
	if addressWithoutQuery(t.last.url) != addressWithoutQuery(address) {
		return "", "", false
	}
	for _, list := range [][]string{t.last.said, t.last.lines} {
		for i := len(list) - 1; i >= 0; i-- {
			if !strings.HasPrefix(list[i], ref+" ") {
				continue
			}
			m := refLinePattern.FindStringSubmatch(list[i])
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

// addressWithoutQuery is an address without what follows the path.
func addressWithoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// recoverRef looks for the one thing that is what a lost ref was; why says in words why
// there is none.
func (t *targets) recoverRef(ctx context.Context, pg *page, lost string) (at *page, ref string, why string) {
	role, name, ok := t.describeLostRef(lost)
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
		if err := view.callScript(ctx, &refs, "again", role, name); err == nil && len(refs) > 0 {
			found += len(refs)
			at, ref = view, refs[0]
		}
	}
	switch found {
	case 0:
		return nil, "", fmt.Sprintf("; no %s is on the page any more", what)
	case 1:
		return at, ref, ""
	}
	return nil, "", fmt.Sprintf("; %d things on the page are a %s now", found, what)
}

// snapshot is what the agent was told last.
func (t *targets) snapshot() lastSnapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// setSnapshot notes what the agent is told now.
func (t *targets) setSnapshot(next lastSnapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = next
}
