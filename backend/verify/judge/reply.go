package judge

import (
	"regexp"
	"strings"
)

// FirstWord is the first word of a reply in capitals, without what models dress it in.
func FirstWord(reply string) string {
	fields := strings.Fields(reply)
	if len(fields) == 0 {
		return ""
	}
	return strings.ToUpper(strings.Trim(fields[0], "*_`\"'.,:;!-()[]"))
}

// hedgePattern take back what the word before them said.
var hedgePattern = regexp.MustCompile(
	`(?i)\b(but|except|excepting|however|although|though|unless|partly|partially|mostly|almost|nearly|if|provided|assuming|missing|incomplete|lacks|lacking)\b`)

// IsHedged says whether a reply takes its first word back: "YES, but the report is
// missing" is no YES. What is on later lines is the reason, unless it begins so.
func IsHedged(reply string) bool {
	rest := RestAfterWord(reply)
	if at := hedgePattern.FindStringIndex(rest); at != nil &&
		strings.Trim(rest[:at[0]], "*_`\"'.,:;!-–—()[] \t\r\n") == "" {
		return true
	}
	first, _, _ := strings.Cut(strings.TrimSpace(reply), "\n")
	return hedgePattern.MatchString(RestAfterWord(first))
}

// RestAfterWord is what a reply says behind its first word.
func RestAfterWord(reply string) string {
	reply = strings.TrimSpace(reply)
	if i := strings.IndexAny(reply, " \t\r\n"); i >= 0 {
		return strings.TrimSpace(strings.TrimLeft(reply[i:], " \t\r\n-–—:."))
	}
	return ""
}
