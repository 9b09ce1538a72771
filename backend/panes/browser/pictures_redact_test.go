package browser

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/draw"
	"regexp"
	"testing"
	"time"

	"goalpost/backend/lib/waittest"
)

// hills is Secrets with one secret, which also matches with invisible characters inside or cut short.
type hills struct{ ignorant bool }

var hill = regexp.MustCompile(`over[\s\x{ad}\x{200b}]*-the-[\s\x{ad}\x{200b}]*hills|over-the-…`)

func (h hills) HasSecrets() bool { return !h.ignorant }

func (hills) Find(text string) (places [][2]int) {
	for _, at := range hill.FindAllStringIndex(text, -1) {
		places = append(places, [2]int{at[0], at[1]})
	}
	return places
}

func secretive(c *Config) { c.Secrets = hills{} }

// reds counts the pixels of a picture that are more red than anything else, which only secrets
// are. The frames of marks have a red that is almost half blue.
func (fi *fixture) reds(picture []byte) (n int) {
	fi.Helper()
	decoded, _, err := image.Decode(bytes.NewReader(picture))
	fi.ok(err)
	img := image.NewRGBA(decoded.Bounds())
	draw.Draw(img, img.Bounds(), decoded, image.Point{}, draw.Src)
	for at := 0; at < len(img.Pix); at += 4 {
		if red, green, blue := int(img.Pix[at]), int(img.Pix[at+1]), int(img.Pix[at+2]); red > green+64 && red > blue+64 &&
			blue < green+32 {
			n++
		}
	}
	return n
}

var secretPlaces = []string{
	"plain", "pieces", "wrapped", "shy", "cut", "field", "hint", "area", "choice", "button", "made", "turned", "alt",
	"open", "closed", "aside", "slotted", "paragraph", "nested", "flat", "later", "deep", "drawing", "frame", "inside",
	"elsewhere",
}

// TestPicture_PageShowsSecret_IsRedacted: no picture shows a secret, wherever the page shows it, but pictures do show
// what is beside the secret.
func TestPicture_PageShowsSecret_IsRedacted(t *testing.T) {
	b := newFixture(t, secretive)
	p := b.open("b1", "secret.html?only=plain")
	for _, place := range secretPlaces {
		t.Run(place, func(t *testing.T) {
			b := &fixture{TB: t, Manager: b.Manager, site: b.site, ctx: testContext(t)} // each place has its own time limit
			if place == "frame" || place == "inside" || place == "elsewhere" {          // a frame that is moved reloads
				b.ok(p.Navigation.Navigate(b.ctx, b.url("secret.html?only="+place)))
			} else {
				b.eval(p, "show('"+place+"'), 1")
			}
			b.ok(b.within(p, place))
			if place == "later" {
				_, err := p.Pictures.Screenshot(b.ctx, false)
				b.ok(err)
				b.eval(p, "later(), 1")
			}
			b.cfg.Secrets = hills{ignorant: true}
			plain, err := p.Pictures.Screenshot(b.ctx, false)
			b.ok(err)
			b.cfg.Secrets = hills{}
			covered, err := p.Pictures.Screenshot(b.ctx, false)
			b.ok(err)
			if n := b.reds(plain); n < 20 {
				t.Errorf("without the cover there are %d red points: nothing was tried", n)
			}
			if n := b.reds(covered); n > 0 {
				t.Errorf("%d points of the secret are to be seen", n)
			}
		})
	}
}

// within waits until the frame of a place, if it has one, shows its text.
func (fi *fixture) within(p *Pane, place string) error {
	if place != "frame" && place != "elsewhere" {
		return nil
	}
	_, err := p.Actions.Wait(fi.ctx, Condition{Text: "over-the-hills"}, patience)
	return err
}

// TestPicture_EveryKind_IsRedacted takes pictures of a scrolled page, of the whole page, of an element, with marks,
// for the recording, and with ScreenshotURL.
func TestPicture_EveryKind_IsRedacted(t *testing.T) {
	b := newFixture(t, secretive)
	p := b.open("b1", "secret.html")
	b.ok(b.within(p, "elsewhere"))
	b.eval(p, `document.body.style.paddingBottom = '3000px';
		document.body.insertAdjacentHTML('beforeend',
			'<p id=low style="margin-top:900px">low: <span class=s>over-the-hills</span></p>');
		scrollTo(0, 120)`)
	v := p.Attach()
	defer v.Close()
	frame := b.frame(v)
	if b.reds(frame.JPEG) == 0 {
		t.Error("the user's own pane does not show the page as it is")
	}
	for _, kind := range []struct {
		name string
		take func(context.Context) ([]byte, error)
	}{
		{"marked", p.Pictures.screenshotMarked}, // while fields are in view
		{"viewport", func(ctx context.Context) ([]byte, error) { return p.Pictures.Screenshot(ctx, false) }},
		{"whole", func(ctx context.Context) ([]byte, error) { return p.Pictures.Screenshot(ctx, true) }},
		{"element", func(ctx context.Context) ([]byte, error) { return p.Pictures.screenshotOf(ctx, "css=#low") }},
		{"viewport after it", func(ctx context.Context) ([]byte, error) { return p.Pictures.Screenshot(ctx, false) }},
		{"recorded", func(ctx context.Context) ([]byte, error) { return p.Pictures.RedactFrame(ctx, frame) }},
		{"opened", func(ctx context.Context) ([]byte, error) {
			picture, err := b.ScreenshotURL(ctx, ScreenshotOptions{URL: b.url("secret.html?only=plain")})
			return picture.Image, err
		}},
	} {
		picture, err := kind.take(b.ctx)
		b.ok(err)
		most := 0
		if kind.name == "marked" {
			most = 10 // pixels where frames and labels meet; even the shortest secret has hundreds
		}
		if n := b.reds(picture); n > most {
			t.Errorf("%s: %d points of a secret are to be seen", kind.name, n)
		}
	}
	b.cfg.Secrets = hills{ignorant: true}
	if kept, err := p.Pictures.RedactFrame(b.ctx, frame); err != nil || !bytes.Equal(kept, frame.JPEG) {
		t.Errorf("without a secret a frame is kept as it is: %v", err)
	}
}

// TestPicture_SecretMoves_IsRedacted: the secret moves with every frame, with timers or by an animation without a
// script. In other cases it is written again while it moves, or appears and disappears, also in closed shadow roots.
func TestPicture_SecretMoves_IsRedacted(t *testing.T) {
	b := newFixture(t, secretive)
	p := b.open("b1", "one.html")
	for _, how := range []string{"frames", "timers", "animation", "rewritten", "moved", "flicker", "replaced", "hosts"} {
		t.Run(how, func(t *testing.T) {
			b := &fixture{TB: t, Manager: b.Manager, site: b.site, ctx: testContext(t)} // each case has its own time limit
			b.ok(p.Navigation.Navigate(b.ctx, b.url("secretmoves.html?how="+how)))
			for i := range *pictures {
				picture, err := p.Pictures.Screenshot(b.ctx, i == 0)
				if errors.Is(err, errTextUnknown) && (how == "replaced" || how == "hosts") {
					continue // no picture if redaction is uncertain
				}
				b.ok(err)
				if n := b.reds(picture); n > 0 {
					t.Errorf("picture %d: %d points of the secret are to be seen", i, n)
				}
			}
		})
	}
}

// TestPicture_UnreadableContent_IsRedactedOrRefused: a frame that does not answer is painted over as a whole. If the
// page itself does not answer, there is no picture.
func TestPicture_UnreadableContent_IsRedactedOrRefused(t *testing.T) {
	b := newFixture(t, func(c *Config) { secretive(c); impatient(c) })
	p := b.open("b1", "secret.html?only=elsewhere")
	b.ok(b.within(p, "elsewhere"))
	part := b.parts1(p)
	_, err := evaluate(b.ctx, part, 0, hangSoon)
	b.ok(err)
	b.limits.remoteFrame = time.Second / 2 // for what is never going to answer
	picture, err := p.Pictures.Screenshot(b.ctx, false)
	b.ok(err)
	if n := b.reds(picture); n > 0 {
		t.Errorf("%d points of a frame that hangs are to be seen", n)
	}
	b.limits.call = time.Second / 2
	b.eval(p, hangSoon)
	if picture, err := p.Pictures.Screenshot(b.ctx, false); err == nil {
		t.Errorf("%d bytes of a page that hangs", len(picture))
	}
	b.limits.call = testLimits(waittest.Slowness()).call // closing the page takes longer
}

// parts1 is the page's only frame of another site.
func (fi *fixture) parts1(p *Pane) *page {
	fi.Helper()
	pg, err := p.State.currentPage()
	fi.ok(err)
	views := p.frames.inOrder(pg)
	if len(views) != 2 {
		fi.Fatalf("the page has %d frames of other sites", len(views)-1)
	}
	return views[1]
}
