package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"goalpost/backend/lib/tail"
	"goalpost/backend/lib/text"
)

// messageReader passes on the messages of a server, one a line. Servers also print banners, logs and progress to
// standard output, which is for messages alone: it skips such text and keeps its end. Not for concurrent use.
type messageReader struct {
	lines   *bufio.Reader
	out     io.Closer
	ready   []byte // of messages, not read yet
	skipped *tail.Writer
}

func newMessageReader(out io.ReadCloser, skipped *tail.Writer) *messageReader {
	return &messageReader{lines: bufio.NewReader(out), out: out, skipped: skipped}
}

// Read implements io.Reader.
func (m *messageReader) Read(b []byte) (int, error) {
	for len(m.ready) == 0 {
		line, err := m.readLine()
		if err != nil && len(line) == 0 {
			return 0, err
		}
		m.accept(line)
	}
	n := copy(b, m.ready)
	m.ready = m.ready[n:]
	return n, nil
}

// Close implements io.Closer.
func (m *messageReader) Close() error { return m.out.Close() } //nolint:wrapcheck // the file names itself

var errLongMessage = fmt.Errorf("a line of the server is longer than %d MiB", maxFrame>>20)

// readLine returns the next line, and at the end an error that may come with the last one.
func (m *messageReader) readLine() (line []byte, err error) {
	for {
		part, err := m.lines.ReadSlice('\n')
		if len(line)+len(part) > maxFrame {
			return nil, errLongMessage
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err //nolint:wrapcheck // io.EOF must stay itself
		}
	}
}

// accept keeps the messages of a line for Read. A message after other text, such as dots of progress, is one, too. The
// messages of an array become lines of their own, because the newer protocol knows no arrays.
func (m *messageReader) accept(line []byte) {
	if begin := bytes.Index(line, []byte(`{"jsonrpc"`)); begin > 0 && isMessage(line[begin:]) {
		_, _ = m.skipped.Write(append(bytes.Clone(line[:begin]), '\n'))
		line = line[begin:]
	}
	list := []json.RawMessage{line}
	if bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) && json.Unmarshal(line, &list) != nil {
		list = []json.RawMessage{line}
	}
	for _, one := range list {
		if one = bytes.TrimSpace(one); isMessage(one) {
			m.ready = append(append(m.ready, one...), '\n')
		} else if len(one) > 0 {
			_, _ = m.skipped.Write(append(bytes.Clone(one), '\n'))
		}
	}
}

func isMessage(b []byte) bool {
	_, err := jsonrpc.DecodeMessage(b)
	return err == nil
}

// skippedNote reports what a server printed between its messages, "" if it printed nothing.
func (s *session) skippedNote() string {
	if printed := text.SanitizeLine(s.skipped.String(), 300); printed != "" {
		return "skipped on its standard output, which is for messages alone: " + printed
	}
	return ""
}
