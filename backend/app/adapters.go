package app

import (
	"context"

	"goalpost/backend/goals/attention"
	"goalpost/backend/goals/panes"
	"goalpost/backend/panes/stream"
	"goalpost/backend/panes/textfile"
)

// streamPages notes what the user sees in the pages.
type streamPages struct{ looks *attention.Looks }

func (st streamPages) Open() stream.Page { return st.looks.Open() }

// streamTerminals, streamBrowsers and streamFiles attach the page's viewers to panes.
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

type streamFiles struct{ panes *panes.Registry }

func (s streamFiles) Attach(id string) (stream.FileViewer, error) {
	f, err := s.panes.File(id)
	if err != nil {
		return nil, err
	}
	return fileViewer{f.Attach()}, nil
}

// fileViewer gives the stream the content of a file in the stream's type.
type fileViewer struct{ *textfile.Viewer }

func (f fileViewer) Next(ctx context.Context) (stream.FileContent, error) {
	c, err := f.Viewer.Next(ctx)
	return stream.FileContent{
		Text: c.Text, Version: string(c.Version), Problem: c.Problem, IsReadOnly: c.IsReadOnly, Target: c.Target,
	}, err
}
