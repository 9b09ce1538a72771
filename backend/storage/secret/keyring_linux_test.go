package secret

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// session starts a session bus with an empty keyring.
func session(t *testing.T) {
	t.Helper()
	for _, program := range []string{"dbus-daemon", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s here: the keyring is not tried", program)
		}
	}
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME":            home,
		"XDG_RUNTIME_DIR": home,
		"XDG_DATA_HOME":   filepath.Join(home, "data"),
		"XDG_CONFIG_HOME": filepath.Join(home, "config"),
	} {
		t.Setenv(name, value)
	}
	daemon := exec.CommandContext(t.Context(), "dbus-daemon", "--session", "--nofork", "--print-address=1", "--nopidfile",
		"--address=unix:path="+filepath.Join(home, "bus"))
	out, err := daemon.StdoutPipe()
	check(t, err)
	begin(t, daemon)
	address, err := bufio.NewReader(out).ReadString('\n')
	check(t, err)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(address))

	conn, err := dbus.Connect(strings.TrimSpace(address))
	check(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	check(t, conn.AddMatchSignal(dbus.WithMatchInterface("org.freedesktop.DBus"),
		dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, "org.freedesktop.secrets")))
	owned := make(chan *dbus.Signal, 8)
	conn.Signal(owned)
	ring := exec.CommandContext(t.Context(), "gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
	ring.Stdin = strings.NewReader("the password of the session")
	begin(t, ring)
	<-owned
}

// begin starts a daemon and ends it with the test.
func begin(t *testing.T, c *exec.Cmd) {
	t.Helper()
	c.Stderr = os.Stderr
	check(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
}

// TestKeyring_SavedSecret_IsReadBack uses a real Secret Service.
func TestKeyring_SavedSecret_IsReadBack(t *testing.T) {
	session(t)
	dir, ctx := t.TempDir(), t.Context()
	ringed := func(o *Options) { o.NoKeyring = false }
	v := vault(t, dir, ringed)
	if w := v.Where(ctx); w.Place != Keyring || !strings.Contains(w.Detail, "Secret Service") {
		t.Fatalf("%+v", w)
	}
	place, err := v.Set(ctx, "a", "canary-1-x\nwith ünï", nil)
	check(t, err)
	if place != Keyring {
		t.Errorf("kept in the %s", place)
	}
	check(t, v.Logins().Save(ctx, Login{"https://example.org", "ann", "canary-2-x"}))
	inTheClear(t, dir, "canary-")
	if _, err := os.Stat(filepath.Join(dir, "secrets.age")); !os.IsNotExist(err) {
		t.Errorf("an encrypted file was made beside the keyring: %v", err)
	}
	again := vault(t, dir, ringed)
	if got, err := again.Get(ctx, "a"); got != "canary-1-x\nwith ünï" {
		t.Errorf("%q, %v", got, err)
	}
	if in, err := again.Logins().For(ctx, "https://example.org", ""); in.Password != "canary-2-x" {
		t.Errorf("%+v, %v", in, err)
	}
	// Another data folder has its own values. If the user chooses the file, new values go there.
	if _, err := vault(t, t.TempDir(), ringed).Get(ctx, "a"); err == nil {
		t.Error("another folder's secret was given")
	}
	file := vault(t, dir, nil)
	if place, err = file.Set(ctx, "a", "canary-3-x", nil); err != nil || place != File {
		t.Errorf("%s, %v", place, err)
	}
	if _, err := again.keys.get(ctx, "secret a"); err != errNotStored { //nolint:errorlint // get does not wrap it
		t.Errorf("the older value is still in the keyring: %v", err)
	}
	check(t, again.Logins().Remove(ctx, "https://example.org", "ann"))
	check(t, again.Remove(ctx, "a"))
}

func TestVault_NoSessionBus_UsesTheFile(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	v := vault(t, t.TempDir(), func(o *Options) { o.NoKeyring = false })
	if w := v.Where(t.Context()); w.Place != File || !strings.Contains(w.Detail, "no session bus") {
		t.Errorf("%+v", w)
	}
}
