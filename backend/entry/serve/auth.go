package serve

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"goalpost/backend/lib/text"
	"goalpost/backend/storage/devices"
)

// isSocketAllowed checks session, host and origin of a WebSocket request. With a cookie alone, any page that the user
// visits could open a socket in the user's name.
func (s *Server) isSocketAllowed(r *http.Request) bool {
	return s.isHostAllowed(r) && s.isSameOrigin(r) && s.isLoggedIn(r)
}

// isSameOrigin reports whether the only Origin header names this server. It is https where a proxy encrypts.
func (s *Server) isSameOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	return len(origins) == 1 && (strings.EqualFold(origins[0], s.scheme()+"://"+r.Host) ||
		strings.EqualFold(origins[0], "https://"+r.Host))
}

// isHostAllowed reports whether the Host header names this server. It rejects rebound names: an attacker's name may
// resolve to this machine, but an address cannot be forged this way.
func (s *Server) isHostAllowed(r *http.Request) bool {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = strings.Trim(r.Host, "[]"), ""
	}
	host = strings.ToLower(host)
	if slices.ContainsFunc(s.o.Hosts, func(h string) bool {
		return strings.EqualFold(h, host) || strings.EqualFold(h, r.Host)
	}) {
		return true
	}
	if port != s.port {
		return false
	}
	ip := net.ParseIP(host)
	if ip == nil {
		return host == "localhost"
	}
	return s.o.AllowRemote || ip.IsLoopback()
}

// remoteAddress returns the address that the lock-out counts by. It ignores headers of proxies, because any client can
// set them.
func remoteAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
	"img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// withHeaders sets the headers of every answer, after checking the host.
func (s *Server) withHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// Not no-referrer: under it browsers send the login form with Origin: null.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !s.isHostAllowed(r) {
			s.refuse(w, r, "host")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, reason string) {
	s.o.Log.Warn("refused a request", "reason", reason, "remote", r.RemoteAddr, "host", text.Prefix(r.Host),
		"origin", text.Prefix(r.Header.Get("Origin")), "path", text.Prefix(r.URL.Path))
	http.Error(w, "forbidden", http.StatusForbidden)
}

// cookieName returns a name with the port. Browsers send cookies to all ports of a host, so two programs on one machine
// would otherwise log each other out.
func (s *Server) cookieName() string { return "goalpost_" + s.port }

func (s *Server) setCookie(w http.ResponseWriter, r *http.Request, id string) {
	isSecure := s.o.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://")
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: id, Path: "/", MaxAge: int(devices.Life / time.Second),
		HttpOnly: true, Secure: isSecure, SameSite: http.SameSiteStrictMode,
	})
}

// isLoggedIn reports whether a request comes from a device that is logged in.
func (s *Server) isLoggedIn(r *http.Request) bool {
	_, ok := s.device(r)
	return ok
}

// device returns the device that a request comes from.
func (s *Server) device(r *http.Request) (devices.Device, bool) {
	c, err := r.Cookie(s.cookieName())
	if err != nil {
		return devices.Device{}, false
	}
	return s.o.Devices.Find(c.Value, connectionUser(r))
}
