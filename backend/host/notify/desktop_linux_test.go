package notify_test

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"goalpost/backend/host/notify"
)

// screen is a desktop that records its notifications.
type screen struct{ shown chan []any }

func (screen) GetServerInformation() (name, vendor, version, spec string, err *dbus.Error) {
	return "a desktop", "a test", "1", "1.2", nil
}

func (s screen) Notify(
	app string, _ uint32, _, summary, body string, _ []string, hints map[string]dbus.Variant, _ int32,
) (uint32, *dbus.Error) {
	s.shown <- []any{app, summary, body, hints["urgency"].Value()}
	return 1, nil
}

// TestNotify_SessionBus_ShowsTheNotification uses a real session bus.
func TestNotify_SessionBus_ShowsTheNotification(t *testing.T) {
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		t.Skip("no dbus-daemon here")
	}
	daemon := exec.CommandContext(t.Context(), "dbus-daemon", "--session", "--nofork", "--print-address=1", "--nopidfile",
		"--address=unix:path="+t.TempDir()+"/bus")
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = daemon.Process.Kill(), daemon.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(line)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	if d, err := notify.Open(t.Context()); err == nil {
		t.Errorf("a bus without a desktop shows notes: %s", d.Name())
	}
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	s := screen{make(chan []any, 1)}
	if err := conn.Export(s, "/org/freedesktop/Notifications", "org.freedesktop.Notifications"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName("org.freedesktop.Notifications", 0); err != nil {
		t.Fatal(err)
	}
	d, err := notify.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Name() != "a desktop" {
		t.Errorf("shown by %q", d.Name())
	}
	if err := d.Notify(t.Context(), notify.Notification{
		Title:  "A goal waits",
		Text:   "<b>bold</b>",
		Urgent: true,
	}); err != nil {
		t.Fatal(err)
	}
	if got := <-s.shown; got[0] != "Goalpost" || got[1] != "A goal waits" || got[2] != "&lt;b&gt;bold&lt;/b&gt;" ||
		got[3] != byte(2) {
		t.Errorf("shown: %v", got)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpen_NoDesktop_ReturnsTheReason(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if _, err := notify.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "no session bus") {
		t.Errorf("%v", err)
	}
}
