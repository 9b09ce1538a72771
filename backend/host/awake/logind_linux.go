package awake

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/godbus/dbus/v5"
)

const (
	service = "org.freedesktop.login1"
	object  = "/org/freedesktop/login1"
)

// wish is what logind is asked for, and what is missing if it allows only that.
type wish struct{ what, missing string }

// wishes are what logind is asked for in turn: it allows each of them alone to fewer programs than the next one.
func wishes(lid bool) []wish {
	const noSleep, noLid = "suspending that a program requests", "suspending when the lid closes"
	if !lid {
		return []wish{{"sleep:idle", ""}, {"idle", noSleep}}
	}
	return []wish{{"sleep:idle:handle-lid-switch", ""}, {"sleep:idle", noLid}, {"idle", noSleep + ", or " + noLid}}
}

// Take keeps the computer awake, with lid also while its lid is closed. The user reads why in systemd-inhibit, which
// lists the locks. What the system refuses is left out.
func Take(ctx context.Context, why string, lid bool) (*Lock, error) {
	conn, err := dbus.ConnectSystemBus(dbus.WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("the system bus: %w", err)
	}
	defer func() { _ = conn.Close() }() // the lock lasts as long as its file
	for _, w := range wishes(lid) {
		var fd dbus.UnixFD
		err = conn.Object(service, object).
			CallWithContext(ctx, service+".Manager.Inhibit", 0, w.what, "Goalpost", why, "block").Store(&fd)
		var refused dbus.Error
		switch {
		case err == nil:
			return &Lock{file: os.NewFile(uintptr(fd), "inhibitor"), Refused: w.missing}, nil
		case !errors.As(err, &refused):
			return nil, fmt.Errorf("logind: %w", err)
		}
	}
	return nil, fmt.Errorf("logind: %w", err)
}
