package browser

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
)

// onFileChooser asks for the files of a file input. One that a script opens
// without an input cannot be filled in.
func (p *Pane) onFileChooser(pg *page, e *cdp.Event) {
	var ev proto.PageFileChooserOpened
	if !decode(e, &ev) {
		return
	}
	if ev.BackendNodeID == 0 {
		p.noticeForBoth("the page wants to open files in a way that browser panes cannot fulfil")
		return
	}
	p.noteDuringAction("the page asks for files")
	p.closePrompts(matchKinds(pane.Files))
	p.openPrompt(openPrompt{
		UserPrompt: pane.UserPrompt{
			Kind: pane.Files, Origin: originOf(p.Info().URL), NoAnswer: true,
			Multiple: ev.Mode == proto.PageFileChooserOpenedModeSelectMultiple,
		},
		answer: func(ctx context.Context, a pane.Answer) error {
			if !a.Yes {
				return nil
			}
			return p.setInputFiles(ctx, pg, ev.BackendNodeID, a.Files)
		},
	})
}

func (p *Pane) setInputFiles(ctx context.Context, pg *page, node proto.DOMBackendNodeID, files []string) error {
	if len(files) == 0 {
		return errors.New("no file was named")
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.IsDir() {
			return fmt.Errorf("%q is not a file", sanitize.Line(f, 200))
		}
	}
	return pg.do(ctx, callLimit, "giving the files", func(c proto.Client) error {
		return cdp.CallNoResult(c, proto.DOMSetFileInputFiles{Files: files, BackendNodeID: node})
	})
}
