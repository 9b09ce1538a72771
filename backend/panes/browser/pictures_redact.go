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

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Secrets finds the text that no picture may show. Its methods may be called concurrently.
type Secrets interface {
	HasSecrets() bool          // whether there are any
	Find(text string) [][2]int // pairs of byte offsets, in order
}

// maxRedactionTries limits the pictures that are tried of a page that rewrites a secret again and again.
// redactionMargin is how far a letter may extend beyond its box, in CSS pixels.
const (
	maxRedactionTries = 4
	redactionMargin   = 3
)

// errTextUnknown means that the position of a secret could not be determined.
var errTextUnknown = errors.New(
	"the page keeps rewriting a secret, and a picture could show it: wait until the page stops changing, then try again")

// documentTexts are the texts of a document in order, as page.js gives them, and the frames
// that it cannot read.
type documentTexts struct {
	IDs    []int // of the node of each text; negative for an element, which is redacted whole
	Texts  []string
	Frames []frameRef
}

type frameRef struct{ ID, Number int }

// cleanFrame is a frame of another site whose own texts show no secret.
type cleanFrame struct {
	page *page
	documentTexts
}

// redactionWatch is what changed in a document while a picture was taken.
type redactionWatch struct {
	documentTexts
	Boxes  [][4]float64 // left, top, right, bottom of everything that was watched
	Passed []string     // texts that appeared or disappeared
	Lost   bool         // there were too many of them
	Width  float64      // of the viewport, in CSS pixels
}

// secretSpan is a part of a text that belongs to a secret: the index of the text, and start and end
// in UTF-16 units, as in JavaScript.
type secretSpan [3]int

// redaction is one picture while it is taken.
type redaction struct {
	frames      *frames
	page        *page
	secrets     Secrets
	isFullPage  bool // boxes are relative to the document, not to the viewport
	before      documentTexts
	places      []secretSpan
	cleanFrames map[int]*cleanFrame // by their numbers
}

// captureRedacted takes a picture of a page that shows no secret: it watches the positions of
// secrets until the picture is taken, and paints over all of them. Chromium draws the page until then, because it takes
// no picture in a minimized window. The caller has called holdMetrics.
func (pi *Pictures) captureRedacted(ctx context.Context, pg *page, shot proto.PageCaptureScreenshot) ([]byte, error) {
	defer pg.Draw()()
	secrets := pi.state.m.cfg.Secrets
	if secrets == nil || !secrets.HasSecrets() {
		return pg.capture(ctx, pi.state, shot)
	}
	for range maxRedactionTries {
		c := &redaction{frames: pi.frames, page: pg, secrets: secrets, isFullPage: shot.Clip != nil}
		picture, sure, err := c.tryPicture(ctx, shot)
		if err != nil || sure {
			return picture, err
		}
	}
	return nil, errTextUnknown
}

// errDocumentLeft is the end of a picture during which the page went to another document.
var errDocumentLeft = cdp.NewCause("the page went to another document")

// capture takes a picture of the document that the page shows. Chromium does not answer if the page leaves it.
func (p *page) capture(ctx context.Context, s *State, shot proto.PageCaptureScreenshot) (picture []byte, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	shown := s.shownDocument()
	go func() {
		if s.wait(ctx, func() bool { return s.load.loader != shown }) == nil {
			cancel(errDocumentLeft)
		}
	}()
	err = p.do(ctx, p.callLimit(), "capturing", func(c proto.Client) error {
		result, err := cdp.Call(c, shot)
		if err == nil {
			picture = result.Data
		}
		return err
	})
	return picture, err
}

// tryPicture takes one picture; it reports whether no other secret can have appeared in it.
func (r *redaction) tryPicture(
	ctx context.Context, shot proto.PageCaptureScreenshot,
) (picture []byte, sure bool, err error) {
	views := r.frames.inOrder(r.page)
	defer func() {
		for _, view := range views {
			view.callScriptAsync("stopTracking")
		}
	}()
	if err := r.findSecrets(ctx, views); err != nil {
		return nil, false, err
	}
	if picture, err = r.page.capture(ctx, r.frames.state, shot); err != nil {
		return nil, false, err
	}
	after, err := r.finishWatch(ctx, r.page)
	if err != nil {
		return nil, false, err
	}
	if !r.isComplete(after) || !r.areFramesStillClean(ctx) {
		return nil, false, nil
	}
	corner, width := image.Point{}, after.Width
	if shot.Clip != nil {
		corner, width = image.Pt(int(shot.Clip.X), int(shot.Clip.Y)), shot.Clip.Width
	}
	picture, err = blackOut(picture, after.Boxes, corner, width)
	return picture, true, err
}

// findSecrets finds what to paint over, and begins to watch it. A frame of another site that
// shows a secret, or whose texts are unknown, is painted over whole.
func (r *redaction) findSecrets(ctx context.Context, views []*page) error {
	r.cleanFrames = map[int]*cleanFrame{}
	for _, view := range views {
		r.frames.numberFrames(ctx, view)
	}
	for _, view := range views[1:] {
		f := r.frames.bySession(view.session)
		if texts, err := r.readTexts(ctx, view); err == nil && f != nil && !r.hasSecret(texts.Texts...) {
			r.cleanFrames[int(f.number.Load())] = &cleanFrame{view, texts}
		}
	}
	var err error
	if r.before, err = r.readTexts(ctx, r.page); err != nil {
		return err
	}
	hidden := []int{}
	for _, f := range r.before.Frames {
		if !r.isFrameClean(f.Number) {
			hidden = append(hidden, f.ID)
		}
	}
	r.places = r.secretSpans(r.before)
	return r.page.callScript(ctx, nil, "trackTexts", r.places, hidden, r.isFullPage)
}

// readTexts returns the texts of a document, including closed shadow roots.
func (r *redaction) readTexts(ctx context.Context, view *page) (w documentTexts, err error) {
	if _, err = view.injectClosedRoots(ctx); err == nil {
		err = view.callScript(ctx, &w, "startTexts")
	}
	return w, err
}

// finishWatch ends the watching of a document and returns the result, including closed shadow
// roots that were added since.
func (r *redaction) finishWatch(ctx context.Context, view *page) (s redactionWatch, err error) {
	if _, err = view.injectClosedRoots(ctx); err == nil {
		err = view.callScript(ctx, &s, "endTexts", r.isFullPage && view == r.page)
	}
	return s, err
}

// hasSecret reports whether the concatenation of texts contains a secret.
func (r *redaction) hasSecret(texts ...string) bool {
	return len(r.secrets.Find(strings.Join(texts, ""))) > 0
}

// isFrameClean reports whether a frame of another site, and each one inside of it, was read and
// shows no secret.
func (r *redaction) isFrameClean(number int) bool {
	f := r.cleanFrames[number]
	return f != nil && !slices.ContainsFunc(f.Frames, func(in frameRef) bool { return !r.isFrameClean(in.Number) })
}

// isComplete reports whether every text that shows a secret now was watched, and no other text with one appeared or
// disappeared.
func (r *redaction) isComplete(after redactionWatch) bool {
	secretPassed := slices.ContainsFunc(after.Passed, func(text string) bool { return r.hasSecret(text) })
	if after.Lost || secretPassed || !isWithin(after.Frames, r.before.Frames) {
		return false
	}
	for _, now := range r.secretSpans(after.documentTexts) {
		id, text := after.IDs[now[0]], after.Texts[now[0]]
		if !slices.ContainsFunc(r.places, func(was secretSpan) bool {
			return r.before.IDs[was[0]] == id &&
				(id < 0 || r.before.Texts[was[0]] != text || was[1] <= now[1] && now[2] <= was[2])
		}) {
			return false
		}
	}
	return true
}

// areFramesStillClean reports whether the frames of other sites that are not painted over still show
// no secret.
func (r *redaction) areFramesStillClean(ctx context.Context) bool {
	for number, f := range r.cleanFrames {
		if !r.isFrameClean(number) {
			continue
		}
		after, err := r.finishWatch(ctx, f.page)
		if err != nil || after.Lost || r.hasSecret(after.Texts...) || !isWithin(after.Frames, f.Frames) {
			return false
		}
		if slices.ContainsFunc(after.Passed, func(text string) bool { return r.hasSecret(text) }) {
			return false
		}
	}
	return true
}

func isWithin(list, all []frameRef) bool {
	return !slices.ContainsFunc(list, func(f frameRef) bool { return !slices.Contains(all, f) })
}

// secretSpans returns the texts that contain a part of a secret. It also finds a secret that
// spans several texts.
func (r *redaction) secretSpans(w documentTexts) []secretSpan {
	list := []secretSpan{}
	i, begin := 0, 0 // the text, and its offset in the concatenation
	for _, span := range r.secrets.Find(strings.Join(w.Texts, "")) {
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

// utf16Len returns the length of a text in UTF-16 units.
func utf16Len(s string) (n int) {
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// blackOut paints boxes of a picture black. The picture shows width CSS pixels from its left
// edge.
func blackOut(picture []byte, boxes [][4]float64, corner image.Point, width float64) ([]byte, error) {
	if len(boxes) == 0 {
		return picture, nil
	}
	decoded, format, err := image.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("redacting secrets: %w", err)
	}
	img := image.NewRGBA(decoded.Bounds())
	draw.Draw(img, img.Bounds(), decoded, image.Point{}, draw.Src)
	scale := float64(img.Bounds().Dx()) / math.Max(width, 1)
	for _, b := range boxes {
		pixel := func(at, corner, margin float64, round func(float64) float64) int {
			return int(round((at - corner + margin) * scale))
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
		return nil, fmt.Errorf("redacting secrets: %w", err)
	}
	return out.Bytes(), nil
}

// RedactFrame returns a frame of the pane that may be stored: the frame itself if there are no
// secrets, otherwise a redacted picture of the current page. It does not wait for the agent's
// turn.
func (pi *Pictures) RedactFrame(ctx context.Context, f *pane.Frame) ([]byte, error) {
	if s := pi.state.m.cfg.Secrets; s == nil || !s.HasSecrets() {
		return f.JPEG, nil
	}
	pg, err := pi.state.currentPage()
	if err != nil {
		return nil, err
	}
	ctx, cancel := pi.prompts.withoutPrompts(ctx)
	defer cancel(nil)
	release, err := pi.holdMetrics(ctx, pg)
	if err != nil {
		return nil, err
	}
	defer release()
	return pi.captureRedacted(ctx, pg, newScreenshot(70))
}
