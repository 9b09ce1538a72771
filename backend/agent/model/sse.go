package model

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Limits on a server's answer to one turn.
const (
	maxLine   = 8 << 20
	maxStream = 64 << 20
)

var (
	errLong          = errors.New("a line of more than 8 MiB")
	errStreamTooLong = errors.New("more than 64 MiB")
)

// sse parses server-sent events. Lines end with LF, CR LF or CR; comments and unknown fields are skipped. Lines that
// are not fields are counted, to recognize a web page or binary data.
type sse struct {
	r       *bufio.Reader
	limit   *io.LimitedReader
	strange int  // lines that belong to no event
	afterCR bool // the next LF belongs to the same line end
}

func newSSE(r io.Reader) *sse {
	limit := &io.LimitedReader{R: r, N: maxStream}
	return &sse{r: bufio.NewReaderSize(limit, 32<<10), limit: limit}
}

// next returns the data lines of the next event. At the end, err is io.EOF, together with the data of an event that
// lacks its final empty line.
func (s *sse) next() (data [][]byte, err error) {
	size := 0
	for {
		line, err := s.line()
		if len(line) == 0 && err == nil {
			if len(data) > 0 {
				return data, nil
			}
			continue
		}
		if d, ok := s.field(line); ok {
			size += len(d)
			if size > maxLine {
				return nil, errLong
			}
			data = append(data, d)
		}
		if err != nil {
			return data, err
		}
	}
}

// field returns the data of a line.
func (s *sse) field(line []byte) ([]byte, bool) {
	line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
	name, value, found := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch {
	case len(line) == 0 || line[0] == ':':
		return nil, false
	case found && string(name) == "data":
		return value, true
	case found && string(name) == "error" && bytes.HasPrefix(value, []byte("{")): // llama.cpp
		return append([]byte(`{"error":`), append(value, '}')...), true
	case found && (string(name) == "event" || string(name) == "id" || string(name) == "retry"):
		return nil, false
	case line[0] == '{': // a JSON line without any framing
		return line, true
	}
	s.strange++
	return nil, false
}

// line reads a line without its end; the slice belongs to the caller.
func (s *sse) line() ([]byte, error) {
	var out []byte
	for {
		if _, err := s.r.Peek(1); err != nil {
			if s.limit.N <= 0 {
				err = errStreamTooLong
			}
			return out, err
		}
		part, _ := s.r.Peek(s.r.Buffered()) // returns only buffered bytes, so there is no error
		if s.afterCR && part[0] == '\n' {
			s.afterCR = false
			_, _ = s.r.Discard(1)
			continue
		}
		s.afterCR = false
		end := bytes.IndexAny(part, "\r\n")
		if end < 0 {
			out = append(out, part...)
			_, _ = s.r.Discard(len(part))
		} else {
			out = append(out, part[:end]...)
			s.afterCR = part[end] == '\r'
			_, _ = s.r.Discard(end + 1)
		}
		if len(out) > maxLine {
			return nil, errLong
		}
		if end >= 0 {
			return out, nil
		}
	}
}
