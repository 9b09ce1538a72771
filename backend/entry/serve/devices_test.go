package serve_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"goalpost/backend/entry/serve"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/devices"
)

// TestAll_OverTLS runs all other tests again, through an own certificate.
func TestAll_OverTLS(t *testing.T) {
	if authority != nil {
		return
	}
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^Test", "-test.v")
	again.Env = append(os.Environ(), overTLS+"="+t.TempDir())
	out, err := again.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestSockets_WithoutSessionOrOrigin_AreRefused") {
		t.Errorf("%v\n%s", err, out)
	}
}

// devicesSite is a site with a list of devices in a file, as commands change it.
func devicesSite(t *testing.T) (*site, *devices.List) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "devices.json")
	var now func() time.Time
	s := open(t, func(o *serve.Options) { now, o.Devices = o.Now, devices.Open(path, o.Now) })
	command := devices.Open(path, now)
	if err := command.SetAddress(s.base + "/"); err != nil {
		t.Fatal(err)
	}
	return s, command
}

// TestLogin_ByPassword_NeedsTheForm: a password is never in an address, where histories and logs keep it.
func TestLogin_ByPassword_NeedsTheForm(t *testing.T) {
	s, list := devicesSite(t)
	const password = "four random words"
	c := user(t)
	post := func(secret string) answer {
		return ask(t, c, http.MethodPost, s.base+"/login", url.Values{"token": {secret}}, nil)
	}
	if a := post(password); a.status != http.StatusUnauthorized {
		t.Errorf("before it is set: %d", a.status)
	}
	if err := list.SetPassword(password); err != nil {
		t.Fatal(err)
	}
	if a := ask(t, c, http.MethodGet, s.base+"/", nil, nil); !strings.Contains(a.body, "Enter the password") {
		t.Errorf("the form: %s", a.body)
	}
	if a := post("four random worms"); a.status != http.StatusUnauthorized || !strings.Contains(a.body, "Wrong password") {
		t.Errorf("a wrong one: %+v", a)
	}
	if a := ask(t, c, http.MethodGet, s.base+"/?token="+url.QueryEscape(password), nil,
		nil); a.status != http.StatusUnauthorized {
		t.Errorf("in the address: %d", a.status)
	}
	phone := func(r *http.Request) {
		r.Header.Set("User-Agent", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1")
	}
	if a := ask(t, c, http.MethodPost, s.base+"/login", url.Values{"token": {password}},
		phone); a.status != http.StatusSeeOther {
		t.Errorf("the right one: %d", a.status)
	}
	if all, err := list.All(); err != nil || len(all) != 1 || all[0].Name != "Safari on iPhone" ||
		all[0].Address != "127.0.0.1" || all[0].By != devices.ByPassword {
		t.Errorf("%+v, %v", all, err)
	}
	for range 5 {
		post("wrong")
	}
	if a := post(password); a.status != http.StatusTooManyRequests {
		t.Errorf("after five wrong ones: %d", a.status)
	}
}

// TestLogin_ByOneTimeLink_AsksFirst: a program that fetches the link for a preview does not use it up.
func TestLogin_ByOneTimeLink_AsksFirst(t *testing.T) {
	s, list := devicesSite(t)
	link, err := list.NewLink()
	if err != nil {
		t.Fatal(err)
	}
	_, secret, _ := strings.Cut(link.URL, "?link=")
	c := user(t)
	for range 3 {
		a := ask(t, user(t), http.MethodGet, link.URL, nil, nil)
		if a.status != http.StatusOK || !strings.Contains(a.body, "Log in on this device") ||
			a.header.Get("Set-Cookie") != "" || a.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("opened: %+v", a)
		}
	}
	post := func(c *http.Client, change func(*http.Request)) answer {
		return ask(t, c, http.MethodPost, s.base+"/login", url.Values{"link": {secret}}, change)
	}
	foreign := func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }
	if a := post(c, foreign); a.status != http.StatusForbidden {
		t.Errorf("from another page: %d", a.status)
	}
	if a := post(c, nil); a.status != http.StatusSeeOther || a.header.Get("Location") != "/" {
		t.Fatalf("pressed: %+v", a)
	}
	if a := ask(t, c, http.MethodGet, s.base+"/", nil, nil); !strings.Contains(a.body, "the app") {
		t.Errorf("after it: %s", a.body)
	}
	if a := post(user(t), nil); a.status != http.StatusUnauthorized || !strings.Contains(a.body, "used already") {
		t.Errorf("a second device: %+v", a)
	}
}

// TestRevoke_OpenSockets_AreClosed: what a device has open ends with its login, and that of others does not.
func TestRevoke_OpenSockets_AreClosed(t *testing.T) {
	s, list := devicesSite(t)
	dial := func(c *http.Client) *websocket.Conn {
		t.Helper()
		//nolint:bodyclose // Dial closes it
		ws, _, err := websocket.Dial(t.Context(), s.base+"/v1/rpc", &websocket.DialOptions{
			HTTPClient: c, HTTPHeader: http.Header{"Origin": {s.base}},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = ws.CloseNow() })
		return ws
	}
	lost, other := user(t), user(t)
	s.logIn(t, lost)
	all, err := list.All()
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	s.logIn(t, other)
	socket, stays := dial(lost), dial(other)
	if err := list.Revoke(all[0].ID); err != nil {
		t.Fatal(err)
	}
	limit, cancel := context.WithTimeout(t.Context(), waittest.Scale(time.Minute))
	defer cancel()
	if _, _, err := socket.Read(limit); err == nil || limit.Err() != nil {
		t.Errorf("the socket is still open: %v", err)
	}
	call := `{"id":1,"method":"CalcAPI.Add","args":[{"a":1,"b":2}]}`
	if err := stays.Write(limit, websocket.MessageText, []byte(call)); err != nil {
		t.Fatal(err)
	}
	if _, b, err := stays.Read(limit); err != nil || !strings.Contains(string(b), `"result":3`) {
		t.Errorf("the other device: %s, %v", b, err)
	}
	if a := ask(t, lost, http.MethodGet, s.base+"/", nil, nil); !strings.Contains(a.body, "Enter the token") {
		t.Errorf("the revoked device: %s", a.body)
	}
}

// TestLogin_BehindAProxyWithTLS_Works: the browser's origin is https, and the cookie is for https alone.
func TestLogin_BehindAProxyWithTLS_Works(t *testing.T) {
	s := open(t, func(o *serve.Options) { o.Hosts, o.Token = []string{"box.example"}, "a long pass phrase" })
	a := ask(t, user(t), http.MethodPost, s.base+"/login", url.Values{"token": {"a long pass phrase"}},
		func(r *http.Request) { r.Host = "box.example"; r.Header.Set("Origin", "https://box.example") })
	if a.status != http.StatusSeeOther || !strings.Contains(a.header.Get("Set-Cookie"), "Secure") {
		t.Errorf("%+v", a)
	}
}

// TestAuthority_OpenedAgain_SignsForThisMachineOnly: devices install it once, and it cannot sign for public servers.
func TestAuthority_OpenedAgain_SignsForThisMachineOnly(t *testing.T) {
	folder, c := filepath.Join(t.TempDir(), "serve"), &clock{now: time.Now()}
	first, err := serve.OpenAuthority(folder, []string{"box.local"}, c.Now)
	if err != nil {
		t.Fatal(err)
	}
	second, err := serve.OpenAuthority(folder, nil, c.Now)
	if err != nil || !bytes.Equal(first.PEM(), second.PEM()) || first.Fingerprint() != second.Fingerprint() {
		t.Fatalf("opened again it is another one: %v", err)
	}
	if info, err := os.Stat(first.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the key: %v, %v", info.Mode(), err)
	}
	for _, name := range []string{"bank.example", "8.8.8.8.example", "local.example"} {
		if _, err := serve.OpenAuthority(folder, []string{name}, c.Now); fault.Of(err).Field != "host" {
			t.Errorf("%s: %v", name, err)
		}
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(first.PEM())
	leaf := func(server string) *x509.Certificate {
		t.Helper()
		conn := &addressedConn{address: net.TCPAddrFromAddrPort(addrPort(t, server))}
		pair, err := first.TLS().GetCertificate(&tls.ClientHelloInfo{Conn: conn})
		if err != nil {
			t.Fatal(err)
		}
		return pair.Leaf
	}
	for server, names := range map[string][]string{
		"192.168.1.5:4444":   {"192.168.1.5", "box.local", "localhost"},
		"100.100.1.2:4444":   {"100.100.1.2"},
		"[fd00::1]:4444":     {"fd00::1"},
		"[fe80::1%eth0]:443": {"fe80::1"},
	} {
		for _, name := range names {
			o := x509.VerifyOptions{Roots: trusted, DNSName: name, CurrentTime: c.Now()}
			if _, err := leaf(server).Verify(o); err != nil {
				t.Errorf("%s at %s: %v", name, server, err)
			}
		}
	}
	if _, err := leaf("8.8.8.8:443").Verify(x509.VerifyOptions{Roots: trusted, DNSName: "8.8.8.8"}); err == nil {
		t.Error("it signs for a public server")
	}
	before := leaf("192.168.1.5:4444")
	c.pass(60 * 24 * time.Hour)
	if after := leaf("192.168.1.5:4444"); !after.NotAfter.After(before.NotAfter) {
		t.Error("a certificate of two months is not renewed")
	}
	if err := os.WriteFile(first.Path(), []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := serve.OpenAuthority(folder, nil, c.Now); fault.Of(err).Hint == "" {
		t.Errorf("a broken file: %v", err)
	}
}

// TestAuthority_Installed_IsServedBeforeTheLogin: a phone gets it without a login, and can compare its
// fingerprint with the printed one.
func TestAuthority_Installed_IsServedBeforeTheLogin(t *testing.T) {
	s := open(t, nil)
	a := ask(t, user(t), http.MethodGet, s.AuthorityURL(), nil, nil)
	if authority == nil {
		if a.status != http.StatusUnauthorized {
			t.Errorf("without an authority: %d", a.status)
		}
		return
	}
	block, _ := pem.Decode([]byte(a.body))
	if block == nil || a.header.Get("Content-Type") != "application/x-x509-ca-cert" {
		t.Fatalf("%+v", a)
	}
	sum := sha256.Sum256(block.Bytes)
	if want := fmt.Sprintf("%X", sum[:]); strings.ReplaceAll(authority.Fingerprint(), ":", "") != want {
		t.Errorf("fingerprint %s, want %s", authority.Fingerprint(), want)
	}
	if strings.Contains(a.body, "PRIVATE") {
		t.Error("the key is served")
	}
}

func addrPort(t *testing.T, s string) netip.AddrPort {
	t.Helper()
	a, err := netip.ParseAddrPort(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// addressedConn is a connection to an address of this machine.
type addressedConn struct {
	net.Conn

	address net.Addr
}

func (a *addressedConn) LocalAddr() net.Addr { return a.address }
