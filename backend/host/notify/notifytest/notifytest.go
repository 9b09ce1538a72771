// Package notifytest is a desktop for tests: it shows notifications on a session bus, and its user presses buttons.
package notifytest

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"goalpost/backend/lib/waittest"
)

// late is far longer than anything takes: a test that waits so long hangs.
var late = waittest.Scale(time.Minute)

const (
	service = "org.freedesktop.Notifications"
	object  = "/org/freedesktop/Notifications"
)

// Desktop is the service that shows notifications. Its methods may be called concurrently.
type Desktop struct {
	t         testing.TB
	conn      *dbus.Conn
	shown     chan Shown
	withdrawn chan uint32
}

// Shown is a notification on the screen.
type Shown struct {
	ID      uint32
	App     string
	Title   string
	Text    string
	Buttons []string // keys and labels in turn
	Hints   map[string]dbus.Variant
}

// Labels returns what the buttons say.
func (s Shown) Labels() []string {
	labels := []string{}
	for pair := range slices.Chunk(s.Buttons, 2) {
		if pair[0] != "default" {
			labels = append(labels, pair[1])
		}
	}
	return labels
}

// Open makes a desktop with these capabilities the one of the bus at address.
func Open(t testing.TB, address string, capabilities ...string) *Desktop {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	const atOnce = 64
	d := &Desktop{t: t, conn: conn, shown: make(chan Shown, atOnce), withdrawn: make(chan uint32, atOnce)}
	if err := conn.Export(&methods{d: d, capabilities: capabilities}, object, service); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(service, 0); err != nil {
		t.Fatal(err)
	}
	return d
}

// Next waits for the next notification.
func (d *Desktop) Next() Shown {
	d.t.Helper()
	return receive(d.t, d.shown, "notification")
}

// IsEmpty reports whether no notification was shown that Next has not returned.
func (d *Desktop) IsEmpty() bool { return len(d.shown) == 0 }

// Withdrawn waits until the program removes a notification, and returns its id.
func (d *Desktop) Withdrawn() uint32 {
	d.t.Helper()
	return receive(d.t, d.withdrawn, "withdrawn notification")
}

func receive[T any](t testing.TB, from chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(late):
		t.Fatalf("no %s", what)
	}
	return v
}

// Press presses the button with a label, as a user does.
func (d *Desktop) Press(s Shown, label string) {
	d.t.Helper()
	for pair := range slices.Chunk(s.Buttons, 2) {
		if pair[1] == label {
			d.Invoke(s.ID, pair[0])
			return
		}
	}
	d.t.Fatalf("%q has no button %q, but %v", s.Title, label, s.Labels())
}

// Invoke reports that the user chose the action with a key.
func (d *Desktop) Invoke(id uint32, key string) {
	d.t.Helper()
	if err := d.conn.Emit(object, service+".ActionInvoked", id, key); err != nil {
		d.t.Fatal(err)
	}
}

// Leave ends the desktop, as when its user restarts it.
func (d *Desktop) Leave() {
	d.t.Helper()
	if err := d.conn.Close(); err != nil {
		d.t.Fatal(err)
	}
}

// methods are called over the bus.
type methods struct {
	d            *Desktop
	capabilities []string
	last         atomic.Uint32
}

// GetServerInformation says who the desktop is.
func (*methods) GetServerInformation() (name, vendor, version, spec string, err *dbus.Error) {
	return "a desktop", "a test", "1", "1.2", nil
}

// GetCapabilities says what it can do.
func (m *methods) GetCapabilities() ([]string, *dbus.Error) { return m.capabilities, nil }

// Notify shows a notification.
func (m *methods) Notify(
	app string, _ uint32, _, title, body string, buttons []string, hints map[string]dbus.Variant, _ int32,
) (uint32, *dbus.Error) {
	s := Shown{ID: m.last.Add(1), App: app, Title: title, Text: body, Buttons: buttons, Hints: hints}
	m.d.shown <- s
	return s.ID, nil
}

// CloseNotification removes a notification.
func (m *methods) CloseNotification(id uint32) *dbus.Error {
	m.d.withdrawn <- id
	return nil
}
