package browser

import (
	"context"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/cdp"
)

// maxHTMLBytes limits the HTML of a page, in bytes.
const maxHTMLBytes = 32 << 20

// pagePDF returns the page as a PDF.
func pagePDF(ctx context.Context, pg *page) ([]byte, error) {
	var out []byte
	err := pg.do(ctx, navigateTimeout, "printing", func(c proto.Client) error {
		result, err := cdp.Call(c, proto.PagePrintToPDF{PrintBackground: true})
		if err == nil {
			out = result.Data
		}
		return err
	})
	return out, err
}

// Print returns the page as a PDF for the agent.
func (re *Reader) Print(ctx context.Context) ([]byte, error) {
	var out []byte
	err := re.turns.withReadTurn(ctx, "printing", func(ctx context.Context, pg *page) (err error) {
		out, err = pagePDF(ctx, pg)
		return err
	})
	return out, err
}

// HTML returns the current document for the agent, at most 32 MB. It does not contain what was
// typed into fields.
func (re *Reader) HTML(ctx context.Context) ([]byte, error) {
	var out string
	err := re.turns.withReadTurn(ctx, "reading the document", func(ctx context.Context, pg *page) error {
		return pg.callScript(ctx, &out, "readSource")
	})
	if err == nil && len(out) > maxHTMLBytes {
		err = fmt.Errorf("reading the document: it has %d bytes, more than 32 MB", len(out))
	}
	return []byte(out), err
}
