package goal

import (
	"fmt"
	"regexp"
	"strings"
)

// closingTag is everything that a model could take for the end of what Outside wraps.
var closingTag = regexp.MustCompile(`(?i)<(\s*/\s*output)`)

// WrapUntrusted wraps text that comes from a terminal, a page, a file or another
// program, so that the model takes it as data. source says where from; the
// closing mark cannot be forged from within.
func WrapUntrusted(source, text string) string {
	text, source = closingTag.ReplaceAllString(text, "<\u200b$1"), closingTag.ReplaceAllString(source, "<\u200b$1")
	return fmt.Sprintf("<output from=%q>\n%s\n</output>", source, strings.TrimRight(text, "\n"))
}
