package main

import (
	"strings"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
)

// minWordGap is the least distance between two words, in thousandths of the size of the font: a blank has about 250,
// and letters are moved by less than 100 to look better.
const minWordGap = 180

// usualWidth is the width of a letter whose font does not name it, in thousandths of the size.
const usualWidth = 500

// pdfWriter collects the text of a page. Where a page moves the place of the next text instead of writing a blank or a
// line end, it writes one.
type pdfWriter struct {
	page     pdf.Page
	fonts    map[string]pdfFont
	font     pdfFont
	size     float64
	text     strings.Builder
	last     byte    // of the text
	x, y     float64 // where the line begins, as Tm sets it
	scale    float64 // of Tm
	advanced float64 // from where the line begins to the end of the text, in units of the size
}

type pdfFont struct {
	pdf.Font
	encoding pdf.TextEncoding
	// Of a font whose codes have two bytes.
	isWide     bool
	widths     map[int]float64
	otherWidth float64
}

// maxWidths limits the codes of a font whose widths are read.
const maxWidths = 1 << 16

// readWidths reads the widths of a font whose codes have two bytes.
func (f *pdfFont) readWidths() {
	if f.V.Key("Subtype").Name() != "Type0" {
		return
	}
	descendant := f.V.Key("DescendantFonts").Index(0)
	f.isWide, f.widths, f.otherWidth = true, map[int]float64{}, 1000
	if w := descendant.Key("DW"); w.Kind() != pdf.Null {
		f.otherWidth = w.Float64()
	}
	list := descendant.Key("W") // "first [width...]" or "first last width", repeated
	for i := 0; i+1 < list.Len(); {
		first, next := int(list.Index(i).Int64()), list.Index(i+1)
		if next.Kind() == pdf.Array {
			for n := range next.Len() {
				f.widths[first+n] = next.Index(n).Float64()
			}
			i += 2
			continue
		}
		width := list.Index(i + 2).Float64()
		for code := first; code <= int(next.Int64()) && len(f.widths) < maxWidths; code++ {
			f.widths[code] = width
		}
		i += 3
	}
}

// widthOf returns the width of a string, in thousandths of the size; 0 if it is unknown.
func (f *pdfFont) widthOf(raw string) (width float64) {
	for i := 0; i < len(raw); i++ {
		if !f.isWide {
			width += f.Width(int(raw[i]))
			continue
		}
		if i++; i == len(raw) {
			break
		}
		w, isKnown := f.widths[int(raw[i-1])<<8|int(raw[i])]
		if !isKnown {
			w = f.otherWidth
		}
		width += w
	}
	return width
}

// readPDFText returns the text of a page.
func readPDFText(page pdf.Page) string {
	w := &pdfWriter{page: page, fonts: map[string]pdfFont{}, scale: 1}
	if contents := page.V.Key("Contents"); contents.Kind() != pdf.Null {
		pdf.Interpret(contents, func(stack *pdf.Stack, operator string) {
			args := make([]pdf.Value, stack.Len())
			for i := range args {
				args[len(args)-1-i] = stack.Pop()
			}
			w.apply(operator, args)
		})
	}
	return w.text.String()
}

// apply performs an operator of text. Others, and those with too few arguments, do nothing.
func (w *pdfWriter) apply(operator string, args []pdf.Value) {
	needed := map[string]int{"Tf": 2, "Tj": 1, "TJ": 1, "'": 1, "\"": 3, "Td": 2, "TD": 2, "Tm": 6}[operator]
	if len(args) < needed {
		return
	}
	switch operator {
	case "Tf":
		w.setFont(args[0].Name(), args[1].Float64())
	case "BT":
		w.x, w.y, w.scale, w.advanced = 0, 0, 1, 0
		w.separate('\n')
	case "T*":
		w.move(0, -1)
	case "Td", "TD":
		w.move(args[0].Float64(), args[1].Float64())
	case "Tm":
		x, y := args[4].Float64(), args[5].Float64()
		w.move((x-w.x)/w.scale, y-w.y)
		w.x, w.y, w.scale = x, y, args[0].Float64()
		if w.scale == 0 { // rotated
			w.scale = 1
		}
	case "'", "\"":
		w.move(0, -1)
		w.show(args[needed-1])
	case "Tj", "TJ":
		w.show(args[0])
	}
}

func (w *pdfWriter) setFont(name string, size float64) {
	font, isKnown := w.fonts[name]
	if !isKnown {
		font.Font = w.page.Font(name)
		font.encoding = font.Encoder()
		font.readWidths()
		w.fonts[name] = font
	}
	w.font, w.size = font, size
}

// move begins a line at a distance from where the last one begins. At the same height, it continues the text.
func (w *pdfWriter) move(right, up float64) {
	gap := right - w.advanced
	switch {
	case up != 0:
		w.separate('\n')
	case gap*1000 >= minWordGap*w.size || gap < -w.size:
		w.separate(' ')
	}
	w.advanced = 0
	w.x += right * w.scale
}

// show writes a string, or the strings of an array with distances between them.
func (w *pdfWriter) show(v pdf.Value) {
	switch v.Kind() {
	case pdf.String:
		w.write(v.RawString())
	case pdf.Array:
		for i := range v.Len() {
			w.show(v.Index(i))
		}
	case pdf.Integer, pdf.Real:
		if v.Float64() <= -minWordGap {
			w.separate(' ')
		}
		w.advanced -= v.Float64() / 1000 * w.size
	default: // not text
	}
}

func (w *pdfWriter) write(raw string) {
	text := raw
	if w.font.encoding != nil {
		text = w.font.encoding.Decode(raw)
	}
	width := w.font.widthOf(raw)
	if width == 0 {
		width = usualWidth * float64(utf8.RuneCountInString(text))
	}
	w.advanced += width / 1000 * w.size
	if text != "" {
		w.text.WriteString(strings.ToValidUTF8(text, "\ufffd"))
		w.last = text[len(text)-1]
	}
}

// separate writes a blank or a line end, unless there is one.
func (w *pdfWriter) separate(by byte) {
	if w.text.Len() == 0 || w.last == '\n' || w.last == ' ' && by == ' ' {
		return
	}
	w.text.WriteByte(by)
	w.last = by
}
