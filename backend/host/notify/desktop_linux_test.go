package notify_test

import (
	"bufio"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"goalpost/backend/host/notify"
	"goalpost/backend/host/notify/notifytest"
	"goalpost/backend/lib/waittest"
)

// startBus starts a real session bus, which the program then uses, and returns its address.
func startBus(t *testing.T) string {
	t.Helper()
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
	return address
}

// open connects to the desktop of the bus.
func open(t *testing.T) *notify.Desktop {
	t.Helper()
	d, err := notify.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func show(t *testing.T, d *notify.Desktop, n notify.Notification) uint32 {
	t.Helper()
	id, err := d.Show(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestShow_SessionBus_ShowsTheNotification(t *testing.T) {
	address := startBus(t)
	if d, err := notify.Open(t.Context()); err == nil {
		t.Errorf("a bus without a desktop shows notes: %s", d.Name())
	}
	screen := notifytest.Open(t, address)
	d := open(t)
	if d.Name() != "a desktop" {
		t.Errorf("shown by %q", d.Name())
	}
	show(t, d, notify.Notification{Title: "A goal waits", Text: "<b>bold</b>", Urgent: true})
	show(t, d, notify.Notification{Title: "A goal is done", Sound: true})
	got := screen.Next()
	if got.App != "Goalpost" || got.Title != "A goal waits" || got.Text != "&lt;b&gt;bold&lt;/b&gt;" ||
		got.Hints["urgency"].Value() != byte(2) || got.Hints["suppress-sound"].Value() != true {
		t.Errorf("shown: %+v", got)
	}
	if _, isSilent := screen.Next().Hints["suppress-sound"]; isSilent {
		t.Error("a notification with a sound has none")
	}
}

// pressed has the labels of the actions that were done, in their order.
type pressed chan string

// actions makes buttons that report that they were pressed. The first one is also done by a click.
func (p pressed) actions(labels ...string) (list []notify.Action) {
	for i, l := range labels {
		list = append(list, notify.Action{Label: l, Do: func() { p <- l }, OnClick: i == 0})
	}
	return list
}

func (p pressed) next(t *testing.T) string {
	t.Helper()
	select {
	case l := <-p:
		return l
	case <-time.After(waittest.Scale(time.Minute)):
		t.Fatal("no action was done")
		return ""
	}
}

// TestAction_Pressed_IsDoneOnce: neither a second press, another key, another notification nor another program on the
// bus does anything.
func TestAction_Pressed_IsDoneOnce(t *testing.T) {
	address := startBus(t)
	screen := notifytest.Open(t, address, "body", "actions")
	done := pressed(make(chan string, 16))
	d := open(t)
	show(t, d, notify.Notification{Title: "first", Actions: done.actions("Open", "Deny")})
	show(t, d, notify.Notification{Title: "second", Actions: done.actions("Look", "Allow")})
	first, second := screen.Next(), screen.Next()
	if !slices.Equal(first.Labels(), []string{"Open", "Deny"}) {
		t.Errorf("the buttons are %q", first.Buttons)
	}
	stranger, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stranger.Close() })
	if err := stranger.Emit("/org/freedesktop/Notifications", "org.freedesktop.Notifications.ActionInvoked",
		second.ID, "1"); err != nil {
		t.Fatal(err)
	}
	screen.Invoke(first.ID, "7")
	screen.Invoke(second.ID+1, "0")
	screen.Press(first, "Deny")
	screen.Press(first, "Open")
	screen.Invoke(second.ID, "default")
	if a, b := done.next(t), done.next(t); a != "Deny" || b != "Look" {
		t.Errorf("the user pressed Deny and then clicked, but %s and %s were done", a, b)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if len(done) > 0 {
		t.Errorf("%s was done, too", <-done)
	}
}

func TestShow_DesktopWithoutButtons_HasNone(t *testing.T) {
	screen := notifytest.Open(t, startBus(t), "body")
	show(t, open(t), notify.Notification{Title: "A goal waits", Actions: make(pressed).actions("Open")})
	if got := screen.Next(); len(got.Buttons) != 0 {
		t.Errorf("it has %q", got.Buttons)
	}
}

func TestWithdraw_ShownNotification_RemovesIt(t *testing.T) {
	screen := notifytest.Open(t, startBus(t), "actions")
	d := open(t)
	id := show(t, d, notify.Notification{Title: "A goal waits"})
	if err := d.Withdraw(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := screen.Withdrawn(); got != id {
		t.Errorf("%d was removed instead of %d", got, id)
	}
}

// TestShow_DesktopRestarted_IsRefused: what is shown through the old connection would have buttons that nobody knows.
func TestShow_DesktopRestarted_IsRefused(t *testing.T) {
	address := startBus(t)
	first := notifytest.Open(t, address, "actions")
	d := open(t)
	first.Leave()
	screen := notifytest.Open(t, address, "actions")
	if _, err := d.Show(t.Context(), notify.Notification{Title: "lost"}); err == nil {
		t.Error("the desktop that has left shows a notification")
	}
	show(t, open(t), notify.Notification{Title: "again"})
	if got := screen.Next(); got.Title != "again" {
		t.Errorf("shown: %+v", got)
	}
}

func TestOpen_NoDesktop_ReturnsTheReason(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if _, err := notify.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "no session bus") {
		t.Errorf("%v", err)
	}
}
