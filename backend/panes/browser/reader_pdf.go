package browser

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/cdp"
)

// maxPDFBytes limits the size of a PDF that is read, in bytes.
const maxPDFBytes = 32 << 20

// PDF returns the file of a page that is a PDF; isPDF is false for any other page. Chromium shows a PDF in a frame of
// its own, and does not keep the file: it is requested again, with the page's cookies, and often comes from the cache.
func (re *Reader) PDF(ctx context.Context) (file []byte, isPDF bool, err error) {
	err = re.turns.withReadTurn(ctx, "reading the PDF", func(ctx context.Context, pg *page) error {
		return pg.do(ctx, navigateTimeout, "requesting its file", func(c proto.Client) error {
			tree, err := cdp.Call(c, proto.PageGetFrameTree{})
			if err != nil {
				return err
			}
			frame := tree.FrameTree.Frame
			if isPDF = frame.MIMEType == "application/pdf"; !isPDF {
				return nil
			}
			if re.state.isPosted() {
				return errors.New("this PDF is the answer to a form, which is not sent again: browser_screenshot shows it")
			}
			file, err = loadAgain(c, frame)
			return err
		})
	})
	return file, isPDF, err
}

// isPosted reports whether the document is the answer to a form that was sent with POST.
func (s *State) isPosted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.load.posted
}

// loadAgain requests the document of a frame again, and returns a PDF.
func loadAgain(c proto.Client, frame *proto.PageFrame) (file []byte, err error) {
	answer, err := cdp.Call(c, proto.NetworkLoadNetworkResource{
		FrameID: frame.ID,
		URL:     frame.URL,
		Options: &proto.NetworkLoadNetworkResourceOptions{IncludeCredentials: true},
	})
	if err != nil {
		return nil, err
	}
	r := answer.Resource
	if !r.Success || r.Stream == "" {
		return nil, fmt.Errorf("the file could not be requested again: %s", r.NetErrorName)
	}
	defer func() { err = errors.Join(err, cdp.CallNoResult(c, proto.IOClose{Handle: r.Stream})) }()
	size := 1 << 20
	for {
		part, err := cdp.Call(c, proto.IORead{Handle: r.Stream, Size: &size})
		if err != nil {
			return nil, err
		}
		data := []byte(part.Data)
		if part.Base64Encoded {
			if data, err = base64.StdEncoding.DecodeString(part.Data); err != nil {
				return nil, fmt.Errorf("the file: %w", err)
			}
		}
		switch file = append(file, data...); {
		case len(file) > maxPDFBytes:
			return nil, fmt.Errorf("the PDF is larger than %d MiB", maxPDFBytes>>20)
		case part.EOF && !bytes.HasPrefix(file, []byte("%PDF-")):
			return nil, errors.New("the server did not give the PDF a second time")
		case part.EOF:
			return file, nil
		}
	}
}
