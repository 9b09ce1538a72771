package browser

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// onFileChooser asks for the files of a file input. One that a script opens without an input
// cannot be answered.
func (pe *promptEvents) onFileChooser(pg *page, e *cdp.Event) {
	var ev proto.PageFileChooserOpened
	if !decodeEvent(e, &ev) {
		return
	}
	if ev.BackendNodeID == 0 {
		pe.activity.noticeForBoth("the page asks for files in a way that browser panes do not support")
		return
	}
	pe.activity.noteDuringAction("the page asks for files")
	pe.prompts.close(matchKinds(pane.Files))
	pe.prompts.add(openPrompt{
		UserPrompt: pane.UserPrompt{
			Kind: pane.Files, Origin: originOf(pe.state.Info().URL), NoAnswer: true,
			Multiple: ev.Mode == proto.PageFileChooserOpenedModeSelectMultiple,
		},
		answer: func(ctx context.Context, a pane.Answer) error {
			if !a.Yes {
				return nil
			}
			return pe.setInputFiles(ctx, pg, ev.BackendNodeID, a.Files)
		},
	})
}

func (pe *promptEvents) setInputFiles(
	ctx context.Context, pg *page, node proto.DOMBackendNodeID, files []string,
) error {
	if len(files) == 0 {
		return errors.New("no file was named")
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.IsDir() {
			return fmt.Errorf("%q is not a file", text.SanitizeLine(f, 200))
		}
	}
	return pg.send(ctx, pg.callLimit(), "giving the files", proto.DOMSetFileInputFiles{Files: files, BackendNodeID: node})
}
