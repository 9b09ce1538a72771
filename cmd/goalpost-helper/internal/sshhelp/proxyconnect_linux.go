package sshhelp

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// dialTimeout is long for a loopback connection; only a proxy that does not accept reaches it.
const dialTimeout = 10 * time.Second

// proxyVariable names the environment variable with the address of the goal's proxy.
const proxyVariable = "HTTPS_PROXY"

// ProxyConnect is ssh's ProxyCommand inside a goal: it opens a tunnel through the goal's proxy and copies standard
// input and output.
func ProxyConnect(host, port string) error {
	return openTunnel(os.Getenv(proxyVariable), host, port, os.Stdin, os.Stdout)
}

// openTunnel copies in and out through the proxy until the other end closes the connection. If the proxy refuses, the
// error is what it says.
func openTunnel(proxy, host, port string, in io.Reader, out io.Writer) error {
	address, err := url.Parse(proxy)
	if err != nil || address.Scheme != "http" {
		return fmt.Errorf("%s names no proxy", proxyVariable)
	}
	conn, err := net.DialTimeout("tcp", address.Host, dialTimeout) //nolint:noctx // it has its own bound
	if err != nil {
		return fmt.Errorf("reaching the goal's proxy: %w", err)
	}
	defer func() { _ = conn.Close() }()
	to := net.JoinHostPort(host, port)
	_ = conn.SetDeadline(time.Now().Add(2 * dialTimeout))
	if _, err := fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", to, to); err != nil {
		return fmt.Errorf("asking for %s: %w", to, err)
	}
	answers := bufio.NewReader(conn)
	answer, err := http.ReadResponse(answers, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return fmt.Errorf("asking for %s: %w", to, err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(answer.Body, 4096))
		return errors.New(cmp.Or(string(body), answer.Status))
	}
	_ = conn.SetDeadline(time.Time{})
	go func() {
		_, _ = io.Copy(conn, in)
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(out, answers)
	return err //nolint:wrapcheck // ssh reports the error
}
