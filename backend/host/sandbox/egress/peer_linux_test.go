package egress

import (
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"goalpost/backend/domain/policy"
)

// TestListen_OtherUser_IsRefused: the goal's proxy for pages has no password, so it asks the kernel which user
// connects.
func TestListen_OtherUser_IsRefused(t *testing.T) {
	p := New(Config{Rules: Rules{Risk: policy.WriteLocal}})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	at, err := p.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(as *syscall.SysProcAttr) string {
		c := exec.CommandContext(t.Context(), "bash", "-c",
			`exec 3<>/dev/tcp/127.0.0.1/$1 && `+
				`printf 'GET http://x.example/ HTTP/1.1\r\nHost: x.example\r\nConnection: close\r\n\r\n' >&3; cat <&3`,
			"ask", u.Port())
		c.Dir, c.SysProcAttr = "/", as
		said, _ := c.Output() // the other user's connection is closed, and the program exits with an error
		return string(said)
	}
	if said := ask(nil); !strings.HasPrefix(said, "HTTP/1.1 403") {
		t.Errorf("this user gets %q", said)
	}
	if syscall.Geteuid() != 0 {
		t.Skip("to knock as another user needs root")
	}
	other := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 54321, Gid: 54321}}
	if err := (&exec.Cmd{Path: "/bin/true", Dir: "/", SysProcAttr: other}).Run(); err != nil {
		t.Fatalf("nothing runs as another user: %v", err)
	}
	if said := ask(other); said != "" {
		t.Errorf("another user gets %q", said)
	}
}
