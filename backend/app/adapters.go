package app

import (
	"context"

	"goalpost/backend/goals/panes"
	"goalpost/backend/panes/stream"
)

// streamTerminals and streamBrowsers attach the page's viewers to panes.
type streamTerminals struct{ panes *panes.Registry }

func (st streamTerminals) Attach(_ context.Context, id string, offset int64) (stream.TerminalViewer, error) {
	s, err := st.panes.Terminal(id)
	if err != nil {
		return nil, err
	}
	return s.Attach(offset), nil
}

type streamBrowsers struct{ panes *panes.Registry }

func (s streamBrowsers) Attach(_ context.Context, id string) (stream.BrowserViewer, error) {
	p, err := s.panes.Browser(id)
	if err != nil {
		return nil, err
	}
	return p.Attach(), nil //nolint:contextcheck // the page loads on if the viewer leaves
}
