package tools

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"goalpost/backend/pane"
	"goalpost/backend/policy"
	"goalpost/backend/text"
)

// ActionPreview is what acting on an element of a page would trigger, as far as the element shows. A page's scripts
// may do more: the layers below the tools limit that.
type ActionPreview = pane.ActionPreview

// touchEffect is the effect of acting on an element of a page: a link is followed, a form is submitted, and anything
// unknown has the risk level network_write.
func touchEffect(address string, t ActionPreview, err error) policy.Effect {
	here, bad := addressEffect(address, policy.WriteLocal, policy.NetworkWrite)
	if bad != nil { // an error page, or a page that has navigated in the meantime
		return policy.UnknownEffect("the pane shows " + address)
	}
	if err != nil && !t.Payment {
		return here
	}
	e := here
	switch {
	case t.Method != "":
		away := policy.NetworkGet
		if !strings.EqualFold(t.Method, "GET") {
			away = policy.NetworkWrite
		}
		if e, bad = addressEffect(t.Action, policy.WriteLocal, away); bad != nil {
			return policy.UnknownEffect("the form goes to " + t.Action)
		}
		if len(e.Hosts) > 0 {
			e.Reason = fmt.Sprintf("sends a form by %s to %s", strings.ToUpper(t.Method), e.Hosts[0])
		}
	case t.Link != "":
		if e, bad = addressEffect(t.Link, policy.WriteLocal, policy.NetworkGet); bad != nil {
			return policy.UnknownEffect("the link leads to " + t.Link)
		}
		if len(e.Hosts) > 0 {
			e.Reason = "follows a link to " + e.Hosts[0]
		}
	}
	sends := t.Acts || t.Method != ""
	if (t.Payment || sends && (isPaymentURL(address) || isPaymentURL(t.Action) || isPaymentURL(t.Origin))) &&
		len(here.Hosts)+len(e.Hosts) > 0 {
		e.Risk, e.Reason, e.Irreversible = policy.SpendsMoney, "the page looks like payment", true
	}
	return e
}

// paymentURLPattern matches the addresses of payment pages.
var paymentURLPattern = regexp.MustCompile(
	`(?i)(^|[/.\-_])(checkout(now)?|payments?|pay|purchase|place-?order|buy-?now|kasse|bezahlen|zahlung|paiement|pago|pagar|pagamento|betalen|afrekenen)([/.\-_]|$)`)

// paymentHosts are hosts whose pages, and whose frames in other pages, serve payments.
var paymentHosts = regexp.MustCompile(
	`(?i)(^|\.)(paypal\.com|(js|buy|checkout)\.stripe\.com|braintreegateway\.com|adyen\.com|checkout\.com|klarna\.com)$`)

func isPaymentURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (paymentHosts.MatchString(u.Hostname()) || paymentURLPattern.MatchString(u.Path) ||
		paymentURLPattern.MatchString(strings.TrimSuffix(u.Hostname(), "."+registeredDomain(u.Hostname()))))
}

// registeredDomain is the last two labels of a name, without the subdomains.
func registeredDomain(host string) string {
	labels := strings.Split(host, ".")
	return strings.Join(labels[max(0, len(labels)-2):], ".")
}

// Limits of what a user is shown of a form.
const (
	maxFields = 60
	maxValue  = 200 // bytes
)

// describeAction tells the user what acting would trigger: on which element, and what a form would send.
func describeAction(t ActionPreview) string {
	var b strings.Builder
	if t.Element != "" {
		fmt.Fprintf(&b, "on %s, in %s\n", t.Element, cmp.Or(t.Origin, "a frame that cannot be inspected"))
	}
	switch {
	case t.Method != "":
		fmt.Fprintf(&b, "%s %s\n", strings.ToUpper(t.Method), t.Action)
		describeFields(&b, t)
	case t.Link != "":
		fmt.Fprintf(&b, "follows %s\n", t.Link)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// describeFields lists the fields of a form. It says what is left out, and a checksum covers all of them, so that no
// field can change after the user has looked.
func describeFields(b *strings.Builder, t ActionPreview) {
	all, cut := sha256.New(), false
	for i, f := range t.Fields {
		fmt.Fprintf(all, "%q %q %v\n", f.Name, f.Value, f.Hidden)
		value := text.TruncateBytes(f.Value, maxValue)
		cut = cut || value != f.Value
		if i >= maxFields {
			continue
		}
		mark := ""
		if f.Hidden {
			mark = " (the page does not show it)"
		}
		fmt.Fprintf(b, "%s = %s%s\n", f.Name, value, mark)
	}
	if more := len(t.Fields) - maxFields + t.Left; more > 0 && len(t.Fields) > maxFields {
		fmt.Fprintf(b, "… and %d more fields, which are not shown here\n", more)
		cut = true
	}
	if t.Left > 0 {
		fmt.Fprintf(b, "… %d of them were not checked: the form has too many\n", t.Left)
	}
	if cut {
		fmt.Fprintf(b, "checksum of all checked fields: %x\n", all.Sum(nil)[:8])
	}
}
