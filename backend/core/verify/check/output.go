package check

import (
	"strings"

	"goalpost/backend/domain/process"
	"goalpost/backend/lib/text"
)

// Limits of the output in a verdict, in bytes.
const (
	maxOutputBytes  = 4 << 10
	maxFailingBytes = maxOutputBytes / 2 // of lines that say what failed, in longer output
)

// failingLine matches lines that say what failed, as compilers, test runners and shells print them.
var failingLine = text.NewPattern(
	`(?i)\b(error|failed|failure|failures|fail|fatal|panic|exception|traceback|assert(ion)?|not ok|undefined|` +
		`cannot|no such|not found|expected|got|want)\b|^\s*(E   |[✗✕×] |--- FAIL)`)

// OutputTail returns what a program wrote, stderr first. Long output is reduced to the lines that say what failed,
// and the end.
func OutputTail(o process.Output) string {
	var parts []string
	for _, stream := range [][]byte{o.Stderr, o.Stdout} {
		if text := strings.TrimSpace(text.Render(stream)); text != "" {
			parts = append(parts, text)
		}
	}
	output := strings.Join(parts, "\n")
	if len(output) <= maxOutputBytes {
		return output
	}
	const ellipsis = "\n…\n"
	end := output[len(output)-(maxOutputBytes-maxFailingBytes-len(ellipsis)):]
	if _, rest, ok := strings.Cut(end, "\n"); ok && rest != "" { // whole lines
		end = rest
	}
	failing := failingLines(output[:len(output)-len(end)])
	if failing == "" {
		return "…" + strings.ToValidUTF8(output[len(output)-(maxOutputBytes-len(ellipsis)):], "")
	}
	return failing + strings.ToValidUTF8(ellipsis+end, "")
}

// failingLines returns the first lines of a text that say what failed, up to maxFailingBytes bytes.
func failingLines(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, " \t\r\n")
		if !failingLine.MatchString(line) {
			continue
		}
		const maxLine = 400
		line = text.TruncateBytes(line, maxLine)
		if b.Len()+len(line)+1 > maxFailingBytes {
			break
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String()
}
