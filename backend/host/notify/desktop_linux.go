package notify

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/godbus/dbus/v5"
)

// Desktop shows notifications through the service of the session's desktop. All methods may be called concurrently.
type Desktop struct {
	conn       *dbus.Conn
	name       string
	owner      string // the connection of the service; signals of others are ignored
	hasActions bool
	received   chan *dbus.Signal
	done       chan struct{} // closed when no more actions are done

	mu    sync.Mutex // held while a notification is shown, so that its buttons are known before they are pressed
	shown map[uint32][]Action
}

const (
	service = "org.freedesktop.Notifications"
	object  = "/org/freedesktop/Notifications"
)

// clickKey is the key of the action that a click on the notification itself does.
const clickKey = "default"

// Open connects to the desktop of the user's session.
func Open(ctx context.Context) (*Desktop, error) {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" { // the library would start a bus of its own
		path := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus")
		info, err := os.Stat(path)
		if err != nil || os.Getenv("XDG_RUNTIME_DIR") == "" || info.Mode()&os.ModeSocket == 0 {
			return nil, errors.New("no session bus is running")
		}
		address = "unix:path=" + dbus.EscapeBusAddressValue(path)
	}
	conn, err := dbus.Connect(address)
	if err != nil {
		return nil, fmt.Errorf("the session bus: %w", err)
	}
	const pressedAtOnce = 64
	d := &Desktop{
		conn: conn, received: make(chan *dbus.Signal, pressedAtOnce), done: make(chan struct{}),
		shown: map[uint32][]Action{},
	}
	if err := d.examine(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("the desktop does not answer: %w", err), conn.Close())
	}
	conn.Signal(d.received)
	go d.watch()
	return d, nil
}

// examine asks the desktop who it is and what it can do, and has its signals delivered.
func (d *Desktop) examine(ctx context.Context) error {
	var vendor, version, spec string
	call := d.conn.Object(service, object).CallWithContext(ctx, service+".GetServerInformation", 0)
	if err := call.Store(&d.name, &vendor, &version, &spec); err != nil {
		return err //nolint:wrapcheck // Open says what was done
	}
	if err := d.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, service).
		Store(&d.owner); err != nil {
		return err //nolint:wrapcheck // as above
	}
	var capabilities []string
	if err := d.call(ctx, "GetCapabilities").Store(&capabilities); err != nil {
		return err //nolint:wrapcheck // as above
	}
	d.hasActions = slices.Contains(capabilities, "actions")
	return d.conn.AddMatchSignalContext(ctx, //nolint:wrapcheck // as above
		dbus.WithMatchSender(d.owner), dbus.WithMatchInterface(service), dbus.WithMatchObjectPath(object))
}

// call calls a method of the service that Open found: another one does not know the notifications of this one.
func (d *Desktop) call(ctx context.Context, method string, args ...any) *dbus.Call {
	return d.conn.Object(d.owner, object).CallWithContext(ctx, service+"."+method, 0, args...)
}

// Name is the name of the service that shows the notifications.
func (d *Desktop) Name() string { return d.name }

// Show passes a notification to the desktop. The returned number is for Withdraw.
func (d *Desktop) Show(ctx context.Context, n Notification) (id uint32, err error) {
	urgency := byte(1)
	if n.Urgent {
		urgency = 2
	}
	hints := map[string]dbus.Variant{"urgency": dbus.MakeVariant(urgency)}
	if !n.Sound {
		hints["suppress-sound"] = dbus.MakeVariant(true)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(ctx, "Notify", "Goalpost", uint32(0), "", n.Title, html.EscapeString(n.Text), d.buttons(n.Actions),
		hints, int32(-1)).Store(&id); err != nil {
		return 0, fmt.Errorf("show a notification: %w", err)
	}
	if d.hasActions && len(n.Actions) > 0 {
		d.shown[id] = n.Actions
	}
	return id, nil
}

// buttons returns keys and labels as the desktop takes them. A key is the number of its action.
func (d *Desktop) buttons(actions []Action) []string {
	list := []string{}
	if !d.hasActions {
		return list
	}
	for i, a := range actions {
		list = append(list, strconv.Itoa(i), a.Label)
		if a.OnClick {
			list = append(list, clickKey, a.Label)
		}
	}
	return list
}

// Withdraw removes a notification from the screen. It is no error if the user has closed it. An action that was pressed
// before is still done.
func (d *Desktop) Withdraw(ctx context.Context, id uint32) error {
	if err := d.call(ctx, "CloseNotification", id).Err; err != nil {
		var refused dbus.Error
		if errors.As(err, &refused) { // it is not on the screen
			return nil
		}
		return fmt.Errorf("withdraw a notification: %w", err)
	}
	return nil
}

// watch does what the user presses, one after the other, until the connection ends.
func (d *Desktop) watch() {
	defer close(d.done)
	for s := range d.received {
		var id uint32
		if s.Sender != d.owner || len(s.Body) == 0 || dbus.Store(s.Body[:1], &id) != nil {
			continue
		}
		switch s.Name {
		case service + ".ActionInvoked":
			if a := d.take(id, s.Body[1:]); a != nil {
				a.Do()
			}
		case service + ".NotificationClosed":
			d.mu.Lock()
			delete(d.shown, id)
			d.mu.Unlock()
		}
	}
}

// take returns the action that was pressed, nil if it is none of ours. Those of its notification are then used up.
func (d *Desktop) take(id uint32, arguments []any) *Action {
	var key string
	if len(arguments) == 0 || dbus.Store(arguments[:1], &key) != nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, a := range d.shown[id] {
		if key == strconv.Itoa(i) || key == clickKey && a.OnClick {
			delete(d.shown, id)
			return &a
		}
	}
	return nil
}

// Close disconnects from the bus and waits for an action that is being done. What is on the screen stays there, and its
// buttons do nothing.
func (d *Desktop) Close() error {
	err := d.conn.Close()
	<-d.done
	if err != nil {
		return fmt.Errorf("the session bus: %w", err)
	}
	return nil
}
