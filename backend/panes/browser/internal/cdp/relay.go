package cdp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/go-rod/rod/lib/proto"
)

// maxRelayQueue limits the messages that wait for a relay's receiver, in bytes.
const maxRelayQueue = 64 << 20

// ErrRelayFull ends a relay whose receiver is too slow for Chromium's messages.
var ErrRelayFull = errors.New("the page sent more than could be shown")

// Relay passes the messages of one session, and of the sessions that Chromium attaches below it, to a receiver and
// back, and reads only the session in them. The receiver numbers its commands itself. All methods may be called
// concurrently.
type Relay struct {
	conn    *Conn
	root    string
	receive func(messages [][]byte)
	done    chan struct{} // closed by end
	idle    chan struct{} // closed when receive is not called any more

	mu       sync.Mutex
	sessions map[string]bool // root and the sessions attached below it
	queue    [][]byte
	size     int           // of queue, in bytes
	more     chan struct{} // has an element if the queue may have grown
	err      error         // why it ended
}

// OpenRelay begins a relay of a session, which must have no other user. receive gets Chromium's messages in
// their order, several at once if they come faster than it returns; it may send commands.
func (c *Conn) OpenRelay(session proto.TargetSessionID, receive func(messages [][]byte)) *Relay {
	r := &Relay{
		conn:     c,
		root:     string(session),
		receive:  receive,
		done:     make(chan struct{}),
		idle:     make(chan struct{}),
		sessions: map[string]bool{string(session): true},
		more:     make(chan struct{}, 1),
	}
	c.pipe.relays.add(r)
	go r.run()
	return r
}

// Done is closed when the relay has ended: by Close, because Chromium ended the session, or because
// the receiver was too slow.
func (r *Relay) Done() <-chan struct{} { return r.done }

// Err returns why the relay ended; nil before that, and after Close.
func (r *Relay) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Close detaches the session, which resumes a page that its debugger has paused, and waits until
// the receiver is not called any more.
func (r *Relay) Close() {
	r.end(nil)
	<-r.idle
}

func (r *Relay) end(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.done:
		return
	default:
	}
	r.err, r.queue = why, nil
	r.conn.pipe.relays.remove(r)
	close(r.done)
	// Not on the caller's goroutine: the reader of the pipe must not wait for Chromium to read.
	go r.conn.Post("", proto.TargetDetachFromTarget{SessionID: proto.TargetSessionID(r.root)})
}

// run passes messages on until the relay or the connection ends.
func (r *Relay) run() {
	defer close(r.idle)
	for {
		select {
		case <-r.more:
		case <-r.done:
			return
		case <-r.conn.Alive.Done():
			r.end(ErrEnded)
			return
		}
		r.mu.Lock()
		messages := r.queue
		r.queue, r.size = nil, 0
		r.mu.Unlock()
		if len(messages) > 0 {
			r.receive(messages)
		}
	}
}

// Send passes a command of the receiver to Chromium. A command for a session that is not the
// relay's is refused.
func (r *Relay) Send(message []byte) error {
	fields, session, err := splitMessage(message)
	if err != nil {
		return fmt.Errorf("a command for Chromium: %w", err)
	}
	if session == "" {
		session = r.root
	}
	r.mu.Lock()
	isOpen := r.sessions[session] && r.err == nil
	r.mu.Unlock()
	if !isOpen {
		return errors.New("a command for Chromium: its session is not part of this page")
	}
	if fields["sessionId"], err = json.Marshal(session); err != nil {
		return fmt.Errorf("a command for Chromium: %w", err)
	}
	command, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("a command for Chromium: %w", err)
	}
	return r.conn.pipe.Send(command)
}

// splitMessage returns the members of a message, and its session.
func splitMessage(message []byte) (fields map[string]json.RawMessage, session string, err error) {
	if err = json.Unmarshal(message, &fields); err != nil {
		return nil, "", fmt.Errorf("parsing a message: %w", err)
	}
	if raw, ok := fields["sessionId"]; ok {
		if err = json.Unmarshal(raw, &session); err != nil {
			return nil, "", fmt.Errorf("parsing the session of a message: %w", err)
		}
	}
	return fields, session, nil
}

// enqueue queues a message of Chromium for the receiver. To the receiver, its own session has no
// name.
func (r *Relay) enqueue(session string, fields map[string]json.RawMessage) {
	if session == r.root {
		fields = maps.Clone(fields)
		delete(fields, "sessionId")
	}
	message, err := json.Marshal(fields)
	if err != nil {
		return // it has just been parsed
	}
	r.mu.Lock()
	r.queue, r.size = append(r.queue, message), r.size+len(message)
	full := r.size > maxRelayQueue
	r.mu.Unlock()
	if full {
		r.end(ErrRelayFull)
		return
	}
	select {
	case r.more <- struct{}{}:
	default: // the receiver has a signal already
	}
}

// relays are the open relays of a connection, by session.
type relays struct {
	count atomic.Int32 // of sessions; without one, messages are not parsed twice

	mu        sync.Mutex
	bySession map[string]*Relay
}

func (re *relays) add(r *Relay) {
	re.mu.Lock()
	defer re.mu.Unlock()
	if re.bySession == nil {
		re.bySession = map[string]*Relay{}
	}
	re.bySession[r.root] = r
	re.count.Store(int32(len(re.bySession))) //nolint:gosec // a few
}

// remove forgets all sessions of a relay. The caller holds the relay's mu.
func (re *relays) remove(r *Relay) {
	re.mu.Lock()
	defer re.mu.Unlock()
	maps.DeleteFunc(re.bySession, func(_ string, of *Relay) bool { return of == r })
	re.count.Store(int32(len(re.bySession))) //nolint:gosec // a few
}

// attach records a session that Chromium attached to, or detached from, below one of a relay.
func (re *relays) attach(r *Relay, session string, on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	re.mu.Lock()
	defer re.mu.Unlock()
	if on {
		r.sessions[session], re.bySession[session] = true, r
	} else {
		delete(r.sessions, session)
		delete(re.bySession, session)
	}
	re.count.Store(int32(len(re.bySession))) //nolint:gosec // a few
}

var (
	attachedEvent = []byte(`"Target.attachedToTarget"`)
	detachedEvent = []byte(`"Target.detachedFromTarget"`)
)

// deliver passes a message to the relay of its session and reports whether there is one.
func (re *relays) deliver(message []byte) bool {
	if re.count.Load() == 0 {
		return false
	}
	fields, session, err := splitMessage(message)
	if err != nil {
		return false
	}
	var change struct {
		SessionID string `json:"sessionId"`
	}
	attached, detached := bytes.Equal(fields["method"], attachedEvent), bytes.Equal(fields["method"], detachedEvent)
	if attached || detached {
		_ = json.Unmarshal(fields["params"], &change) // an event without a session changes nothing
	}
	re.mu.Lock()
	r, next := re.bySession[session], re.bySession[change.SessionID]
	re.mu.Unlock()
	if r == nil {
		if detached && next != nil && change.SessionID == next.root {
			next.end(ErrClosed)
		}
		return false
	}
	if change.SessionID != "" {
		re.attach(r, change.SessionID, attached)
	}
	r.enqueue(session, fields)
	return true
}
