package tools

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/url"
	"strings"

	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// ActionPreview describes what acting on an element of a page would trigger, as far as the element shows it. A page's
// scripts may do more, which the layers below the tools limit.
type ActionPreview = pane.ActionPreview

// touchEffect returns the effect of acting on an element of a page: following a link, submitting a form, or anything
// unknown, which has the risk level network_write.
func touchEffect(address string, t ActionPreview, err error) policy.Effect {
	local, bad := addressEffect(address, policy.WriteLocal, policy.NetworkWrite)
	if bad != nil { // an error page, or the page has navigated in the meantime
		return policy.UnknownEffect("the pane shows " + address)
	}
	if err != nil && !t.Payment {
		return local
	}
	e := local
	switch {
	case t.Method != "":
		risk := policy.NetworkGet
		if !strings.EqualFold(t.Method, "GET") {
			risk = policy.NetworkWrite
		}
		if e, bad = addressEffect(t.Action, policy.WriteLocal, risk); bad != nil {
			return policy.UnknownEffect("the form is sent to " + t.Action)
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
		len(local.Hosts)+len(e.Hosts) > 0 {
		e.Risk, e.Reason, e.Irreversible = policy.SpendsMoney, "the page looks like a payment", true
	}
	return e
}

// paymentURLPattern matches the addresses of payment pages.
var paymentURLPattern = text.NewPattern(
	`(?i)(^|[/.\-_])(checkout(now)?|payments?|pay|purchase|place-?order|buy-?now|` +
		`kasse|bezahlen|zahlung|paiement|pago|pagar|pagamento|betalen|afrekenen)([/.\-_]|$)`)

// paymentHosts matches hosts whose pages, also as frames in other pages, take payments.
var paymentHosts = text.NewPattern(
	`(?i)(^|\.)(paypal\.com|(js|buy|checkout)\.stripe\.com|braintreegateway\.com|adyen\.com|checkout\.com|klarna\.com)$`)

func isPaymentURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (paymentHosts.MatchString(u.Hostname()) || paymentURLPattern.MatchString(u.Path) ||
		paymentURLPattern.MatchString(strings.TrimSuffix(u.Hostname(), "."+registeredDomain(u.Hostname()))))
}

// registeredDomain returns the last two labels of a name.
func registeredDomain(host string) string {
	labels := strings.Split(host, ".")
	return strings.Join(labels[max(0, len(labels)-2):], ".")
}

// Limits on the fields of a form that the user sees.
const (
	maxFields = 60
	maxValue  = 200 // bytes
)

// describeAction describes an action for the user: the element, and what a form would send.
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

// describeFields lists the fields of a form, and how many are left out. A checksum covers all of them, so that no field
// can change after the user has looked.
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
			mark = " (hidden in the page)"
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
