package secret

import (
	"strings"

	"goalpost/backend/lib/text"
)

// maskedText replaces text that looks like a secret but is not known to be one.
const maskedText = "[hidden]"

var (
	// userinfoPattern matches the password in scheme://user:password@host.
	userinfoPattern = text.NewPattern(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/?#@:"'<>]*):([^\s/?#@"'<>]+)@`)
	// tokenPattern matches a key in the query or the fragment of an address.
	tokenPattern = text.NewPattern(
		`(?i)([?&#;](?:access_?token|id_?token|refresh_?token|auth_?token|token|api_?key|apikey|key|secret|` +
			`client_?secret|password|passwd|pwd|signature|sig|session|session_?id|sid|` +
			`x-amz-signature|x-amz-security-token)=)([^\s&#;"'<>\]\)]{8,})`)
	// authHeaderPattern matches an HTTP header line with credentials, as printed by curl -v and other programs.
	authHeaderPattern = text.NewPattern(
		`(?im)^([<>* \t]*(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|x-auth-token)[ \t]*:[ \t]*)` +
			`([^\r\n]+)`)
	// cookiePattern matches curl -v's messages about cookies.
	cookiePattern = text.NewPattern(`(?m)^(\* (?:Added|Replaced) cookie [^\s=]+=)("[^"\r\n]*")`)
)

// MaskLikely hides text that looks like a secret by its position: a password in an address, a token in its query, an
// HTTP header with credentials. References stay.
func MaskLikely(s string) string {
	if strings.Contains(s, "://") {
		s = userinfoPattern.ReplaceAllString(s, "${1}:"+maskedText+"@")
	}
	if strings.Contains(s, "=") {
		s = replaceUnlessReference(cookiePattern, replaceUnlessReference(tokenPattern, s))
	}
	if strings.Contains(s, ":") {
		s = replaceUnlessReference(authHeaderPattern, s)
	}
	return s
}

// replaceUnlessReference replaces the second group of each match, unless the group contains only references.
func replaceUnlessReference(form *text.Pattern, s string) string {
	return form.ReplaceAllStringFunc(s, func(m string) string {
		g := form.FindStringSubmatch(m)
		if rest := strings.Trim(reference.ReplaceAllString(g[2], ""), " "); rest == "" || rest == "Bearer" ||
			rest == "Basic" {
			return m
		}
		return g[1] + maskedText
	})
}
