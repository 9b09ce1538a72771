package serve

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"html/template"
	"math"
	"net/http"
	"strconv"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/devices"
)

//go:embed login.html
var loginHTML string

type loginPage struct {
	Problem     string
	Query       template.URL // of the link that the user opened; the login redirects to it
	Link        string       // the secret of a link that logs in one device
	HasPassword bool
}

// serveIndex serves the page after a login, and otherwise the login form. A link with ?token= logs in and removes the
// token from the address bar; the rest of its query stays, because it may name a goal. A link that works once asks
// first, because a program that shows previews of links would use it up.
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
		s.logIn(w, r, s.byToken(r.URL.Query().Get("token")))
		return
	}
	if !s.isLoggedIn(r) {
		if r.URL.Path != "/" {
			http.Error(w, "log in first", http.StatusUnauthorized)
			return
		}
		s.askToLogIn(w, r, http.StatusOK, "")
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
		s.askToLogIn(w, r, http.StatusBadRequest, "The form could not be read.")
		return
	}
	if link := r.PostForm.Get("link"); link != "" {
		s.logIn(w, r, s.byLink(link))
		return
	}
	s.logIn(w, r, s.byTokenOrPassword(r.PostForm.Get("token")))
}

// proof is how a device proves that it may log in. It returns how, "" if the proof is wrong.
type proof func() (how string, err error)

func (s *Server) byToken(token string) proof {
	return func() (string, error) {
		if sameSecret(token, s.token) {
			return devices.ByToken, nil
		}
		return "", nil
	}
}

func (s *Server) byTokenOrPassword(secret string) proof {
	return func() (string, error) {
		switch {
		case sameSecret(secret, s.token):
			return devices.ByToken, nil
		case s.o.Devices.CheckPassword(secret):
			return devices.ByPassword, nil
		}
		return "", nil
	}
}

func (s *Server) byLink(secret string) proof {
	return func() (string, error) {
		if ok, err := s.o.Devices.UseLink(secret); !ok {
			return "", err
		}
		return devices.ByLink, nil
	}
}

func (s *Server) logIn(w http.ResponseWriter, r *http.Request, prove proof) {
	from := remoteAddress(r)
	if wait := s.lock.wait(from); wait > 0 {
		s.o.Log.Warn("login while locked out", "remote", r.RemoteAddr)
		seconds := int(math.Ceil(wait.Seconds()))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		s.askToLogIn(w, r, http.StatusTooManyRequests, "Too many wrong attempts. Try again in "+
			goal.FormatDuration(time.Duration(seconds)*time.Second)+".")
		return
	}
	how, err := prove()
	if err == nil && how == "" {
		s.lock.recordFailure(from)
		s.o.Log.Warn("wrong login", "remote", r.RemoteAddr)
		s.askToLogIn(w, r, http.StatusUnauthorized, s.wrongLogin(r))
		return
	}
	cookie := ""
	if err == nil {
		cookie, err = s.o.Devices.LogIn(devices.Device{
			Name: browserName(r.UserAgent()), Address: from, User: connectionUser(r), By: how,
		})
	}
	if err != nil {
		s.o.Log.Error("login", "err", err)
		http.Error(w, "could not log in: "+fault.Of(err).MessageWithHint(), http.StatusInternalServerError)
		return
	}
	s.lock.reset(from)
	s.setCookie(w, r, cookie)
	http.Redirect(w, r, "/"+queryAfterLogin(r), http.StatusSeeOther)
}

func (s *Server) wrongLogin(r *http.Request) string {
	switch {
	case r.PostForm.Get("link") != "":
		return "This link was used already, or its ten minutes are over. Ask for a new one."
	case s.o.Devices.HasPassword():
		return "Wrong password."
	default:
		return "Wrong token. The program prints the right one when it starts."
	}
}

// sameSecret compares in constant time, also for different lengths.
func sameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// queryAfterLogin returns the query of a request without its secrets, "" if nothing is left.
func queryAfterLogin(r *http.Request) string {
	query := r.URL.Query()
	query.Del("token")
	query.Del("link")
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

func (s *Server) askToLogIn(w http.ResponseWriter, r *http.Request, status int, problem string) {
	page, err := template.New("login").Parse(loginHTML)
	var b bytes.Buffer
	if err == nil {
		link := ""
		if problem == "" {
			link = r.URL.Query().Get("link")
		}
		err = page.Execute(&b, loginPage{
			Problem:     problem,
			Query:       template.URL(queryAfterLogin(r)), //nolint:gosec // url.Values encoded it
			Link:        link,
			HasPassword: s.o.Devices.HasPassword(),
		})
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
