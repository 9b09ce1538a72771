package judge

import (
	"strings"

	"goalpost/backend/lib/text"
)

// FirstWord returns the first word of a reply in capitals, without punctuation and markup.
func FirstWord(reply string) string {
	fields := strings.Fields(reply)
	if len(fields) == 0 {
		return ""
	}
	return strings.ToUpper(strings.Trim(fields[0], "*_`\"'.,:;!-()[]"))
}

// hedgePattern matches words that limit what the word before them said.
var hedgePattern = text.NewPattern(
	`(?i)\b(but|except|excepting|however|although|though|unless|partly|partially|mostly|almost|nearly|if|` +
		`provided|assuming|missing|incomplete|lacks|lacking)\b`)

// IsHedged reports whether a reply limits its first word: "YES, but the report is missing" is no YES. Later lines
// are the reason, unless they begin with such a word.
func IsHedged(reply string) bool {
	rest := RestAfterWord(reply)
	if at := hedgePattern.FindStringIndex(rest); at != nil &&
		strings.Trim(rest[:at[0]], "*_`\"'.,:;!-–—()[] \t\r\n") == "" {
		return true
	}
	first, _, _ := strings.Cut(strings.TrimSpace(reply), "\n")
	return hedgePattern.MatchString(RestAfterWord(first))
}

// RestAfterWord returns a reply without its first word.
func RestAfterWord(reply string) string {
	reply = strings.TrimSpace(reply)
	if i := strings.IndexAny(reply, " \t\r\n"); i >= 0 {
		return strings.TrimSpace(strings.TrimLeft(reply[i:], " \t\r\n-–—:."))
	}
	return ""
}
