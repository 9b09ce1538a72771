package session

import (
	"strings"

	"goalpost/backend/lib/text"
	"goalpost/backend/storage/secret"
)

// untrustedBlock matches text from outside as tools wrap it. A secret in it may have been cut without a mark.
var untrustedBlock = text.NewPattern(`(?s)<output from="[^\n]*">\n(.*?)\n</output>`)

// Redact hides known secrets in a result, and text that looks like a secret by its context.
func (g *goalSecrets) Redact(text string) string {
	text = g.mask.Truncated(text)
	text = untrustedBlock.ReplaceAllStringFunc(text, func(m string) string {
		begin := strings.IndexByte(m, '\n') + 1
		end := len(m) - len("\n</output>")
		return m[:begin] + g.mask.Partial(m[begin:end]) + m[end:]
	})
	return secret.MaskLikely(text)
}
