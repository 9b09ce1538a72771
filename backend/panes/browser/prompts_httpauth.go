package browser

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// authRealm is the part of a server that requires a login.
type authRealm struct{ origin, name string }

// authChallenge is a request that waits for a login.
type authChallenge struct {
	page *page
	id   proto.FetchRequestID
}

// respond continues the request, with a login or without one.
func (ac authChallenge) respond(a pane.Answer) {
	response := &proto.FetchAuthChallengeResponse{Response: proto.FetchAuthChallengeResponseResponseCancelAuth}
	if a.Yes {
		response = &proto.FetchAuthChallengeResponse{
			Response: proto.FetchAuthChallengeResponseResponseProvideCredentials, Username: a.User, Password: a.Password,
		}
	}
	ac.page.Post(proto.FetchContinueWithAuth{RequestID: ac.id, AuthChallengeResponse: response})
}

// onAuth asks for the login that a server requires: once, however many requests wait for it. For
// requests other than documents it asks only users, and only for the page's own origin, so that a
// picture of another site cannot phish for a password. If the user declines, it does not ask
// again until the next document.
func (pe *promptEvents) onAuth(pg *page, e *cdp.Event) {
	var ev proto.FetchAuthRequired
	if !decodeEvent(e, &ev) || ev.AuthChallenge == nil {
		return
	}
	realm := authRealm{text.SanitizeLine(ev.AuthChallenge.Origin, 200), text.SanitizeLine(ev.AuthChallenge.Realm, 200)}
	challenge := authChallenge{pg, ev.RequestID}
	if ev.Request != nil && pe.state.isIcon(ev.Request.URL) {
		challenge.respond(pane.Answer{})
		return
	}
	document := ev.ResourceType == proto.NetworkResourceTypeDocument
	foreign := !document && !pe.isRequestOrigin(ev.Request, realm.origin)
	switch pe.sortChallenge(realm, challenge, document, foreign) {
	case challengeJoins:
	case challengeDeclined:
		challenge.respond(pane.Answer{})
	case challengeOfAgent:
		pe.activity.noteDuringAction(
			fmt.Sprintf("%s asks for a login (%s) for a part of the page: only a user can sign in there, in a pane of their own",
				realm.origin, realm.name))
		challenge.respond(pane.Answer{})
	case challengeNew:
		name := text.SanitizeLine(realm.name, 100)
		pe.activity.noteDuringAction(fmt.Sprintf("%s asks for a login (%s)", realm.origin, name))
		pe.askLogin(realm, challenge, document)
	}
}

// challengeKind is the way in which a request that waits for a login is handled.
type challengeKind int

const (
	challengeNew      challengeKind = iota // opens a prompt
	challengeJoins                         // waits for an open prompt
	challengeDeclined                      // gets no login
	challengeOfAgent                       // gets no login, and the agent's result says so
)

// sortChallenge decides how a request is handled, and records the decision.
func (pe *promptEvents) sortChallenge(
	realm authRealm, challenge authChallenge, document, foreign bool,
) (kind challengeKind) {
	pe.state.change(func() {
		agent := pe.state.info.Driver == pane.DriverAgent
		declined := slices.Contains(pe.prompts.declinedRealms, realm)
		switch {
		case document:
		case foreign || declined:
			kind = challengeDeclined
			return
		case agent:
			kind = challengeOfAgent
			pe.prompts.declinedRealms = append(pe.prompts.declinedRealms, realm)
			return
		}
		i := slices.IndexFunc(pe.prompts.open, func(a openPrompt) bool {
			return a.Kind == pane.Login && a.waiting != nil && a.Origin == realm.origin && a.Text == realm.name &&
				a.blocksPage == document
		})
		if i >= 0 {
			kind = challengeJoins
			*pe.prompts.open[i].waiting = append(*pe.prompts.open[i].waiting, challenge)
		}
	})
	return kind
}

// askLogin asks for a login for all requests that wait by then.
func (pe *promptEvents) askLogin(realm authRealm, challenge authChallenge, document bool) {
	all := &[]authChallenge{challenge}
	pe.prompts.add(openPrompt{
		blocksPage: document,
		waiting:    all,
		UserPrompt: pane.UserPrompt{Kind: pane.Login, Origin: realm.origin, Text: realm.name},
		answer: func(_ context.Context, a pane.Answer) error {
			var list []authChallenge
			pe.state.change(func() {
				list = *all
				if !a.Yes && !document {
					pe.prompts.declinedRealms = append(pe.prompts.declinedRealms, realm)
				}
			})
			for _, c := range list {
				c.respond(a)
			}
			return nil
		},
	})
}

// isRequestOrigin reports whether an origin is that of the page, or of the document that made the request. The browser
// reports that document, and no script can change the report.
func (pe *promptEvents) isRequestOrigin(r *proto.NetworkRequest, origin string) bool {
	if origin == originOf(pe.state.Info().URL) {
		return true
	}
	if r == nil {
		return false
	}
	from, ok := r.Headers["Referer"]
	return ok && origin == originOf(from.Str())
}
