package tasks_test

import (
	"context"
	"fmt"
	"net/http"
)

// obstacles are tasks on pages that something stands before or around: frames of a company's other addresses, controls
// that are hidden behind their labels, very long tables, alerts, logins, certificates, drafts and popups.
var obstacles = []task{
	{"sameport", "within", func(a *agent) { solveInside(a, "sameport") }},
	{"subdomain", "within", func(a *agent) {
		a.openAt(a.site.company, "subdomain")
		a.write(`"Word"`, "within")
		a.click(`button "Send inside"`)
	}},
	{"styledupload", "me.txt:hello", func(a *agent) {
		a.do("write_file", args{"path": "me.txt", "content": "hello\n"})
		a.open("styledupload")
		a.contains(a.seen, "Choose photo")
		a.do("browser_upload", args{"target": "Choose photo", "files": []string{"me.txt"}})
	}},
	{"styledboxes", "false,post", func(a *agent) {
		a.open("styledboxes")
		a.do("browser_check", args{"target": "Advertising", "off": true})
		a.do("browser_check", args{"target": "By post"})
		a.click(`button "Save"`)
	}},
	{"longtable", "Cancel order 19876", func(a *agent) {
		a.open("longtable")
		found := a.do("browser_find", args{"text": "Cancel order 19876"})
		a.do("browser_click", args{"target": refIn(found, "Cancel order 19876")})
	}},
	{"greeting", "CODE", func(a *agent) {
		a.open("greeting")
		word := a.read(a.seen, `alert.*word of the day is (\d+)`)
		a.do("browser_dialog", args{"accept": true})
		a.look()
		a.write(`"Word of the day"`, word)
		a.click(`button "Check"`)
	}},
	{"staff", "CODE", func(a *agent) {
		a.open("staff")
		a.contains(a.seen, "asks for a login")
		a.do("browser_login", args{})
		a.look()
		a.click(`button "Open the door"`)
	}},
	{"oldcert", "CODE", func(a *agent) {
		a.openAt(a.site.secure.URL, "oldcert")
		a.contains(a.seen, "is not valid")
		a.do("browser_dialog", args{"accept": true, "certificate": a.site.secure.URL})
		a.look()
		a.click(`button "Trust it"`)
	}},
	{"draft", "left", func(a *agent) {
		a.open("draft")
		a.write(`"Draft"`, "Dear Ann")
		said := a.try("browser_click", args{"target": a.ref(`link "Discard it`)}).Text
		a.contains(said, "changes may be lost")
		a.do("browser_dialog", args{"accept": true})
	}},
	{"closespopup", "green", func(a *agent) {
		a.open("closespopup")
		a.click(`button "Choose a colour…"`)
		shown := a.read(a.do("list_panes", args{"kind": "browser"}), `(b\d+).*chooser2`)
		a.do("browser_click", args{"pane": shown, "target": "Green"})
	}},
	{"hiddentextarea", "new text", func(a *agent) {
		a.open("hiddentextarea")
		a.do("browser_type", args{"target": a.ref(`"Code"`), "text": "new text", "clear": true})
		a.click(`button "Run"`)
	}},
}

func init() { all = append(all, obstacles...) }

const (
	staffUser     = "ann"
	staffPassword = "open the door"
)

// guarded asks for a login of the server before it shows the page staff.
func guarded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if r.PathValue("page") == "staff.html" && (user != staffUser || password != staffPassword) {
			w.Header().Set("WWW-Authenticate", `Basic realm="staff"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next(w, r)
	}
}

// logins is the saved login of the site.
type logins struct{ site *site }

func (l logins) Users(origin string) ([]string, error) {
	if origin != l.site.URL {
		return nil, nil
	}
	return []string{staffUser}, nil
}

func (l logins) Open(_ context.Context, origin, user string) (name, password string, err error) {
	if origin != l.site.URL || user != staffUser {
		return "", "", fmt.Errorf("no login of %s at %s", user, origin)
	}
	return staffUser, staffPassword, nil
}
