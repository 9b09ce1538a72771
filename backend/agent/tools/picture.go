package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"math"
	"strconv"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
)

// VisionModel looks at pictures for the agent. Its errors say why the model cannot be asked.
type VisionModel interface {
	// Ask answers a question about a picture, or about a text if picture is nil.
	Ask(ctx context.Context, system, question string, picture []byte) (goal.Reply, error)
	// Decide decides whether a picture shows what the question asks for, exactly like the check type "visual".
	Decide(ctx context.Context, question string, s Picture) (VisionVerdict, error)
}

// Picture is a picture of a page.
type Picture struct {
	PNG        []byte
	URL, Title string
}

// VisionVerdict is PASS, FAIL or UNCLEAR, with the reason.
type VisionVerdict struct {
	Word, Why string
	Usage     goal.Usage
}

var errNoVisionModel = errors.New(
	"no vision model is configured for this goal; read the pane instead (browser_snapshot, terminal_read)")

// takePicture takes a picture of a browser pane.
func (d Deps) takePicture(ctx context.Context, id string, of pane.ScreenshotOptions) (Picture, error) {
	p, err := d.Browsers.Get(id)
	if err != nil {
		return Picture{}, err
	}
	img, err := p.Pictures.Capture(ctx, of)
	if err != nil {
		return Picture{}, fmt.Errorf("pane %s: %w", id, err)
	}
	i := p.State.Info()
	return Picture{PNG: img, URL: i.URL, Title: i.Title}, nil
}

// showPicture adds a picture of the viewport to the result of an action, if the goal wants one. A page that waits for
// an answer cannot be drawn.
func (d Deps) showPicture(ctx context.Context, p Browser, r *goal.Result) {
	if _, blocked := p.Prompts.OpenPrompt(); blocked || !d.Pictures {
		return
	}
	img, err := p.Pictures.Capture(ctx, pane.ScreenshotOptions{})
	factor := 1.0
	if err == nil {
		img, factor, err = scalePicture(img)
	}
	switch {
	case err != nil:
		r.Text += "\nNo picture of it could be taken: " + text.SanitizeLine(err.Error(), maxPictureError)
		return
	case factor != 1:
		r.Text += fmt.Sprintf("\nThe picture has %.3f of the page's size: divide its positions by that.", factor)
	}
	r.Image, r.Shown = img, true
}

const maxPictureError = 200 // characters

// maxPictureSide is the maximum length of a picture's side, in pixels, up to which models do not scale the picture
// down themselves. If they did, the factor for their coordinates would be unknown.
const maxPictureSide = 1568

// scalePicture scales a picture down to fit, and returns the factor; 1 means unchanged.
func scalePicture(picture []byte) (out []byte, factor float64, err error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return nil, 0, fmt.Errorf("the picture: %w", err)
	}
	longest := max(c.Width, c.Height)
	if longest <= maxPictureSide {
		return picture, 1, nil
	}
	original, _, err := image.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, 0, fmt.Errorf("the picture: %w", err)
	}
	factor = float64(maxPictureSide) / float64(longest)
	var b bytes.Buffer
	if err := png.Encode(&b, downsampleImage(original, factor)); err != nil {
		return nil, 0, fmt.Errorf("the picture: %w", err)
	}
	return b.Bytes(), factor, nil
}

// downsampleImage scales a picture down. Each new pixel is the average of the pixels that it replaces.
func downsampleImage(from image.Image, factor float64) *image.RGBA {
	at := from.Bounds()
	wide, tall := max(1, int(math.Round(float64(at.Dx())*factor))), max(1, int(math.Round(float64(at.Dy())*factor)))
	to := image.NewRGBA(image.Rect(0, 0, wide, tall))
	for y := range tall {
		top, bottom := at.Min.Y+y*at.Dy()/tall, at.Min.Y+max(y*at.Dy()/tall+1, (y+1)*at.Dy()/tall)
		for x := range wide {
			left, right := at.Min.X+x*at.Dx()/wide, at.Min.X+max(x*at.Dx()/wide+1, (x+1)*at.Dx()/wide)
			to.Set(x, y, meanColor(from, image.Rect(left, top, right, bottom)))
		}
	}
	return to
}

func meanColor(from image.Image, area image.Rectangle) color.Color {
	var r, g, b, n uint32
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			pr, pg, pb, _ := from.At(x, y).RGBA()
			r, g, b, n = r+pr>>8, g+pg>>8, b+pb>>8, n+1
		}
	}
	return color.RGBA{uint8(r / n), uint8(g / n), uint8(b / n), 0xff} //nolint:gosec // the mean of bytes is a byte
}

// coordinatePattern matches a position, in the picture that the model was given.
var coordinatePattern = text.NewPattern(`\[\[\s*(\d{1,5})(?:\.\d+)?\s*,\s*(\d{1,5})(?:\.\d+)?\s*\]\]`)

// mapCoordinates converts positions in the scaled picture to positions in the page.
func mapCoordinates(text string, factor float64) string {
	return coordinatePattern.ReplaceAllStringFunc(text, func(s string) string {
		m := coordinatePattern.FindStringSubmatch(s)
		x, _ := strconv.Atoi(m[1]) // the pattern allows only digits
		y, _ := strconv.Atoi(m[2])
		return fmt.Sprintf("(x=%d, y=%d)", int(math.Round(float64(x)/factor)), int(math.Round(float64(y)/factor)))
	})
}
