package session

import (
	"strings"

	"goalpost/backend/storage/secret"
)

// Redact hides known secrets in a result, and text that looks like a secret by its context.
func (g *goalSecrets) Redact(text string) string {
	return secret.MaskLikely(replaceUntrusted(g.mask.Truncated(text), g.mask.Partial))
}

// replaceUntrusted replaces the content of the blocks in which tools wrap text from outside. A secret in it may have
// been cut without a mark.
func replaceUntrusted(s string, replace func(string) string) string {
	const begin, beginEnd, end = `<output from="`, "\">\n", "\n</output>"
	var b strings.Builder
	for {
		at := strings.Index(s, begin)
		if at < 0 {
			break
		}
		line := strings.IndexByte(s[at:], '\n')
		content := at + line + 1
		if line < 0 {
			break
		}
		if !strings.HasSuffix(s[at+len(begin):content], beginEnd) {
			b.WriteString(s[:at+len(begin)])
			s = s[at+len(begin):]
			continue
		}
		size := strings.Index(s[content:], end)
		if size < 0 {
			break
		}
		b.WriteString(s[:content] + replace(s[content:content+size]) + end)
		s = s[content+size+len(end):]
	}
	return b.String() + s
}
