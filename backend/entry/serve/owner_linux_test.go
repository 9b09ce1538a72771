package serve_test

import (
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"goalpost/backend/entry/serve"
)

// TestSession_OtherUser_IsRefused: another user of this machine who gets the cookie, from a browser that ignores
// ports, cannot log in with it.
func TestSession_OtherUser_IsRefused(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil || os.Geteuid() != 0 {
		t.Skip("only root can be two users, with curl")
	}
	addresses := []string{"127.0.0.1:0"}
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil { // not every machine has IPv6
		addresses = append(addresses, "[::1]:0")
		_ = l.Close()
	}
	for _, listen := range addresses {
		s, c := open(t, func(o *serve.Options) { o.Listen = listen }), user(t)
		s.logIn(t, c)
		u, err := url.Parse(s.base)
		if err != nil {
			t.Fatal(err)
		}
		cookie := ""
		for _, one := range c.Jar.Cookies(u) {
			cookie = one.Name + "=" + one.Value
		}
		if a := ask(t, c, http.MethodGet, s.base+"/", nil, nil); !strings.Contains(a.body, "the app") {
			t.Errorf("%s: the user is not let in: %s", listen, a.body)
		}
		for uid, want := range map[uint32]string{0: "the app", 65534: "Enter the token"} {
			get := exec.CommandContext(t.Context(), curl, "-s", "-k", "--noproxy", "*", "-H", "Cookie: "+cookie, s.base+"/")
			get.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
			if out, err := get.Output(); err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%s: the user %d gets %q, %v", listen, uid, out, err)
			}
		}
	}
}
