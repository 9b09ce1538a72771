package tools

import (
	"context"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// PDFReader reads the text of a PDF, page by page. PDFs are hostile: it limits the time and the memory.
type PDFReader interface {
	Text(ctx context.Context, file []byte) (string, error)
}

// maxPDFPart limits the part of a PDF's text that one call returns, in bytes.
const maxPDFPart = 16000

// readPDF returns the text of a pane's page from a position on, if it is a PDF.
func (d Deps) readPDF(ctx context.Context, id string, p Browser, from int) (r goal.Result, isPDF bool, err error) {
	if d.PDFs == nil {
		return r, false, nil
	}
	file, isPDF, err := p.Reader.PDF(ctx)
	if err != nil || !isPDF {
		return r, isPDF, err
	}
	content, err := d.PDFs.Text(ctx, file)
	if err != nil {
		return r, true, err
	}
	from = min(max(from, 0), len(content))
	end := len(content)
	if end-from > maxPDFPart {
		if line := strings.LastIndexByte(content[from:from+maxPDFPart], '\n'); line >= 0 {
			end = from + line + 1
		} else {
			end = from + len(text.TruncateBytes(content[from:], maxPDFPart)) - len("…")
		}
	}
	next := 0
	if end < len(content) {
		next = end
	}
	return pageResult(id, text.ToUTF8(content[from:end]), next, len(content)), true, nil
}
