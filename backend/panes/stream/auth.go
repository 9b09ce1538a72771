package stream

import (
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strings"

	"goalpost/backend/lib/text"
)

// authorize rejects requests that do not come from the page: a page of another origin that knows the port has no
// token, and a rebound name has another Host.
func (s *Server) authorize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reason := s.rejectReason(r); reason != "" {
			s.refuse(w, r, reason)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// rejectReason returns why a request is rejected, "" if it is accepted.
func (s *Server) rejectReason(r *http.Request) string {
	switch {
	case !isLoopbackHost(r):
		return "host"
	case !slices.Contains(s.o.Origins, r.Header.Get("Origin")) || len(r.Header.Values("Origin")) != 1:
		return "origin"
	case subtle.ConstantTimeCompare([]byte(tokenFromProtocols(r)), []byte(s.token)) != 1:
		return "token"
	}
	return ""
}

// isLoopbackHost reports whether the Host header names this machine and this port.
func isLoopbackHost(r *http.Request) bool {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil || (host != "127.0.0.1" && host != "localhost") {
		return false
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return false
	}
	_, want, err := net.SplitHostPort(local.String())
	return err == nil && port == want
}

// tokenFromProtocols returns the token among the subprotocols, "" if there is none.
func tokenFromProtocols(r *http.Request) string {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for word := range strings.SplitSeq(line, ",") {
			if token, ok := strings.CutPrefix(strings.TrimSpace(word), "token."); ok {
				return token
			}
		}
	}
	return ""
}

// refuse answers only 403; the reason is logged. The content of the request is hostile and may contain the token:
// only header names are logged, truncated.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, reason string) {
	s.o.Log.Warn("refused a connection", "reason", reason, "remote", r.RemoteAddr,
		"host", text.Prefix(r.Host), "origin", text.Prefix(r.Header.Get("Origin")), "path", text.Prefix(r.URL.Path))
	http.Error(w, "forbidden", http.StatusForbidden)
}
