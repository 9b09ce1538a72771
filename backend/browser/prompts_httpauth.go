package browser

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
)

// authRealm is what a server wants a name and a password for.
type authRealm struct{ origin, name string }

// authChallenge is a request that waits for them.
type authChallenge struct {
	page *page
	id   proto.FetchRequestID
}

// respond lets the request continue, with a name and a password or as one that has none.
func (c authChallenge) respond(a pane.Answer) {
	response := &proto.FetchAuthChallengeResponse{Response: proto.FetchAuthChallengeResponseResponseCancelAuth}
	if a.Yes {
		response = &proto.FetchAuthChallengeResponse{
			Response: proto.FetchAuthChallengeResponseResponseProvideCredentials, Username: a.User, Password: a.Password,
		}
	}
	c.page.Post(proto.FetchContinueWithAuth{RequestID: c.id, AuthChallengeResponse: response})
}

// onAuth asks for the name and the password that a server wants: once, however many
// requests wait for them. For what a page fetches besides documents only a user is
// asked, only for its own origin, lest a picture of another site fish for a password,
// and not again until the next document once they have said no.
func (pe *promptEvents) onAuth(pg *page, e *cdp.Event) {
	var ev proto.FetchAuthRequired
	if !decodeEvent(e, &ev) || ev.AuthChallenge == nil {
		return
	}
	who := authRealm{sanitize.Line(ev.AuthChallenge.Origin, 200), sanitize.Line(ev.AuthChallenge.Realm, 200)}
	waits := authChallenge{pg, ev.RequestID}
	document := ev.ResourceType == proto.NetworkResourceTypeDocument
	foreign := !document && !pe.isRequestOrigin(ev.Request, who.origin)
	switch pe.sortChallenge(who, waits, document, foreign) {
	case challengeJoins:
	case challengeDeclined:
		waits.respond(pane.Answer{})
	case challengeOfAgent:
		pe.activity.noteDuringAction(
			fmt.Sprintf("%s asks for a login (%s) for something that the page fetches: only a user is asked for that",
				who.origin, who.name))
		waits.respond(pane.Answer{})
	case challengeNew:
		pe.activity.noteDuringAction(fmt.Sprintf("%s asks for a login (%s)", who.origin, sanitize.Line(who.name, 100)))
		pe.askLogin(who, waits, document)
	}
}

// challengeKind is what becomes of a request that waits for a name and a password.
type challengeKind int

const (
	challengeNew      challengeKind = iota // is a question
	challengeJoins                         // waits for a question that is open
	challengeDeclined                      // has no answer
	challengeOfAgent                       // likewise, and the agent reads so once
)

// sortChallenge decides that, and notes what it decided.
func (pe *promptEvents) sortChallenge(who authRealm, waits authChallenge, document, foreign bool) (kind challengeKind) {
	pe.state.change(func() {
		agent := pe.state.info.Driver == pane.DriverAgent
		declined := slices.Contains(pe.prompts.declinedRealms, who)
		switch {
		case document:
		case foreign || declined:
			kind = challengeDeclined
			return
		case agent:
			kind = challengeOfAgent
			pe.prompts.declinedRealms = append(pe.prompts.declinedRealms, who)
			return
		}
		i := slices.IndexFunc(pe.prompts.open, func(a openPrompt) bool {
			return a.Kind == pane.Login && a.waiting != nil && a.Origin == who.origin && a.Text == who.name &&
				a.stops == document
		})
		if i >= 0 {
			kind = challengeJoins
			*pe.prompts.open[i].waiting = append(*pe.prompts.open[i].waiting, waits)
		}
	})
	return kind
}

// askLogin asks for the name and the password, for all requests that wait by then.
func (pe *promptEvents) askLogin(who authRealm, waits authChallenge, document bool) {
	all := &[]authChallenge{waits}
	pe.prompts.add(openPrompt{
		stops:      document,
		waiting:    all,
		UserPrompt: pane.UserPrompt{Kind: pane.Login, Origin: who.origin, Text: who.name},
		answer: func(_ context.Context, a pane.Answer) error {
			var list []authChallenge
			pe.state.change(func() {
				list = *all
				if !a.Yes && !document {
					pe.prompts.declinedRealms = append(pe.prompts.declinedRealms, who)
				}
			})
			for _, c := range list {
				c.respond(a)
			}
			return nil
		},
	})
}

// isRequestOrigin says whether an origin is that of the page, or of the document that
// made the request: a browser names that one, and no script can make it name another.
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
