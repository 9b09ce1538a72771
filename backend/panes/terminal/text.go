package terminal

import (
	"bytes"

	"goalpost/backend/lib/text"
)

// Page is a part of the scrollback as plain text.
type Page struct {
	Text string
	From int64 // offset of its first byte in the scrollback
	Next int64 // where to continue reading
	End  int64 // where the scrollback ends at present
	// Lost is the number of requested bytes that were discarded.
	Lost int64
}

// Text returns about limit bytes of scrollback from offset on, in plain text; an offset below zero means the last limit
// bytes. A page ends with a whole line if it contains one, so that pages join.
func (s *Session) Text(offset int64, limit int) Page {
	limit = max(limit, 256)
	s.mu.Lock()
	r := s.ring
	latest := offset < 0
	if latest {
		offset = max(r.start, r.end-int64(limit))
	}
	page := Page{From: min(max(offset, r.start), r.end), End: r.end}
	page.Lost = max(0, page.From-offset)
	raw := r.slice(page.From, min(r.end, page.From+int64(limit)))
	s.mu.Unlock()
	switch {
	case latest && page.From > 0, page.Lost > 0: // may begin in the middle of a line
		skip := bytes.IndexByte(raw, '\n') + 1
		if skip == 0 {
			skip = continuationLen(raw)
		}
		raw, page.From = raw[skip:], page.From+int64(skip)
	}
	if page.From+int64(len(raw)) < page.End {
		if last := bytes.LastIndexByte(raw, '\n'); last >= 0 {
			raw = raw[:last+1]
		} else {
			raw = raw[:completeUTF8Len(raw)]
		}
	}
	page.Next = page.From + int64(len(raw))
	page.Text = text.Render(raw)
	return page
}

// pageBytes is the approximate size of a page of Scrollback, in raw bytes.
const pageBytes = 16 << 10

// Scrollback returns a page of plain text counted from the newest, which is 0. New output shifts the pages: to join
// them, continue with Text from Page.From or Page.Next. Beyond the oldest page the text is empty.
func (s *Session) Scrollback(page int) Page {
	s.mu.Lock()
	r := s.ring
	to := r.end - int64(max(page, 0))*pageBytes
	from := max(r.start, to-pageBytes)
	out := Page{From: from, Next: max(to, r.start), End: r.end}
	from, to = r.lineAfter(from), r.lineAfter(to)
	if from < to {
		out.From, out.Next = from, to
		raw := r.slice(from, to)
		s.mu.Unlock()
		out.Text = text.Render(raw)
		return out
	}
	s.mu.Unlock()
	return out
}

// lineAfter returns the offset of the first line that begins at or after the given one. The start of the stored range
// and its end count as line starts, and so does the offset itself in a very long line.
func (r *ring) lineAfter(offset int64) int64 {
	if offset <= r.start || offset >= r.end {
		return min(max(offset, r.start), r.end)
	}
	next := r.slice(offset-1, min(r.end, offset+pageBytes/2))
	if i := bytes.IndexByte(next, '\n'); i >= 0 {
		return offset + int64(i)
	}
	return offset + int64(continuationLen(next[1:]))
}
