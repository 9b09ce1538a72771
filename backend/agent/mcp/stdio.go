package mcp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"goalpost/backend/lib/tail"
	"goalpost/backend/lib/text"
)

// pipes connects the standard streams of a program with this process.
type pipes struct {
	remote          [3]*os.File
	in, out, stderr *os.File
}

func openPipes() (p *pipes, err error) {
	p = &pipes{}
	defer func() {
		if err != nil {
			p.closeRemote()
			p.end()
		}
	}()
	if p.remote[0], p.in, err = os.Pipe(); err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	if p.out, p.remote[1], err = os.Pipe(); err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	if p.stderr, p.remote[2], err = os.Pipe(); err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	return p, nil
}

// closeRemote closes the program's ends, of which the program has its own copies.
func (p *pipes) closeRemote() { closeAll(p.remote[:]...) }

func (p *pipes) end() { closeAll(p.in, p.out, p.stderr) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// stderrTail keeps the end of a program's standard error.
type stderrTail struct {
	*tail.Writer
	complete chan struct{} // closed when everything was read
}

func newStderrTail() *stderrTail { return &stderrTail{tail.NewWriter(2048), make(chan struct{})} }

// fill reads until the program, and every other process that holds its standard error, has ended.
func (s *stderrTail) fill(r io.ReadCloser) {
	_, _ = io.Copy(s, r)
	_ = r.Close()
	close(s.complete)
}

// String returns the stored end, in one line.
func (s *stderrTail) String() string { return text.SanitizeLine(s.Writer.String(), 500) }

// headerTransport sends headers with every request, and follows no redirect to another host.
type headerTransport struct {
	headers map[string]string
	next    http.RoundTripper
}

func (h headerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for k, v := range h.headers {
		r.Header.Set(k, v)
	}
	return h.next.RoundTrip(r) //nolint:wrapcheck // a transport wraps its own errors
}

var errCrossHostRedirect = errors.New("the server redirects to another host, which must not get its headers")

func withHeaders(c *http.Client, headers map[string]string) *http.Client {
	if c == nil {
		c = http.DefaultClient
	}
	next := c.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	return &http.Client{
		Transport: headerTransport{headers, next},
		Timeout:   c.Timeout,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme || len(via) > 5 {
				return errCrossHostRedirect
			}
			return nil
		},
	}
}
