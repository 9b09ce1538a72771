package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/entry/cli"
	"goalpost/backend/storage/config"
)

// TestHostInstall_UnitsOfAnOddFolder_AreAcceptedBySystemd: spaces, quotes and percent signs are part of the path.
func TestHostInstall_UnitsOfAnOddFolder_AreAcceptedBySystemd(t *testing.T) {
	short, err := os.MkdirTemp("", "units") // the path of a socket may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(short); err != nil {
			t.Error(err)
		}
	})
	dir := filepath.Join(short, `a "b" 100%h`)
	t.Setenv(config.HomeVariable, dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "config"))
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	p := cli.Program{
		Name: "goalctl", Version: "test", Getenv: os.Getenv, Executable: program,
		Stdin: nothing{}, Stdout: &out, Stderr: &said,
	}
	if code := p.Run(t.Context(), []string{"host", "install"}); code != 0 ||
		!strings.Contains(out.String(), "enable --now goalpost-host.socket") {
		t.Fatalf("%d %s%s", code, out.String(), said.String())
	}
	units := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "systemd", "user", "goalpost-host")
	socket, err := os.ReadFile(units + ".socket")
	if want := "ListenStream=" + strings.ReplaceAll(dir, "%", "%%") + "/state/host.sock\n"; err != nil ||
		!strings.Contains(string(socket), want) {
		t.Errorf("the socket unit has no %q: %v\n%s", want, err, socket)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	verify := exec.CommandContext(t.Context(), analyze, "verify", "--user", units+".socket", units+".service")
	verify.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
	if said, err := verify.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("systemd-analyze: %v %s", err, said)
	}
}
