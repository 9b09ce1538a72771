package check

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// userAgent is curl's name in Debian 13.
const userAgent = "curl/8.14.1"

const (
	maxHeaderBytes  = 1 << 20 // of a response
	maxInterimReply = 10      // responses with a status below 200
)

// curlRequest returns the request that curl makes, so that a server of the agent cannot tell a check from a user who
// tries it. A method that has a body gets an empty one, as with curl -d "".
func curlRequest(ctx context.Context, method, address string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, &requestError{err}
	}
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("Accept", "*/*")
	if slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch}, method) {
		request.Header.Set("Content-Length", "0")
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return request, nil
}

// curlTransport sends requests without encryption byte for byte as curl does: net/http has another order of headers,
// and announces that it closes the connection. It may be used concurrently.
type curlTransport struct{ dial DialFunc } // nil dials from this machine

// canSend reports whether a request needs neither encryption nor the encoding of a name.
func (curlTransport) canSend(to *url.URL) bool {
	return to.Scheme == "http" && !strings.ContainsFunc(to.Host, func(r rune) bool { return r > unicode.MaxASCII })
}

// RoundTrip is the method of http.RoundTripper.
func (c curlTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	host, port := request.URL.Hostname(), request.URL.Port()
	name := strings.TrimSuffix(request.URL.Host, ":"+port)
	if port == "" || port == "80" {
		port = "80"
	} else {
		name += ":" + port
	}
	dial := c.dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	conn, err := dial(request.Context(), "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(request.Context(), func() { _ = conn.Close() })
	response, err := exchange(conn, request, name)
	if err != nil {
		stop()
		_ = conn.Close()
		return nil, err
	}
	response.Body = &connBody{Reader: response.Body, Closer: conn, stop: stop}
	return response, nil
}

// exchange sends a request to the host that name spells, and reads the response up to its body.
func exchange(conn net.Conn, request *http.Request, name string) (*http.Response, error) {
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\n", request.Method, request.URL.RequestURI(), name)
	for _, header := range []string{"Authorization", "User-Agent", "Accept", "Content-Length", "Content-Type"} {
		if value := request.Header.Get(header); value != "" {
			head += header + ": " + value + "\r\n"
		}
	}
	if _, err := io.WriteString(conn, head+"\r\n"); err != nil {
		return nil, fmt.Errorf("sending the request: %w", err)
	}
	limited := &io.LimitedReader{R: conn, N: maxHeaderBytes}
	reader := bufio.NewReader(limited)
	for range maxInterimReply {
		response, err := http.ReadResponse(reader, request)
		if err != nil {
			return nil, fmt.Errorf("reading the response: %w", err)
		}
		if response.StatusCode >= http.StatusOK || response.StatusCode == http.StatusSwitchingProtocols {
			limited.N = math.MaxInt64 // the caller limits the body
			return response, nil
		}
	}
	return nil, fmt.Errorf("it answers more than %d times that it will answer", maxInterimReply)
}

// connBody is the body of a response. Closing it closes the connection, however much is left to read.
type connBody struct {
	io.Reader
	io.Closer
	stop func() bool
}

// Close is the method of io.Closer.
func (c *connBody) Close() error {
	c.stop()
	return c.Closer.Close() //nolint:wrapcheck // the method of a reader
}
