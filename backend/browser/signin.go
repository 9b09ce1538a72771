package browser

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/pane"
)

// realm is what a server wants a name and a password for.
type realm struct{ origin, name string }

// challenge is a request that waits for them.
type challenge struct {
	page *page
	id   proto.FetchRequestID
}

// settle lets the request go on, with a name and a password or as one that has none.
func (c challenge) settle(a pane.Answer) {
	response := &proto.FetchAuthChallengeResponse{Response: proto.FetchAuthChallengeResponseResponseCancelAuth}
	if a.Yes {
		response = &proto.FetchAuthChallengeResponse{
			Response: proto.FetchAuthChallengeResponseResponseProvideCredentials, Username: a.User, Password: a.Password,
		}
	}
	c.page.post(proto.FetchContinueWithAuth{RequestID: c.id, AuthChallengeResponse: response})
}

// onAuth asks for the name and the password that a server wants: once, however many
// requests wait for them. For what a page fetches besides documents only a person is
// asked, only for its own origin, lest a picture of another site fish for a password,
// and not again until the next document once they have said no.
func (p *Pane) onAuth(pg *page, e *cdp.Event) {
	var ev proto.FetchAuthRequired
	if !decode(e, &ev) || ev.AuthChallenge == nil {
		return
	}
	who := realm{clean(ev.AuthChallenge.Origin, 200), clean(ev.AuthChallenge.Realm, 200)}
	waits := challenge{pg, ev.RequestID}
	document := ev.ResourceType == proto.NetworkResourceTypeDocument
	foreign := !document && !p.fetchesFrom(ev.Request, who.origin)
	no, joined, told := false, false, false
	p.change(func() {
		agent := p.info.Driver == pane.DriverAgent
		if no = !document && (foreign || agent || slices.Contains(p.unsigned, who)); no {
			if told = agent && !foreign && !slices.Contains(p.unsigned, who); told {
				p.unsigned = append(p.unsigned, who)
			}
			return
		}
		i := slices.IndexFunc(p.questions, func(a asked) bool {
			return a.Kind == pane.Login && a.waiting != nil && a.Origin == who.origin && a.Text == who.name && a.stops == document
		})
		if joined = i >= 0; joined {
			*p.questions[i].waiting = append(*p.questions[i].waiting, waits)
		}
	})
	switch {
	case no:
		if told {
			p.tell(fmt.Sprintf("%s asks for a login (%s) for something that the page fetches: only a person is asked for that", who.origin, who.name))
		}
		waits.settle(pane.Answer{})
		return
	case joined:
		return
	}
	p.tell(fmt.Sprintf("%s asks for a login (%s)", who.origin, clean(who.name, 100)))
	all := &[]challenge{waits}
	p.pose(asked{
		stops:      document,
		waiting:    all,
		UserPrompt: pane.UserPrompt{Kind: pane.Login, Origin: who.origin, Text: who.name},
		answer: func(_ context.Context, a pane.Answer) error {
			var list []challenge
			p.change(func() {
				list = *all
				if !a.Yes && !document {
					p.unsigned = append(p.unsigned, who)
				}
			})
			for _, c := range list {
				c.settle(a)
			}
			return nil
		},
	})
}

// fetchesFrom says whether an origin is that of the page, or of the document that
// made the request: a browser names that one, and no script can make it name another.
func (p *Pane) fetchesFrom(r *proto.NetworkRequest, origin string) bool {
	if origin == originOf(p.Info().URL) {
		return true
	}
	if r == nil {
		return false
	}
	from, ok := r.Headers["Referer"]
	return ok && origin == originOf(from.Str())
}
