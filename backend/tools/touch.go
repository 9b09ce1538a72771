package tools

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"goalpost/backend/pane"
	"goalpost/backend/policy"
)

// Touch is what acting on an element of a page would set off, as far as the
// element says. A page's scripts may do more: that is held below the tools.
type Touch = pane.Touched

// touched is the effect of acting on an element of a page: a link is followed, a
// form is sent, and what cannot be told counts as network_write.
func touched(address string, t Touch, err error) (policy.Effect, error) {
	here, bad := visit(address, policy.WriteLocal, policy.NetworkWrite)
	if bad != nil { // an error page, or a page that went somewhere else
		return policy.Unknown("the pane shows " + address), nil
	}
	if err != nil && !t.Payment {
		return here, nil
	}
	e := here
	switch {
	case t.Method != "":
		away := policy.NetworkGet
		if !strings.EqualFold(t.Method, "GET") {
			away = policy.NetworkWrite
		}
		if e, bad = visit(t.Action, policy.WriteLocal, away); bad != nil {
			return policy.Unknown("the form goes to " + t.Action), nil
		}
		if len(e.Hosts) > 0 {
			e.Reason = fmt.Sprintf("sends a form by %s to %s", strings.ToUpper(t.Method), e.Hosts[0])
		}
	case t.Link != "":
		if e, bad = visit(t.Link, policy.WriteLocal, policy.NetworkGet); bad != nil {
			return policy.Unknown("the link leads to " + t.Link), nil
		}
		if len(e.Hosts) > 0 {
			e.Reason = "follows a link to " + e.Hosts[0]
		}
	}
	if (t.Payment || t.Method != "" && (payingAddress(address) || payingAddress(t.Action))) && len(here.Hosts)+len(e.Hosts) > 0 {
		e.Risk, e.Reason, e.Irreversible = policy.SpendsMoney, "the page looks like payment", true
	}
	return e, nil
}

// paying is how the addresses of pages look at which one pays.
var paying = regexp.MustCompile(`(?i)(^|[/.\-_])(checkout|payments?|pay|purchase|place-?order)([/.\-_]|$)`)

func payingAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (paying.MatchString(u.Path) || paying.MatchString(strings.TrimSuffix(u.Hostname(), "."+lastTwo(u.Hostname()))))
}

// lastTwo are the last two labels of a name: what is above them says what a host is for.
func lastTwo(host string) string {
	labels := strings.Split(host, ".")
	return strings.Join(labels[max(0, len(labels)-2):], ".")
}

// shown says to a person what a form would send.
func shown(t Touch) string {
	switch {
	case t.Method == "" && t.Link == "":
		return ""
	case t.Method == "":
		return "follows " + t.Link
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", strings.ToUpper(t.Method), t.Action)
	for _, f := range t.Fields {
		fmt.Fprintf(&b, "%s = %s\n", f.Name, f.Value)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
