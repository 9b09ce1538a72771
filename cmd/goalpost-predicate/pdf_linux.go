package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/ledongthuc/pdf"
)

// maxPDFText limits the text of a file, in bytes: what the host keeps of the output of a program, with room to spare.
const maxPDFText = 768 << 10

// latinLigatures are glyphs of two or three letters. As text, they would keep words from being found.
var latinLigatures = strings.NewReplacer(
	"\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st")

// writePDFText writes the text of a PDF, page by page, with a line before each page. A page is written as soon as it is
// read, so that the host has the pages before the one that exceeds a limit.
func writePDFText(from io.Reader, to io.Writer) (err error) {
	file, err := io.ReadAll(from)
	if err != nil {
		return fmt.Errorf("reading the file: %w", err)
	}
	defer func() {
		if r := recover(); r != nil { // the parser reports some errors by panicking
			err = fmt.Errorf("the file is damaged: %v", r)
		}
	}()
	// What is new in PDF 2.0 does not concern text, and the parser refuses that number.
	if rest, isNew := bytes.CutPrefix(file, []byte("%PDF-2.")); isNew && len(rest) > 0 {
		copy(file, "%PDF-1.7")
	}
	document, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return fmt.Errorf("the file cannot be read: %w", err)
	}
	out, total := bufio.NewWriter(to), document.NumPage()
	for n, written := 1, 0; n <= total; n++ {
		page := fmt.Sprintf("--- page %d of %d ---\n%s\n", n, total, pdfPage(document, n))
		if written += len(page); written > maxPDFText {
			page = fmt.Sprintf("(The text ends before page %d of %d: it is longer than %d KiB.)\n", n, total, maxPDFText>>10)
			n = total
		}
		if _, err = out.WriteString(page); err == nil {
			err = out.Flush()
		}
		if err != nil {
			return fmt.Errorf("writing the text: %w", err)
		}
	}
	return nil
}

// pdfPage returns the text of one page.
func pdfPage(document *pdf.Reader, n int) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("(This page is damaged: %v)\n", r)
		}
	}()
	text = strings.TrimSpace(latinLigatures.Replace(readPDFText(document.Page(n))))
	if text == "" {
		text = "(This page has no text. It may be a picture.)"
	}
	return text + "\n"
}
