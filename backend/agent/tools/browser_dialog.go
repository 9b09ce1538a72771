package tools

import (
	"context"
	"fmt"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

type browserDialogArgs struct {
	Pane        string `json:"pane"`
	Accept      bool   `json:"accept"`
	Text        string `json:"text,omitempty"`
	Certificate string `json:"certificate,omitempty"`
}

func browserDialog(r Deps) (Tool, error) {
	return defineTool("browser_dialog", func(ctx context.Context, a browserDialogArgs) (policy.Effect, error) {
		p, err := r.Browsers.Get(a.Pane)
		if err != nil {
			return policy.Effect{}, err
		}
		q, _ := p.Prompts.OpenPrompt()
		switch {
		case a.Certificate != "":
			return acceptCertificateEffect(p.State.Info(), q, a)
		case !a.Accept: // as any other browser call does
			return r.passiveFetchEffect(a.Pane)
		case q.Kind == pane.Certificate:
			return policy.Effect{}, fmt.Errorf("the certificate of %s is not valid (%s), and only the user can accept it: "+
				"give certificate with this origin, and the user is asked, or use ask_user", q.Origin, q.Text)
		case q.Kind == pane.Login:
			return policy.Effect{}, fmt.Errorf("%s asks for a login, not for a confirmation: browser_login sends one that "+
				"the user saved; without one, use ask_user with this pane", q.Origin)
		}
		return r.scriptEffect(ctx, a.Pane)
	}, func(ctx context.Context, a browserDialogArgs) goal.Result {
		return r.doAction(ctx, a.Pane, func(p Browser) (pane.ActionResult, error) {
			if a.Certificate != "" {
				return p.Actions.AcceptCertificate(ctx, a.Certificate)
			}
			return p.Actions.Dialog(ctx, a.Accept, a.Text)
		})
	})
}

// acceptCertificateEffect returns the effect of continuing to a server that cannot prove its identity.
func acceptCertificateEffect(i pane.Info, q pane.UserPrompt, a browserDialogArgs) (policy.Effect, error) {
	if !a.Accept || q.Kind != pane.Certificate || q.Origin != a.Certificate {
		return policy.Effect{},
			fmt.Errorf("the pane does not ask about the certificate of %s; open the page again and answer then, with accept",
				text.TruncateBytes(a.Certificate, 200))
	}
	e, err := addressEffect(q.Origin, policy.WriteLocal, policy.NetworkWrite)
	e.BadCertificate, e.Reason = q.Origin, "continues to "+q.Origin+" although its certificate is not valid ("+q.Text+")"
	return effectInPane(i, e), err
}
