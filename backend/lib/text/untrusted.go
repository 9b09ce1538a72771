package text

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
)

// The lines around text that WrapUntrusted wraps.
const (
	openingMark = "<output from="
	closingMark = "</output>"
)

// closingTag matches everything that a model could mistake for the closing mark.
var closingTag = NewPattern(`(?i)<(\s*/\s*output)`)

// WrapUntrusted wraps text from a terminal, a page, a file or another program, so that the model treats it as data.
// source names its origin. The text cannot forge the closing mark.
func WrapUntrusted(source, text string) string {
	text, source = closingTag.ReplaceAllString(text, "<\u200b$1"), closingTag.ReplaceAllString(source, "<\u200b$1")
	return fmt.Sprintf("%s%q>\n%s\n%s", openingMark, source, strings.TrimRight(text, "\n"), closingMark)
}

// WrapUntrustedRandomly wraps text like WrapUntrusted, for a model whose answer decides a check. It leaves the text as
// it is: the marks around it have 128 random bits, so that nobody can write the closing mark into the text.
func WrapUntrustedRandomly(name, text string) string {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails: without random numbers it ends the program
	mark := hex.EncodeToString(random)
	return fmt.Sprintf("<<<data %s %s\n%s\n%s data>>>\n", mark, name, text, mark)
}
