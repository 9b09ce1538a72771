package terminal

import "bytes"

// Page is a part of the scrollback as plain text.
type Page struct {
	Text string
	From int64 // offset of its first byte in the scrollback
	Next int64 // where to read on
	End  int64 // where the scrollback ends now
	// Lost is how many of the bytes asked for are no longer kept.
	Lost int64
}

// Text is about max bytes of scrollback from offset on, in plain text; below zero
// is the last max bytes. A page ends with a whole line if it holds one, so that
// pages join.
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
	case latest && page.From > 0, page.Lost > 0: // begins anywhere in a line
		skip := bytes.IndexByte(raw, '\n') + 1
		if skip == 0 {
			skip = begun(raw)
		}
		raw, page.From = raw[skip:], page.From+int64(skip)
	}
	if page.From+int64(len(raw)) < page.End {
		if last := bytes.LastIndexByte(raw, '\n'); last >= 0 {
			raw = raw[:last+1]
		} else {
			raw = raw[:whole(raw)]
		}
	}
	page.Next = page.From + int64(len(raw))
	page.Text = plain(raw)
	return page
}
