// Package awaketest is a logind for tests: it hands out locks on a system bus, and sees when they end.
package awaketest

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"goalpost/backend/lib/waittest"
)

// late is far longer than anything takes: a test that waits so long hangs.
var late = waittest.Scale(time.Minute)

const service = "org.freedesktop.login1"

// Logind is the service. Its methods may be called concurrently.
type Logind struct {
	t       testing.TB
	conn    *dbus.Conn
	asked   chan *Lock
	refused []string
}

// Lock is what a program asked for.
type Lock struct {
	What, Who, Why, Mode string

	t     testing.TB
	ended chan struct{} // nil if it was refused
}

// Open makes a logind the one of the bus at address. It refuses everything that includes one of the refused words.
func Open(t testing.TB, address string, refused ...string) *Logind {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	const atOnce = 64
	l := &Logind{t: t, conn: conn, asked: make(chan *Lock, atOnce), refused: refused}
	if _, err := conn.RequestName(service, 0); err != nil {
		t.Fatal(err)
	}
	calls := make(chan *dbus.Message, atOnce)
	conn.Eavesdrop(calls) // an exported method could not close its end of the pipe after the answer
	go l.serve(calls)
	return l
}

// Next waits until a program asks for a lock that it gets.
func (l *Logind) Next() *Lock {
	l.t.Helper()
	for {
		select {
		case lock := <-l.asked:
			if lock.ended != nil {
				return lock
			}
		case <-time.After(late):
			l.t.Fatal("no lock was asked for")
		}
	}
}

// WasAsked reports whether a program asked for a lock that Next has not returned, even one that was refused.
func (l *Logind) WasAsked() bool { return len(l.asked) > 0 }

// Leave ends the service, as when it crashes. What it handed out is still held.
func (l *Logind) Leave() {
	l.t.Helper()
	if err := l.conn.Close(); err != nil {
		l.t.Fatal(err)
	}
}

// IsHeld reports whether the program has not ended the lock.
func (l *Lock) IsHeld() bool {
	select {
	case <-l.ended:
		return false
	default:
		return true
	}
}

// AwaitEnd waits until the program ends the lock.
func (l *Lock) AwaitEnd() {
	l.t.Helper()
	select {
	case <-l.ended:
	case <-time.After(late):
		l.t.Fatalf("the lock %q was not ended", l.Why)
	}
}

// serve answers the calls of programs until the bus ends.
func (l *Logind) serve(calls <-chan *dbus.Message) {
	for call := range calls {
		var lock Lock
		if call.Type != dbus.TypeMethodCall || dbus.Store(call.Body, &lock.What, &lock.Who, &lock.Why, &lock.Mode) != nil {
			continue
		}
		lock.t = l.t
		answer := &dbus.Message{Type: dbus.TypeError, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldDestination: call.Headers[dbus.FieldSender],
			dbus.FieldReplySerial: dbus.MakeVariant(call.Serial()),
			dbus.FieldErrorName:   dbus.MakeVariant("org.freedesktop.DBus.Error.AccessDenied"),
		}}
		if l.refuses(lock.What) {
			l.asked <- &lock
			l.conn.Send(answer, nil)
			continue
		}
		l.hand(answer, &lock)
	}
}

func (l *Logind) refuses(what string) bool {
	return slices.ContainsFunc(strings.Split(what, ":"), func(w string) bool { return slices.Contains(l.refused, w) })
}

// hand passes the end of a pipe, as logind does. The lock ends when nobody has that end any more, so this process must
// not keep it.
func (l *Logind) hand(answer *dbus.Message, lock *Lock) {
	reader, writer, err := os.Pipe()
	if err != nil {
		l.t.Error(err)
		return
	}
	lock.ended = make(chan struct{})
	answer.Type = dbus.TypeMethodReply
	delete(answer.Headers, dbus.FieldErrorName)
	answer.Body = []any{dbus.UnixFD(writer.Fd())}
	answer.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(answer.Body...))
	l.asked <- lock
	l.conn.Send(answer, nil)
	_ = writer.Close()
	go func() {
		_, _ = reader.Read(make([]byte, 1)) // nobody writes: it returns when all writers have closed
		_ = reader.Close()
		close(lock.ended)
	}()
}
