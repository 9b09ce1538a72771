package secret

import (
	"strings"
	"unicode/utf8"

	"goalpost/backend/lib/text"
)

// maskedText replaces text that looks like a secret but is not known to be one.
const maskedText = "[hidden]"

var (
	// userinfoPattern matches the password in scheme://user:password@host.
	userinfoPattern = text.NewPattern(`\A([A-Za-z][A-Za-z0-9+.-]*://[^\s/?#@:"'<>]*):([^\s/?#@"'<>]+)@`)
	// tokenPattern matches a key in the query or the fragment of an address.
	tokenPattern = text.NewPattern(
		`(?i)\A([?&#;](?:access_?token|id_?token|refresh_?token|auth_?token|token|api_?key|apikey|key|secret|` +
			`client_?secret|password|passwd|pwd|signature|sig|session|session_?id|sid|` +
			`x-amz-signature|x-amz-security-token)=)([^\s&#;"'<>\]\)]{8,})`)
	// authHeaderPattern matches an HTTP header line with credentials, as printed by curl -v and other programs.
	authHeaderPattern = text.NewPattern(
		`(?i)\A([<>* \t]*(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|x-auth-token)[ \t]*:[ \t]*)` +
			`([^\r\n]+)`)
	// cookiePattern matches curl -v's messages about cookies.
	cookiePattern = text.NewPattern(`\A(\* (?:Added|Replaced) cookie [^\s=]+=)("[^"\r\n]*")`)
	// cookieFilePattern matches a line of the files in which curl and wget store cookies, from its second field on.
	cookieFilePattern = text.NewPattern(
		`\A(\t(?:TRUE|FALSE)\t/[^\t\r\n]*\t(?:TRUE|FALSE)\t\d+\t[^\t\r\n]+\t)([^\t\r\n]+)`)
)

// MaskLikely hides text that looks like a secret by its position: a password in an address, a token in its query, an
// HTTP header with credentials, a stored cookie. References stay.
func MaskLikely(s string) string {
	s = replaceWhere(s, nextUserinfo, userinfoPattern, func(g []string) string { return g[1] + ":" + maskedText + "@" })
	s = replaceWhere(s, nextQueryKey, tokenPattern, maskUnlessReference)
	s = replaceWhere(s, nextLine("*"), cookiePattern, maskUnlessReference)
	s = replaceWhere(s, nextFlag, cookieFilePattern, maskUnlessReference)
	return replaceWhere(s, nextLine("<>* \tapcsxAPCSX\u017f"), authHeaderPattern, maskUnlessReference)
}

// replaceWhere replaces the matches of a pattern that begins with \A. next returns the first place from which it may
// match, at or after an offset, -1 for none. To try a pattern at every place of a text takes a second for 5 MB.
func replaceWhere(
	s string, next func(s string, from int) int, form *text.Pattern, replace func(groups []string) string,
) string {
	var b strings.Builder
	done := 0
	for at := next(s, 0); at >= 0 && at < len(s); {
		from := at + 1
		if g := form.FindStringSubmatch(s[at:]); g != nil {
			b.WriteString(s[done:at])
			b.WriteString(replace(g))
			done = at + len(g[0])
			from = done
		}
		at = next(s, from)
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// maskUnlessReference replaces the second group, unless it contains only references.
func maskUnlessReference(g []string) string {
	if rest := strings.Trim(reference.ReplaceAllString(g[2], ""), " "); rest == "" || rest == "Bearer" ||
		rest == "Basic" {
		return g[0]
	}
	return g[1] + maskedText
}

// nextUserinfo finds the scheme of an address with an @ after its host or user.
func nextUserinfo(s string, from int) int {
	isScheme := func(c byte) bool { return isLetter[c] || c == '+' || c == '.' || c == '-' }
	for {
		i := strings.Index(s[from:], "://")
		if i < 0 {
			return -1
		}
		after := s[from+i+len("://"):]
		if end := strings.IndexAny(after, " \t\n\f\r/?#@\"'<>"); end < 0 || after[end] != '@' {
			from += i + len("://")
			continue
		}
		begin := from + i
		for begin > from && isScheme(s[begin-1]) {
			begin--
		}
		for begin < from+i && s[begin] < 'A' { // a scheme begins with a letter
			begin++
		}
		if begin < from+i {
			return begin
		}
		from += i + len("://")
	}
}

// nextQueryKey finds what may be the key of a query: a separator, a name and an equals sign.
func nextQueryKey(s string, from int) int {
	const minName, maxName = 3, 64
	for ; from < len(s); from++ {
		i := strings.IndexAny(s[from:], "?&#;")
		if i < 0 {
			return -1
		}
		from += i
		for end := from + 1; end < len(s) && end <= from+maxName; end++ {
			if s[end] == '=' && end > from+minName {
				return from
			}
			if !isLetter[s[end]] && s[end] != '_' && s[end] != '-' && s[end] < utf8.RuneSelf {
				break
			}
		}
	}
	return -1
}

// nextFlag finds a field of a file with cookies that says yes or no.
func nextFlag(s string, from int) int {
	for ; from < len(s); from++ {
		i := strings.IndexByte(s[from:], '\t')
		if i < 0 {
			return -1
		}
		from += i
		if rest := s[from+1:]; strings.HasPrefix(rest, "TRUE\t") || strings.HasPrefix(rest, "FALSE\t") {
			return from
		}
	}
	return -1
}

// nextLine returns a function that finds the next line that begins with one of the characters.
func nextLine(first string) func(s string, from int) int {
	return func(s string, from int) int {
		for from < len(s) {
			if from == 0 || s[from-1] == '\n' {
				if c, _ := utf8.DecodeRuneInString(s[from:]); strings.ContainsRune(first, c) {
					return from
				}
			}
			i := strings.IndexByte(s[from:], '\n')
			if i < 0 {
				return -1
			}
			from += i + 1
		}
		return -1
	}
}
