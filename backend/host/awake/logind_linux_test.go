package awake_test

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"

	"goalpost/backend/host/awake"
	"goalpost/backend/host/awake/awaketest"
)

// startBus starts a real bus, which the program then uses as that of the system, and returns its address.
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
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
	return address
}

// take takes a lock for which logind must be asked.
func take(t *testing.T, lid bool) *awake.Lock {
	t.Helper()
	l, err := awake.Take(t.Context(), "1 goal is running", lid)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTake_LogindAllows_HoldsUntilClosed(t *testing.T) {
	logind := awaketest.Open(t, startBus(t))
	lock := take(t, false)
	got := logind.Next()
	if got.What != "sleep:idle" || got.Who != "Goalpost" || got.Why != "1 goal is running" || got.Mode != "block" ||
		lock.Refused != "" {
		t.Errorf("%+v, refused: %q", got, lock.Refused)
	}
	if !got.IsHeld() {
		t.Error("the lock ended with the connection")
	}
	if err := lock.Close(); err != nil {
		t.Error(err)
	}
	got.AwaitEnd()
}

// TestTake_PartRefused_TakesTheRest: polkit allows a program without a login less than one of the desktop.
func TestTake_PartRefused_TakesTheRest(t *testing.T) {
	address := startBus(t)
	for _, c := range []struct {
		lid               bool
		refused           []string
		what, mustMention string
	}{
		{true, nil, "sleep:idle:handle-lid-switch", ""},
		{true, []string{"handle-lid-switch"}, "sleep:idle", "lid"},
		{true, []string{"handle-lid-switch", "sleep"}, "idle", "lid"},
		{false, []string{"sleep"}, "idle", "requests"},
	} {
		logind := awaketest.Open(t, address, c.refused...)
		lock := take(t, c.lid)
		if got := logind.Next(); got.What != c.what || !strings.Contains(lock.Refused, c.mustMention) ||
			(lock.Refused == "") != (c.refused == nil) {
			t.Errorf("%v refused: %q is held, %q is missing", c.refused, got.What, lock.Refused)
		}
		_ = lock.Close()
		logind.Leave()
	}
}

func TestTake_EverythingRefused_ReturnsTheReason(t *testing.T) {
	awaketest.Open(t, startBus(t), "sleep", "idle")
	if _, err := awake.Take(t.Context(), "", true); err == nil || !strings.Contains(err.Error(), "logind") {
		t.Errorf("%v", err)
	}
}

func TestTake_NoLogind_ReturnsTheReason(t *testing.T) {
	startBus(t)
	if _, err := awake.Take(t.Context(), "", false); err == nil || !strings.Contains(err.Error(), "logind") {
		t.Errorf("%v", err)
	}
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path="+t.TempDir()+"/bus")
	if _, err := awake.Take(t.Context(), "", false); err == nil || !strings.Contains(err.Error(), "system bus") {
		t.Errorf("%v", err)
	}
}
