package attention

import (
	"context"
	"sync"

	"goalpost/backend/host/notify"
)

// desktop shows notifications, and keeps the connection on which their buttons report. All methods may be called
// concurrently.
type desktop struct {
	mu    sync.Mutex
	open  *notify.Desktop // nil until something is shown
	shown map[need]shown
}

// shown is a notification on the screen.
type shown struct {
	by *notify.Desktop
	id uint32
}

// show shows a message. If the desktop was restarted since the last one, it connects again.
func (d *desktop) show(ctx context.Context, m message) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open != nil {
		if d.tryShow(ctx, m) == nil {
			return nil
		}
		_ = d.open.Close() // it has left
		d.open = nil
	}
	open, err := notify.Open(ctx)
	if err != nil {
		return err
	}
	d.open = open
	return d.tryShow(ctx, m)
}

func (d *desktop) tryShow(ctx context.Context, m message) error {
	id, err := d.open.Show(ctx, m.Notification)
	if err == nil && m.need != (need{}) {
		if d.shown == nil {
			d.shown = map[need]shown{}
		}
		d.shown[m.need] = shown{d.open, id}
	}
	return err
}

// withdraw removes the notification of a need, if there is one.
func (d *desktop) withdraw(ctx context.Context, n need) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.shown[n]
	delete(d.shown, n)
	if !ok || s.by != d.open { // that desktop has left
		return nil
	}
	return s.by.Withdraw(ctx, s.id)
}

func (d *desktop) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open != nil {
		_ = d.open.Close() // nothing more is shown
		d.open = nil
	}
}
