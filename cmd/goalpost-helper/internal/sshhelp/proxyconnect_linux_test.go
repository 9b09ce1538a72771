package sshhelp

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// serveProxy answers one connection as a proxy. It returns the proxy's address and what was asked of it; afterwards the
// proxy sends back whatever it receives.
func serveProxy(t *testing.T, answer string) (proxy string, asked <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	heads := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		in, head := bufio.NewReader(conn), ""
		for !strings.HasSuffix(head, "\r\n\r\n") {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			head += line
		}
		heads <- head
		_, _ = io.WriteString(conn, answer)
		_, _ = io.Copy(conn, in)
	}()
	return "http://" + l.Addr().String(), heads
}

func TestTunnel_ProxyAccepts_CopiesBothWays(t *testing.T) {
	proxy, asked := serveProxy(t, "HTTP/1.1 200 Connection established\r\nX: y\r\n\r\nfirst ")
	var out strings.Builder
	err := openTunnel(proxy, "::1", "22", strings.NewReader("second"), &out)
	if err != nil || out.String() != "first second" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if got := <-asked; got != "CONNECT [::1]:22 HTTP/1.1\r\nHost: [::1]:22\r\n\r\n" {
		t.Errorf("asked %q", got)
	}
}

// TestTunnel_ProxyRefuses_GivesItsWords: a proxy may keep the connection open after its words.
func TestTunnel_ProxyRefuses_GivesItsWords(t *testing.T) {
	const words = "Goalpost refused it\n"
	for answer, want := range map[string]string{
		fmt.Sprintf("HTTP/1.1 403 Forbidden\r\ncontent-length: %d\r\n\r\n%s", len(words), words): words,
		"HTTP/1.0 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n":                                  "502 Bad Gateway",
		"SSH-2.0-OpenSSH\r\n": `asking for box:22: malformed HTTP response "SSH-2.0-OpenSSH"`,
	} {
		proxy, _ := serveProxy(t, answer)
		var out strings.Builder
		err := openTunnel(proxy, "box", "22", strings.NewReader(""), &out)
		if err == nil || err.Error() != want || out.Len() > 0 {
			t.Errorf("%q: %v, %q, want %q", answer, err, out.String(), want)
		}
	}
}

func TestTunnel_NoProxy_SaysSo(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for proxy, want := range map[string]string{
		"":                              "HTTPS_PROXY names no proxy",
		"http://" + l.Addr().String():   "reaching the goal's proxy: dial tcp ",
		"http://127.0.0.1:":             "reaching the goal's proxy: dial tcp ",
		"socks5://" + l.Addr().String(): "HTTPS_PROXY names no proxy",
	} {
		if err := openTunnel(proxy, "box", "22", nil, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", proxy, err, want)
		}
	}
}
