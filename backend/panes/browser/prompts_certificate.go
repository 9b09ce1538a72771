package browser

import (
	"context"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// certificateException is a server that cannot prove its identity, and the reason.
type certificateException struct{ origin, fault string }

// onCertificate asks whether to continue to a server that cannot prove its identity. Chromium asks for each
// connection, and a page makes several. The user is asked once, and the answer is valid for that server until the pane
// navigates to another one.
func (pe *promptEvents) onCertificate(pg *page, e *cdp.Event) {
	var ev proto.SecurityCertificateError
	if !decodeEvent(e, &ev) {
		return
	}
	exception := certificateException{
		origin: originOf(ev.RequestURL),
		fault:  text.SanitizeLine(strings.TrimPrefix(ev.ErrorType, "net::"), 100),
	}
	settle := func(id int, yes bool) {
		action := proto.SecurityCertificateErrorActionCancel
		if yes {
			action = proto.SecurityCertificateErrorActionContinue
		}
		pg.Post(proto.SecurityHandleCertificateError{EventID: id, Action: action})
	}
	trusted, isPending := false, false
	pe.state.change(func() {
		trusted = pe.prompts.certException == exception
		i := slices.IndexFunc(pe.prompts.open, func(a openPrompt) bool {
			return a.Kind == pane.Certificate && a.Origin == exception.origin && a.Text == exception.fault
		})
		if isPending = i >= 0; isPending {
			*pe.prompts.open[i].events = append(*pe.prompts.open[i].events, ev.EventID)
		}
	})
	isIcon := !trusted && !isPending && pe.state.isIcon(ev.RequestURL)
	if trusted || isIcon {
		settle(ev.EventID, trusted)
	}
	if trusted || isPending || isIcon {
		return
	}
	pe.activity.noteDuringAction("the certificate of " + exception.origin + " is not valid (" + exception.fault + ")")
	events := &[]int{ev.EventID}
	pe.prompts.add(openPrompt{
		blocksPage: true,
		events:     events,
		UserPrompt: pane.UserPrompt{Kind: pane.Certificate, Origin: exception.origin, Text: exception.fault},
		answer: func(_ context.Context, a pane.Answer) error {
			var all []int
			pe.state.change(func() {
				all = *events
				if a.Yes {
					pe.prompts.certException = exception
				}
			})
			if !a.Yes {
				pe.state.setLoadError("%s was not opened: its certificate is not valid (%s)", exception.origin, exception.fault)
			}
			for _, id := range all {
				settle(id, a.Yes)
			}
			return nil
		},
	})
}
