package sshhelp

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// dialTimeout is long for a loopback connection; only a proxy that does not accept reaches it.
const dialTimeout = 10 * time.Second

// longestRefusal is how many bytes of a refusal are shown.
const longestRefusal = 4096

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
	refusal, err := readAnswer(answers)
	if err != nil {
		return fmt.Errorf("asking for %s: %w", to, err)
	}
	if refusal != "" {
		return errors.New(refusal)
	}
	_ = conn.SetDeadline(time.Time{})
	go func() {
		_, _ = io.Copy(conn, in)
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(out, answers)
	return err //nolint:wrapcheck // ssh reports the error
}

// readAnswer reads the proxy's answer up to the tunnel's first byte. It returns what a proxy that refuses says. Package
// net/http would add a quarter to each start of the helper, whatever it is started for.
func readAnswer(answers *bufio.Reader) (refusal string, err error) {
	head := textproto.NewReader(answers)
	line, err := head.ReadLine()
	if err != nil {
		return "", err //nolint:wrapcheck // the caller says what was read
	}
	protocol, status, _ := strings.Cut(line, " ")
	if !strings.HasPrefix(protocol, "HTTP/1.") {
		return "", fmt.Errorf("malformed HTTP response %q", line)
	}
	fields, err := head.ReadMIMEHeader()
	if err != nil {
		return "", err //nolint:wrapcheck // the caller says what was read
	}
	if strings.HasPrefix(status, "200 ") {
		return "", nil
	}
	length := int64(longestRefusal)
	if n, err := strconv.ParseInt(fields.Get("Content-Length"), 10, 64); err == nil {
		length = min(n, length)
	}
	body, _ := io.ReadAll(io.LimitReader(answers, length))
	return cmp.Or(string(body), status), nil
}
