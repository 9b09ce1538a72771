package verify_test

import (
	"net"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
)

// requestRecorder is a server that stores each request as it was sent, and answers 200.
type requestRecorder struct {
	net.Listener
	requests chan string
}

func recordRequests(t *testing.T) *requestRecorder {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	r := &requestRecorder{Listener: l, requests: make(chan string, 1)}
	served := make(chan struct{})
	t.Cleanup(func() {
		_ = l.Close()
		<-served
	})
	go func() {
		defer close(served)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			r.requests <- r.serve(conn)
		}
	}()
	return r
}

// serve returns everything that a client sends until it closes the connection.
func (r *requestRecorder) serve(conn net.Conn) string {
	defer conn.Close()
	var sent []byte
	for buffer := make([]byte, 4096); ; {
		n, err := conn.Read(buffer)
		if sent = append(sent, buffer[:n]...); err != nil {
			return string(sent)
		}
		if strings.HasSuffix(string(sent), "\r\n\r\n") {
			_, _ = conn.Write([]byte("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
		}
	}
}

// TestHTTP_Request_IsThatOfCurl compares each request with a recorded one of curl, and the recorded one with that of
// this machine's curl, if there is one.
func TestHTTP_Request_IsThatOfCurl(t *testing.T) {
	s := recordRequests(t)
	h := verify.CheckRunner{Environment: check.Environment{Dir: t.TempDir()}}
	curl, missing := exec.LookPath("curl")
	version := regexp.MustCompile(`curl/[0-9.]+`)
	for _, c := range []struct {
		method, url string
		args        []string
		want        []string
	}{
		{"", "http://$HOST/a%20b?c=1#d", nil, []string{
			"GET /a%20b?c=1 HTTP/1.1", "Host: $HOST", "User-Agent: curl/8.14.1", "Accept: */*",
		}},
		{"HEAD", "http://ann:a%40b@$HOST", []string{"-I"}, []string{
			"HEAD / HTTP/1.1", "Host: $HOST", "Authorization: Basic YW5uOmFAYg==", "User-Agent: curl/8.14.1", "Accept: */*",
		}},
		{"POST", "http://$HOST/?", []string{"-d", ""}, []string{
			"POST /? HTTP/1.1", "Host: $HOST", "User-Agent: curl/8.14.1", "Accept: */*", "Content-Length: 0",
			"Content-Type: application/x-www-form-urlencoded",
		}},
		{"DELETE", "http://$HOST/a//b/", []string{"-X", "DELETE"}, []string{
			"DELETE /a//b/ HTTP/1.1", "Host: $HOST", "User-Agent: curl/8.14.1", "Accept: */*",
		}},
	} {
		at := strings.NewReplacer("$HOST", s.Addr().String())
		want := at.Replace(strings.Join(c.want, "\r\n") + "\r\n\r\n")
		v := one(t, h, goal.Check{Type: goal.HTTP, Method: c.method, URL: at.Replace(c.url)})
		if got := <-s.requests; got != want || v.Outcome != goal.Pass {
			t.Errorf("%s, %s: the request is\n%s\nand not\n%s", v.Outcome, v.Detail, got, want)
		}
		if missing != nil {
			continue
		}
		args := slices.Concat([]string{"-s", "-q", "--noproxy", "*"}, c.args, []string{at.Replace(c.url)})
		if out, err := exec.CommandContext(t.Context(), curl, args...).CombinedOutput(); err != nil {
			t.Fatalf("curl: %v\n%s", err, out)
		}
		if got := version.ReplaceAllString(<-s.requests, "curl/8.14.1"); got != want {
			t.Errorf("curl's request is\n%s\nand not\n%s", got, want)
		}
	}
}
