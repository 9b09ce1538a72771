package browser

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/pane"
)

// gates are the requests that stop at onPaused: documents, because only a
// stopped request asks for a login, and everything that goes to a port of this
// program. WebSockets pass this gate; the program's own check who asks.
func (m *Manager) gates() proto.FetchEnable {
	patterns := []*proto.FetchRequestPattern{{URLPattern: "*", ResourceType: proto.NetworkResourceTypeDocument}}
	for _, port := range m.own() {
		patterns = append(patterns, &proto.FetchRequestPattern{URLPattern: fmt.Sprintf("*://*:%d/*", port)})
	}
	return proto.FetchEnable{Patterns: patterns, HandleAuthRequests: true}
}

func (m *Manager) own() []int {
	if m.cfg.OwnPorts == nil {
		return nil
	}
	return m.cfg.OwnPorts()
}

// forbidden says whether an address is one of this program's own.
func (m *Manager) forbidden(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	port, err := strconv.Atoi(u.Port())
	return err == nil && slices.Contains(m.own(), port) && thisMachine(u.Hostname())
}

// thisMachine knows the names of the loopback interface that need no resolver.
func thisMachine(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// allowed is Address, and refuses the addresses of this program as well.
func (m *Manager) allowed(text string) (string, error) {
	address, err := Address(text)
	if err == nil && m.forbidden(address) {
		return "", fmt.Errorf("%w: %s is Goalpost itself", ErrRefused, clean(address, 200))
	}
	return address, err
}

func (p *Pane) onPaused(pg *page, e *cdp.Event) {
	var ev proto.FetchRequestPaused
	if !decode(e, &ev) {
		return
	}
	if ev.Request != nil && p.m.forbidden(ev.Request.URL) {
		p.report("the page asked for %s, which is Goalpost itself, and was refused", clean(ev.Request.URL, 200))
		pg.post(proto.FetchFailRequest{RequestID: ev.RequestID, ErrorReason: proto.NetworkErrorReasonBlockedByClient})
		return
	}
	pg.post(proto.FetchContinueRequest{RequestID: ev.RequestID})
}

// onAuth asks for the name and the password that a server wants.
func (p *Pane) onAuth(pg *page, e *cdp.Event) {
	var ev proto.FetchAuthRequired
	if !decode(e, &ev) || ev.AuthChallenge == nil {
		return
	}
	p.tell(fmt.Sprintf("%s asks for a login (%s)", clean(ev.AuthChallenge.Origin, 200), clean(ev.AuthChallenge.Realm, 100)))
	p.pose(asked{
		stops:    true,
		Question: pane.Question{Kind: pane.Login, Origin: clean(ev.AuthChallenge.Origin, 200), Text: clean(ev.AuthChallenge.Realm, 200)},
		answer: func(_ context.Context, a pane.Answer) error {
			response := &proto.FetchAuthChallengeResponse{Response: proto.FetchAuthChallengeResponseResponseCancelAuth}
			if a.Yes {
				response = &proto.FetchAuthChallengeResponse{
					Response: proto.FetchAuthChallengeResponseResponseProvideCredentials, Username: a.User, Password: a.Password,
				}
			}
			pg.post(proto.FetchContinueWithAuth{RequestID: ev.RequestID, AuthChallengeResponse: response})
			return nil
		},
	})
}

// onCertificate asks whether to go on to a server that cannot prove who it is.
func (p *Pane) onCertificate(pg *page, e *cdp.Event) {
	var ev proto.SecurityCertificateError
	if !decode(e, &ev) {
		return
	}
	said := clean(strings.TrimPrefix(ev.ErrorType, "net::"), 100)
	p.tell(fmt.Sprintf("the certificate of %s is not valid (%s)", originOf(ev.RequestURL), said))
	p.pose(asked{
		stops:    true,
		Question: pane.Question{Kind: pane.Certificate, Origin: originOf(ev.RequestURL), Text: said},
		answer: func(_ context.Context, a pane.Answer) error {
			action := proto.SecurityCertificateErrorActionContinue
			if !a.Yes {
				action = proto.SecurityCertificateErrorActionCancel
				p.trouble("%s was not opened: its certificate is not valid (%s)", originOf(ev.RequestURL), said)
			}
			pg.post(proto.SecurityHandleCertificateError{EventID: ev.EventID, Action: action})
			return nil
		},
	})
}

// originOf is the scheme, host and port of an address, to be shown.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return clean(address, 100)
	}
	return clean(u.Scheme+"://"+u.Host, 200)
}
