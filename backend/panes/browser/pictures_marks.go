package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"

	"github.com/go-rod/rod/lib/proto"
)

// mark is the box of an element in the viewport with its ref.
type mark struct {
	Ref                 string
	X, Y, Width, Height float64
}

// screenshotMarked returns a JPEG of the viewport in which each usable element has a frame with its
// ref, as in a snapshot. The frames are drawn into the picture, not into the page.
func (pi *Pictures) screenshotMarked(ctx context.Context) ([]byte, error) {
	var marks []mark
	plain, err := pi.capture(ctx, func(ctx context.Context, pg *page, _ *proto.PageCaptureScreenshot) error {
		return pg.callScript(ctx, &marks, "listMarks")
	})
	if err != nil {
		return nil, err
	}
	decoded, err := jpeg.Decode(bytes.NewReader(plain))
	if err != nil {
		return nil, fmt.Errorf("marking the picture: %w", err)
	}
	img := image.NewRGBA(decoded.Bounds())
	draw.Draw(img, img.Bounds(), decoded, image.Point{}, draw.Src)
	for _, m := range marks {
		m.draw(img)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 85}); err != nil {
		return nil, fmt.Errorf("marking the picture: %w", err)
	}
	return out.Bytes(), nil
}

var markColour = color.RGBA{R: 200, B: 120, A: 255}

func (m mark) draw(img *image.RGBA) {
	r := image.Rect(int(m.X), int(m.Y), int(m.X+m.Width), int(m.Y+m.Height))
	fill := func(r image.Rectangle, c color.Color) {
		draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	for _, edge := range []image.Rectangle{
		{r.Min, image.Pt(r.Max.X, r.Min.Y+2)},
		{image.Pt(r.Min.X, r.Max.Y-2), r.Max},
		{r.Min, image.Pt(r.Min.X+2, r.Max.Y)},
		{image.Pt(r.Max.X-2, r.Min.Y), r.Max},
	} {
		fill(edge, markColour)
	}
	const scale, wide, tall = 2, 4, 7 // of a letter with its spacing
	label := image.Rect(0, 0, len(m.Ref)*wide*scale+scale, tall*scale).Add(r.Min)
	if above := label.Sub(image.Pt(0, label.Dy())); above.Min.Y >= 0 {
		label = above
	}
	fill(label, markColour)
	for i, letter := range m.Ref {
		for y, row := range glyphs[letter] {
			for x := range 3 {
				if row>>(2-x)&1 == 1 {
					at := label.Min.Add(image.Pt(scale+(i*wide+x)*scale, scale+y*scale))
					fill(image.Rectangle{at, at.Add(image.Pt(scale, scale))}, color.White)
				}
			}
		}
	}
}

// glyphs are the bitmaps of the characters of refs, three bits a row.
var glyphs = map[rune][5]uint8{
	'0': {7, 5, 5, 5, 7}, '1': {2, 6, 2, 2, 7}, '2': {7, 1, 7, 4, 7}, '3': {7, 1, 7, 1, 7}, '4': {5, 5, 7, 1, 1},
	'5': {7, 4, 7, 1, 7}, '6': {7, 4, 7, 5, 7}, '7': {7, 1, 2, 2, 2}, '8': {7, 5, 7, 5, 7}, '9': {7, 5, 7, 1, 7},
	'e': {7, 4, 7, 4, 7}, 'f': {7, 4, 7, 4, 4},
}
