// Package textfile reads text files as lines that end in LF, and writes them back in their own encoding and with their
// own line ends.
package textfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// File is the content of a text file. It is never modified.
type File struct {
	Text string // without a byte order mark, and with LF instead of CRLF

	raw    string // with the line ends of the file
	format format
}

// format is an encoding with its byte order mark.
type format struct {
	name     string // "" is UTF-8
	mark     string
	encoding encoding.Encoding // nil is UTF-8
}

// formats are recognized by their marks. Without a mark, a text is UTF-8 or Windows-1252, which contains Latin-1.
var (
	formats = []format{
		{"UTF-8 with a byte order mark", "\xef\xbb\xbf", nil},
		{"UTF-16LE", "\xff\xfe", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		{"UTF-16BE", "\xfe\xff", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
	}
	windows = format{"Windows-1252", "", charmap.Windows1252}
)

// ErrBinary means that a file has no text, or text in an unknown encoding.
var ErrBinary = errors.New("it is binary")

// Parse reads a text file.
func Parse(b []byte) (File, error) {
	f := formatOf(b)
	content := strings.TrimPrefix(string(b), f.mark)
	if f.encoding != nil {
		decoded, err := f.encoding.NewDecoder().String(content)
		if err != nil {
			return File{}, ErrBinary
		}
		back, err := f.encode(decoded)
		if err != nil || !bytes.Equal(back, b) { // writing it would change more than an edit does
			return File{}, ErrBinary
		}
		content = decoded
	}
	if !utf8.ValidString(content) || isBinary(content, f.name == windows.name) {
		return File{}, ErrBinary
	}
	return File{Text: strings.ReplaceAll(content, "\r\n", "\n"), raw: content, format: f}, nil
}

func formatOf(b []byte) format {
	for _, f := range formats {
		if bytes.HasPrefix(b, []byte(f.mark)) {
			return f
		}
	}
	if utf8.Valid(b) {
		return format{}
	}
	return windows
}

// isBinary reports whether a text has characters that text files do not have. Every sequence of bytes is Windows-1252,
// so a guess must not have control characters at all.
func isBinary(content string, isGuess bool) bool {
	const maxSearched = 8000
	if !isGuess {
		return strings.IndexByte(content[:min(len(content), maxSearched)], 0) >= 0
	}
	return strings.ContainsFunc(content, func(r rune) bool {
		return r < ' ' && !strings.ContainsRune("\t\n\r\f\x1b", r) || r >= 0x7f && r < 0xa0
	})
}

// Describe names what is special about the file's bytes; "" for UTF-8 with LF.
func (f File) Describe() string {
	parts := []string{}
	if f.format.name != "" {
		parts = append(parts, f.format.name)
	}
	switch lines, crlf := strings.Count(f.raw, "\n"), strings.Count(f.raw, "\r\n"); {
	case crlf > 0 && crlf == lines:
		parts = append(parts, "CRLF line ends")
	case crlf > 0:
		parts = append(parts, fmt.Sprintf("mixed line ends: %d of %d are CRLF", crlf, lines))
	}
	return strings.Join(parts, ", ")
}

// Replace returns the bytes of the file with Text[start:end] replaced. Each new line ends as the line that it replaces,
// or as its neighbour.
func (f File) Replace(start, end int, replacement string) ([]byte, error) {
	from, to := f.rawIndex(start), f.rawIndex(end)
	ends := lineEnds(f.raw[from:to])
	if len(ends) == 0 {
		ends = append(lineEnds(f.raw[to:]), lineEnds(f.raw[:from])...)
		ends = ends[:min(1, len(ends))]
	}
	return f.format.encode(f.raw[:from] + withLineEnds(replacement, ends) + f.raw[to:])
}

// Encode returns the bytes of a new content of the file. If most of its lines end in CRLF and those of the content do
// not, they do afterwards.
func (f File) Encode(content string) ([]byte, error) {
	if !strings.Contains(content, "\r\n") && 2*strings.Count(f.raw, "\r\n") > strings.Count(f.raw, "\n") {
		content = withLineEnds(content, []string{"\r\n"})
	}
	return f.format.encode(strings.TrimPrefix(content, "\ufeff"))
}

// rawIndex returns the index in raw of an index in Text.
func (f File) rawIndex(at int) int {
	if len(f.raw) == len(f.Text) {
		return at
	}
	i := 0
	for ; at > 0; at-- {
		if strings.HasPrefix(f.raw[i:], "\r\n") {
			i++
		}
		i++
	}
	return i
}

// lineEnds returns the line ends of a text, LF or CRLF.
func lineEnds(s string) []string {
	var ends []string
	for line := range strings.Lines(s) {
		switch {
		case strings.HasSuffix(line, "\r\n"):
			ends = append(ends, "\r\n")
		case strings.HasSuffix(line, "\n"):
			ends = append(ends, "\n")
		}
	}
	return ends
}

// withLineEnds gives the lines of a text these ends, and the last of them to all further lines.
func withLineEnds(s string, ends []string) string {
	if len(ends) == 0 {
		return s
	}
	var b strings.Builder
	n := 0
	for line := range strings.Lines(s) {
		content, isWhole := strings.CutSuffix(line, "\n")
		b.WriteString(content)
		if isWhole {
			b.WriteString(ends[min(n, len(ends)-1)])
			n++
		}
	}
	return b.String()
}

func (f format) encode(content string) ([]byte, error) {
	if f.encoding == nil {
		return []byte(f.mark + content), nil
	}
	encoded, err := f.encoding.NewEncoder().String(content)
	if err != nil {
		return nil, fmt.Errorf("the file is %s, which has no code for some of the new characters: convert the file first "+
			"(iconv), or use other characters", f.name)
	}
	return []byte(f.mark + encoded), nil
}
