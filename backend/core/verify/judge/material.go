package judge

import (
	"fmt"
	"strings"

	"goalpost/backend/lib/text"
)

// Material is what one prompt shows to a judge. It keeps the whole of each deciding text that it shows a part of, so
// that the judge can read on.
type Material struct {
	Budget

	cut []*item
}

// item is a deciding text of which the prompt shows a part.
type item struct {
	name   string // for the user: it may have been chosen by the agent
	text   string
	unread []span // in their order
}

// span is a range of bytes.
type span struct{ from, to int }

// WrapData wraps a text from outside for a judge, without its middle if it has more than limit bytes.
func WrapData(name, data string, limit int) string {
	data = text.ToUTF8(string(text.TruncateMiddle([]byte(data), limit)))
	if strings.TrimSpace(data) == "" {
		data = "(nothing)"
	}
	return text.WrapUntrustedRandomly(name, data)
}

// Decisive wraps a text that a judge must have read whole before it can say yes. name is for the user.
func (m *Material) Decisive(kind, name, data string, limit int) string {
	wrapped := WrapData(kind, data, limit)
	if len(data) <= limit {
		return wrapped
	}
	m.cut = append(m.cut, &item{name, data, []span{{limit / 2, len(data) - limit/2}}})
	return wrapped + fmt.Sprintf("(This is item %d: bytes %d to %d of its %d are left out.)\n", len(m.cut), limit/2,
		len(data)-limit/2, len(data))
}

// missing says that a deciding text is too long to be read at all.
func (m *Material) missing(kind, name, heading string, size int) string {
	m.cut = append(m.cut, &item{name, "", []span{{0, size}}})
	return WrapData(kind, fmt.Sprintf("%s: its %d bytes are too long for a judge", heading, size), m.Text)
}

// unread describes the deciding parts that were not shown, "" if all were.
func (m *Material) unread() string {
	var parts []string
	for _, it := range m.cut {
		for _, s := range it.unread {
			parts = append(parts, fmt.Sprintf("bytes %d to %d of %s", s.from, s.to, it.name))
		}
	}
	return text.Truncate(strings.Join(parts, ", "), 300)
}

// unreadItems is unread for the judge itself, without names, which the agent may have chosen.
func (m *Material) unreadItems() string {
	var parts []string
	for n, it := range m.cut {
		for _, s := range it.unread {
			parts = append(parts, fmt.Sprintf("bytes %d to %d of item %d", s.from, s.to, n+1))
		}
	}
	return text.Truncate(strings.Join(parts, ", "), 300)
}

// see records that the judge was shown a range.
func (it *item) see(from, to int) {
	var left []span
	for _, s := range it.unread {
		for _, rest := range []span{{s.from, min(s.to, from)}, {max(s.from, to), s.to}} {
			if rest.from < rest.to {
				left = append(left, rest)
			}
		}
	}
	it.unread = left
}

func (it *item) firstUnread() int {
	if len(it.unread) == 0 {
		return len(it.text)
	}
	return it.unread[0].from
}
