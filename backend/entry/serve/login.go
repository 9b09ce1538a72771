package serve

import (
	"bytes"
	_ "embed"
	"html/template"
	"math"
	"net/http"
	"strconv"
	"time"

	"goalpost/backend/domain/goal"
)

//go:embed login.html
var loginHTML string

type loginPage struct {
	Problem string
	Query   template.URL // of the link that the user opened; the login redirects to it
}

// serveIndex serves the page after a login, and otherwise the login form. A link with ?token= logs in and removes the
// token from the address bar; the rest of its query stays, because it may name a goal.
func (s *Server) serveIndex(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path == "/" && r.URL.Query().Has("token") {
		if isSubresource(r) {
			s.refuse(w, r, "a login within another page")
			return
		}
		s.logIn(w, r, r.URL.Query().Get("token"))
		return
	}
	if !s.isLoggedIn(r) {
		if r.URL.Path != "/" {
			http.Error(w, "log in first", http.StatusUnauthorized)
			return
		}
		s.askForToken(w, r, http.StatusOK, "")
		return
	}
	s.files.ServeHTTP(w, r)
}

// isSubresource reports whether a page of another origin made the request, for an image, a frame or the like. Such
// requests must not count as failed attempts of the user.
func isSubresource(r *http.Request) bool {
	site, dest := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Dest")
	return (site == "cross-site" || site == "same-site") && dest != "document"
}

// postLogin processes the form. It checks the origin so that no other page can use up the user's attempts.
func (s *Server) postLogin(w http.ResponseWriter, r *http.Request) {
	if !s.isSameOrigin(r) {
		s.refuse(w, r, "origin")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	if err := r.ParseForm(); err != nil {
		s.askForToken(w, r, http.StatusBadRequest, "The form could not be read.")
		return
	}
	s.logIn(w, r, r.PostForm.Get("token"))
}

func (s *Server) logIn(w http.ResponseWriter, r *http.Request, token string) {
	from := remoteAddress(r)
	if wait := s.lock.wait(from); wait > 0 {
		s.o.Log.Warn("login while locked out", "remote", r.RemoteAddr)
		seconds := int(math.Ceil(wait.Seconds()))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		s.askForToken(w, r, http.StatusTooManyRequests, "Too many wrong tokens. Try again in "+
			goal.FormatDuration(time.Duration(seconds)*time.Second)+".")
		return
	}
	if !sameSecret(token, s.token) {
		s.lock.recordFailure(from)
		s.o.Log.Warn("wrong token", "remote", r.RemoteAddr)
		s.askForToken(w, r, http.StatusUnauthorized, "Wrong token. The program prints the right one when it starts.")
		return
	}
	id, err := s.sessions.begin(connectionUser(r))
	if err != nil {
		s.o.Log.Error("login", "err", err)
		http.Error(w, "could not create a session", http.StatusInternalServerError)
		return
	}
	s.lock.reset(from)
	s.setCookie(w, id)
	http.Redirect(w, r, "/"+queryAfterLogin(r), http.StatusSeeOther)
}

// queryAfterLogin returns the query of a request without the token, "" if nothing is left.
func queryAfterLogin(r *http.Request) string {
	query := r.URL.Query()
	query.Del("token")
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

func (s *Server) askForToken(w http.ResponseWriter, r *http.Request, status int, problem string) {
	page, err := template.New("login").Parse(loginHTML)
	var b bytes.Buffer
	if err == nil {
		err = page.Execute(&b, loginPage{problem, template.URL(queryAfterLogin(r))}) //nolint:gosec // url.Values encoded it
	}
	if err != nil {
		s.o.Log.Error("login page", "err", err)
		http.Error(w, "the login page is broken", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the browser may have disconnected
}
