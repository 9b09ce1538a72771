package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/pane"
)

// Secrets know what no picture may show. Their methods may be called concurrently.
type Secrets interface {
	HasSecrets() bool          // anything at all
	Find(text string) [][2]int // pairs of offsets in bytes, from the front
}

// How often a picture is tried of a page that writes a secret again, and how far
// a letter may stand out of its box, in CSS pixels.
const (
	maxRedactionTries = 4
	redactionMargin   = 3
)

// errTextUnknown says that where a secret is drawn could not be told.
var errTextUnknown = errors.New(
	"the page keeps writing a secret again, so no picture is taken that could show it: wait until it rests")

// documentTexts is what a document says, as snapshot.js gives it: the texts in their order, and
// the frames that it does not look into.
type documentTexts struct {
	IDs    []int // of what holds each text, below zero an element, which is watched whole
	Texts  []string
	Frames []frameRef
}

type frameRef struct{ ID, Number int }

// cleanFrame is a frame of another site that shows no secret by its own texts.
type cleanFrame struct {
	page *page
	documentTexts
}

// redactionWatch is what came of watching a document while a picture was taken.
type redactionWatch struct {
	documentTexts
	Boxes  [][4]float64 // left, top, right, bottom of all that was watched
	Passed []string     // that came or went
	Lost   bool         // there was too much of that
	Width  float64      // of the viewport
}

// secretSpan is a piece of a document's texts with the part of it that holds a secret, in
// UTF-16 units, as scripts count.
type secretSpan [3]int

// redaction is one picture that is being taken.
type redaction struct {
	frames  *frames
	page    *page
	secrets Secrets
	whole   bool // in coordinates of the document and not of the viewport
	before  documentTexts
	places  []secretSpan
	parts   map[int]*cleanFrame // by their numbers
}

// captureRedacted takes a picture of a page that shows no secret: where each of its texts lies
// is watched until the picture is there, and all that they took is painted over.
// The caller has begun with withScreenshotMetrics.
func (pi *pictures) captureRedacted(ctx context.Context, pg *page, shot proto.PageCaptureScreenshot) ([]byte, error) {
	secrets := pi.state.m.cfg.Secrets
	if secrets == nil || !secrets.HasSecrets() {
		return pg.capture(ctx, shot)
	}
	for range maxRedactionTries {
		c := &redaction{frames: pi.frames, page: pg, secrets: secrets, whole: shot.Clip != nil}
		picture, sure, err := c.tryPicture(ctx, shot)
		if err != nil || sure {
			return picture, err
		}
	}
	return nil, errTextUnknown
}

func (pg *page) capture(ctx context.Context, shot proto.PageCaptureScreenshot) (picture []byte, err error) {
	err = pg.do(ctx, callLimit, "capturing", func(c proto.Client) error {
		result, err := cdp.Call(c, shot)
		if err == nil {
			picture = result.Data
		}
		return err
	})
	return picture, err
}

// tryPicture is one try; it is not sure of a picture in which a secret may have come.
func (c *redaction) tryPicture(
	ctx context.Context, shot proto.PageCaptureScreenshot,
) (picture []byte, sure bool, err error) {
	views := c.frames.inOrder(c.page)
	defer func() {
		for _, view := range views {
			view.callScriptAsync("unwatch")
		}
	}()
	if err := c.findSecrets(ctx, views); err != nil {
		return nil, false, err
	}
	if picture, err = c.page.capture(ctx, shot); err != nil {
		return nil, false, err
	}
	after, err := c.finishWatch(ctx, c.page)
	if err != nil {
		return nil, false, err
	}
	if !c.isComplete(after) || !c.framesStillClean(ctx) {
		return nil, false, nil
	}
	corner, width := image.Point{}, after.Width
	if shot.Clip != nil {
		corner, width = image.Pt(int(shot.Clip.X), int(shot.Clip.Y)), shot.Clip.Width
	}
	picture, err = blackOut(picture, after.Boxes, corner, width)
	return picture, true, err
}

// findSecrets looks for what has to be covered, and begins to watch it. A frame of another site
// that shows a secret, or of which nobody knows what it shows, is covered whole.
func (c *redaction) findSecrets(ctx context.Context, views []*page) error {
	c.parts = map[int]*cleanFrame{}
	for _, view := range views {
		c.frames.numberFrames(ctx, view)
	}
	for _, view := range views[1:] {
		f := c.frames.bySession(view.session)
		if said, err := c.readTexts(ctx, view); err == nil && f != nil && !c.containsSecret(said.Texts...) {
			c.parts[int(f.number.Load())] = &cleanFrame{view, said}
		}
	}
	var err error
	if c.before, err = c.readTexts(ctx, c.page); err != nil {
		return err
	}
	hidden := []int{}
	for _, f := range c.before.Frames {
		if !c.frameIsClean(f.Number) {
			hidden = append(hidden, f.ID)
		}
	}
	c.places = c.secretSpans(c.before)
	return c.page.callScript(ctx, nil, "watch", c.places, hidden, c.whole)
}

// readTexts takes the texts of a document, with what its closed shadow roots hold.
func (c *redaction) readTexts(ctx context.Context, view *page) (w documentTexts, err error) {
	if _, err = view.injectClosedRoots(ctx); err == nil {
		err = view.callScript(ctx, &w, "texts")
	}
	return w, err
}

// finishWatch tells what came of watching a document, with what closed shadow roots hold that
// have come since.
func (c *redaction) finishWatch(ctx context.Context, view *page) (s redactionWatch, err error) {
	if _, err = view.injectClosedRoots(ctx); err == nil {
		err = view.callScript(ctx, &s, "shown", c.whole && view == c.page)
	}
	return s, err
}

// containsSecret says whether texts that stand one after the other show one.
func (c *redaction) containsSecret(texts ...string) bool {
	return len(c.secrets.Find(strings.Join(texts, ""))) > 0
}

// frameIsClean says whether a frame of another site, and each within it, was read and shows no
// secret.
func (c *redaction) frameIsClean(number int) bool {
	f := c.parts[number]
	return f != nil && !slices.ContainsFunc(f.Frames, func(in frameRef) bool { return !c.frameIsClean(in.Number) })
}

// isComplete says whether all that shows a secret now was watched, and nothing that shows one
// came and went.
func (c *redaction) isComplete(after redactionWatch) bool {
	secretPassed := slices.ContainsFunc(after.Passed, func(text string) bool { return c.containsSecret(text) })
	if after.Lost || secretPassed || !isWithin(after.Frames, c.before.Frames) {
		return false
	}
	for _, now := range c.secretSpans(after.documentTexts) {
		id, text := after.IDs[now[0]], after.Texts[now[0]]
		if !slices.ContainsFunc(c.places, func(was secretSpan) bool {
			return c.before.IDs[was[0]] == id &&
				(id < 0 || c.before.Texts[was[0]] != text || was[1] <= now[1] && now[2] <= was[2])
		}) {
			return false
		}
	}
	return true
}

// framesStillClean says whether the frames of other sites that are not covered still show none.
func (c *redaction) framesStillClean(ctx context.Context) bool {
	for number, f := range c.parts {
		if !c.frameIsClean(number) {
			continue
		}
		after, err := c.finishWatch(ctx, f.page)
		if err != nil || after.Lost || c.containsSecret(after.Texts...) || !isWithin(after.Frames, f.Frames) {
			return false
		}
		if slices.ContainsFunc(after.Passed, func(text string) bool { return c.containsSecret(text) }) {
			return false
		}
	}
	return true
}

func isWithin(list, all []frameRef) bool {
	return !slices.ContainsFunc(list, func(f frameRef) bool { return !slices.Contains(all, f) })
}

// secretSpans gives the pieces that hold a part of a secret. One that is broken over several is
// found as well.
func (c *redaction) secretSpans(w documentTexts) []secretSpan {
	list := []secretSpan{}
	i, begin := 0, 0 // the piece, and where it begins in all
	for _, span := range c.secrets.Find(strings.Join(w.Texts, "")) {
		for begin+len(w.Texts[i]) <= span[0] {
			begin += len(w.Texts[i])
			i++
		}
		for j, at := i, begin; j < len(w.Texts) && at < span[1]; j++ {
			text := w.Texts[j]
			from, to := max(span[0]-at, 0), min(span[1]-at, len(text))
			list = append(list, secretSpan{j, utf16Len(text[:from]), utf16Len(text[:to])})
			at += len(text)
		}
	}
	return list
}

// utf16Len is the length of a text as scripts count it.
func utf16Len(s string) (n int) {
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// blackOut covers boxes of a picture that shows width CSS pixels from a corner on.
func blackOut(picture []byte, boxes [][4]float64, corner image.Point, width float64) ([]byte, error) {
	if len(boxes) == 0 {
		return picture, nil
	}
	decoded, format, err := image.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("covering secrets: %w", err)
	}
	img := image.NewRGBA(decoded.Bounds())
	draw.Draw(img, img.Bounds(), decoded, image.Point{}, draw.Src)
	scale := float64(img.Bounds().Dx()) / math.Max(width, 1)
	for _, b := range boxes {
		pixel := func(at, corner, over float64, round func(float64) float64) int {
			return int(round((at - corner + over) * scale))
		}
		x, y := float64(corner.X), float64(corner.Y)
		r := image.Rect(pixel(b[0], x, -redactionMargin, math.Floor), pixel(b[1], y, -redactionMargin, math.Floor),
			pixel(b[2], x, redactionMargin, math.Ceil), pixel(b[3], y, redactionMargin, math.Ceil))
		draw.Draw(img, r, image.Black, image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	if format == "png" {
		err = png.Encode(&out, img)
	} else {
		err = jpeg.Encode(&out, img, &jpeg.Options{Quality: 85})
	}
	if err != nil {
		return nil, fmt.Errorf("covering secrets: %w", err)
	}
	return out.Bytes(), nil
}

// RedactFrame gives a frame of the pane as it may be kept: itself where no secret is known, else
// a picture of the page as it is now, without them. It takes no turn of the agent's.
func (pi *pictures) RedactFrame(ctx context.Context, f *pane.Frame) ([]byte, error) {
	if s := pi.state.m.cfg.Secrets; s == nil || !s.HasSecrets() {
		return f.JPEG, nil
	}
	pg, err := pi.state.currentPage()
	if err != nil {
		return nil, err
	}
	ctx, cancel := pi.prompts.withoutPrompts(ctx)
	defer cancel(nil)
	shut, err := pi.withScreenshotMetrics(ctx, pg)
	if err != nil {
		return nil, err
	}
	defer shut()
	quality := 70
	return pi.captureRedacted(ctx, pg, proto.PageCaptureScreenshot{
		Format:           proto.PageCaptureScreenshotFormatJpeg,
		Quality:          &quality,
		OptimizeForSpeed: true,
	})
}
