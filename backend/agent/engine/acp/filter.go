package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	sdk "github.com/coder/acp-go-sdk"
)

// maxMessage limits one message of an agent, in bytes. A longer one ends the connection.
const maxMessage = 10 << 20

// filter reads the agent's messages before the SDK does. The SDK handles requests concurrently with updates, and drops
// the connection if the agent sends too fast. The filter handles updates in order, so that a permission request finds
// the earlier updates of its call, and an agent that floods has to wait. Only answers and a bounded number of
// permission requests reach the SDK.
type filter struct {
	conn   *Conn
	client *client
	out    *lockedWriter
}

// lockedWriter writes whole messages to the agent, one at a time.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b) //nolint:wrapcheck // the SDK wraps it
}

// run reads until the agent closes its output.
func (f filter) run(from io.Reader, to *io.PipeWriter) {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 64<<10), maxMessage)
	for lines.Scan() {
		if !f.handle(lines.Bytes()) {
			continue
		}
		if _, err := to.Write(append(bytes.Clone(lines.Bytes()), '\n')); err != nil {
			break
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		f.conn.mu.Lock()
		f.conn.problem = fmt.Sprintf("It sent a message of more than %d MiB.", maxMessage>>20)
		f.conn.mu.Unlock()
	}
	if err == nil {
		err = io.EOF
	}
	_ = to.CloseWithError(err) // always nil
}

// handle handles a message, or returns true to forward it to the SDK.
func (f filter) handle(line []byte) (forward bool) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(line, &m) != nil {
		return false
	}
	switch {
	case m.Method == "": // an answer
		return len(m.ID) > 0
	case m.Method == sdk.ClientMethodSessionUpdate:
		var n sdk.SessionNotification
		if json.Unmarshal(m.Params, &n) == nil {
			_ = f.client.SessionUpdate(context.Background(), n) // always nil
		}
		return false
	case len(m.ID) == 0: // another notification
		return false
	case m.Method != sdk.ClientMethodSessionRequestPermission:
		f.reply(m.ID, `"error":{"code":-32601,"message":"not offered"}`)
		return false
	case f.conn.waiting.Add(1) > maxOpenRequests:
		f.conn.waiting.Add(-1)
		f.reply(m.ID, `"result":{"outcome":{"outcome":"cancelled"}}`)
		return false
	}
	// Counted until it is answered. Invalid ones are answered here, because the SDK would answer them without the
	// client.
	var r sdk.RequestPermissionRequest
	if json.Unmarshal(m.Params, &r) != nil || r.Validate() != nil {
		f.conn.waiting.Add(-1)
		f.reply(m.ID, `"error":{"code":-32602,"message":"not a permission request"}`)
		return false
	}
	return true
}

// reply answers at once. If the agent does not read, no more of its messages are handled.
func (f filter) reply(id json.RawMessage, body string) {
	_, _ = fmt.Fprintf(f.out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, body)
}
