package check

import (
	"regexp"
	"strings"

	"goalpost/backend/process"
)

// Bounds of the output in a verdict, in bytes.
const (
	outputMax  = 4 << 10
	failingMax = outputMax / 2 // of lines that say what failed, where the output is longer
)

// failingLine matches lines that say what failed, of compilers, test runners and shells.
var failingLine = regexp.MustCompile(
	`(?i)\b(error|failed|failure|failures|fail|fatal|panic|exception|traceback|assert(ion)?|not ok|undefined|` +
		`cannot|no such|not found|expected|got|want)\b|^\s*(E   |[✗✕×] |--- FAIL)`)

// OutputTail is what a program wrote, stderr first: all of it if it is not long, otherwise the lines that say what
// failed, and the end.
func OutputTail(o process.Output) string {
	var parts []string
	for _, stream := range [][]byte{o.Stderr, o.Stdout} {
		if text := strings.TrimSpace(strings.ToValidUTF8(string(stream), "\uFFFD")); text != "" {
			parts = append(parts, text)
		}
	}
	whole := strings.Join(parts, "\n")
	if len(whole) <= outputMax {
		return whole
	}
	const cut = "\n…\n"
	end := whole[len(whole)-(outputMax-failingMax-len(cut)):]
	if _, rest, ok := strings.Cut(end, "\n"); ok && rest != "" { // whole lines
		end = rest
	}
	failing := failingLines(whole[:len(whole)-len(end)])
	if failing == "" {
		return "…" + strings.ToValidUTF8(whole[len(whole)-(outputMax-len(cut)):], "")
	}
	return failing + strings.ToValidUTF8(cut+end, "")
}

// failingLines are the first lines of a text that say what failed, at most failingMax bytes of them.
func failingLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if !failingLine.MatchString(line) {
			continue
		}
		const most = 400
		if len(line) > most {
			line = strings.ToValidUTF8(line[:most], "") + "…"
		}
		if b.Len()+len(line)+1 > failingMax {
			break
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String()
}
