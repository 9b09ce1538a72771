package sshhelp

import (
	"bufio"
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
	proxy, err := url.Parse(os.Getenv(proxyVariable))
	if err != nil || proxy.Host == "" {
		return fmt.Errorf("%s names no proxy", proxyVariable)
	}
	conn, err := net.DialTimeout("tcp", proxy.Host, dialTimeout) //nolint:noctx // it has its own bound
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
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 4096))
		return errors.New(string(said))
	}
	_ = conn.SetDeadline(time.Time{})
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(os.Stdout, answers)
	return err //nolint:wrapcheck // ssh reports the error
}
