package config_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
)

// TestSettings_HeldByAnotherProcess_WaitUntilItExits checks that a write waits for the process that holds the lock of
// the file, and that the end of that process releases the lock.
func TestSettings_HeldByAnotherProcess_WaitUntilItExits(t *testing.T) {
	const path = "GOALPOST_TEST_LOCK"
	if held := os.Getenv(path); held != "" { // the other process
		if err := flock.New(held).Lock(); err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.WriteString("held\n")
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0) // without unlocking
	}
	home := t.TempDir()
	c := open(t, home)
	lock := filepath.Join(c.State(), "settings.json.lock")
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	other.Env = append(os.Environ(), path+"="+lock)
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the other process: %q, %v", line, err)
	}
	order := make(chan string, 2)
	saved := make(chan error, 1)
	go func() {
		err := c.SaveSettings(c.Settings())
		order <- "saved"
		saved <- err
	}()
	if locked, err := flock.New(lock).TryLock(); locked || err != nil {
		t.Errorf("the lock of the other process is free: %v, %v", locked, err)
	}
	order <- "exits" // before it does, so nothing may come in between
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err != nil {
		t.Error(err)
	}
	if err := <-saved; err != nil {
		t.Error(err)
	}
	if first := <-order; first != "exits" {
		t.Error("settings were saved while another process held their lock")
	}
	if info, err := os.Stat(lock); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}
