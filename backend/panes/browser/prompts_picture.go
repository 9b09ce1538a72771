package browser

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/script"
)

// promptPlace is the script context of userprompts.js that sent a prompt.
type promptPlace struct {
	page  *page
	world proto.RuntimeExecutionContextID
}

// maxCopiedBytes is the size of the largest PNG that is copied.
const maxCopiedBytes = 48 << 20

var errPictureLarge = errors.New("the picture is too large to copy: save it instead")

// CopyPicture returns the picture on which the user opened the context menu last, as a PNG for the user's clipboard.
func (p *Prompts) CopyPicture(ctx context.Context) ([]byte, error) {
	p.state.mu.Lock()
	menu := p.menu
	p.state.mu.Unlock()
	if menu.page == nil {
		return nil, errors.New("copying a picture: no menu of a picture was opened")
	}
	picture, err := menu.copyPicture(ctx)
	if err != nil {
		return nil, fmt.Errorf("copying a picture: %w", err)
	}
	return picture, nil
}

// copiedPicture is what userprompts.js answers. All of it is hostile.
type copiedPicture struct {
	PNG     []byte `json:"png"`
	Address string `json:"address"`
	Problem string `json:"problem"`
}

// copyPicture lets the page draw the picture. The page cannot read one of another site; Chromium's protocol can.
func (pl promptPlace) copyPicture(ctx context.Context) ([]byte, error) {
	got, err := pl.call(ctx, "picture")
	if err == nil && got.Address != "" {
		var content string
		if content, err = pl.read(ctx, got.Address); err == nil {
			got, err = pl.call(ctx, "decode", content)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case got.Problem == "large", len(got.PNG) > maxCopiedBytes:
		return nil, errPictureLarge
	}
	if _, err := png.DecodeConfig(bytes.NewReader(got.PNG)); err != nil {
		return nil, errors.New("the picture is no longer in the page, or could not be decoded")
	}
	return got.PNG, nil
}

func (pl promptPlace) call(ctx context.Context, function string, args ...any) (got copiedPicture, err error) {
	list, err := script.Arguments(args)
	if err != nil {
		return got, err
	}
	raw, err := evaluate(ctx, pl.page, pl.world, fmt.Sprintf("goalpostPrompts.%s(%s)", function, list))
	if err != nil {
		return got, err
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		return got, fmt.Errorf("the page's answer: %w", err)
	}
	return got, nil
}

// read returns what the page has loaded from an address, in base64.
func (pl promptPlace) read(ctx context.Context, address string) (content string, err error) {
	frame := pl.page.mainFrame()
	if c := pl.page.worlds.Get(pl.world); c.Frame != "" {
		frame = c.Frame
	}
	err = pl.page.do(ctx, pl.page.callLimit(), "reading the picture", func(c proto.Client) error {
		got, err := cdp.Call(c, proto.PageGetResourceContent{FrameID: frame, URL: address})
		if err != nil {
			return err
		}
		if content = got.Content; !got.Base64Encoded { // an SVG
			content = base64.StdEncoding.EncodeToString([]byte(content))
		}
		return nil
	})
	return content, err
}
