package goal

import (
	"fmt"
	"regexp"
	"strings"
)

// closingTag matches everything that a model could mistake for the end of what WrapUntrusted wraps.
var closingTag = regexp.MustCompile(`(?i)<(\s*/\s*output)`)

// WrapUntrusted wraps text from a terminal, a page, a file or another program, so that the model treats it as data.
// source names its origin. The closing mark cannot be forged by the text.
func WrapUntrusted(source, text string) string {
	text, source = closingTag.ReplaceAllString(text, "<\u200b$1"), closingTag.ReplaceAllString(source, "<\u200b$1")
	return fmt.Sprintf("<output from=%q>\n%s\n</output>", source, strings.TrimRight(text, "\n"))
}
