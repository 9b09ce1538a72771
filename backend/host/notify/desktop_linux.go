package notify

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"

	"github.com/godbus/dbus/v5"
)

// Desktop shows notifications through the service of the session's desktop. All methods may be called concurrently.
type Desktop struct {
	conn *dbus.Conn
	name string
}

const (
	service = "org.freedesktop.Notifications"
	object  = "/org/freedesktop/Notifications"
)

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
	d := &Desktop{conn: conn}
	var vendor, version, spec string
	call := conn.Object(service, object).CallWithContext(ctx, service+".GetServerInformation", 0)
	if err := call.Store(&d.name, &vendor, &version, &spec); err != nil {
		return nil, errors.Join(fmt.Errorf("the desktop does not answer: %w", err), conn.Close())
	}
	return d, nil
}

// Name is the name of the service that shows the notifications.
func (d *Desktop) Name() string { return d.name }

// Notify passes a notification to the desktop.
func (d *Desktop) Notify(ctx context.Context, n Notification) error {
	urgency := byte(1)
	if n.Urgent {
		urgency = 2
	}
	call := d.conn.Object(service, object).CallWithContext(ctx, service+".Notify", 0, "Goalpost", uint32(0), "", n.Title,
		html.EscapeString(n.Text),
		[]string{}, map[string]dbus.Variant{"urgency": dbus.MakeVariant(urgency)}, int32(-1))
	if call.Err != nil {
		return fmt.Errorf("show a notification: %w", call.Err)
	}
	return nil
}

// Close disconnects from the bus.
func (d *Desktop) Close() error {
	if err := d.conn.Close(); err != nil {
		return fmt.Errorf("the session bus: %w", err)
	}
	return nil
}
