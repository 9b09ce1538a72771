package secret

import (
	"regexp"
	"strings"
)

// maskedText stands for what looks like a secret and is not known to be one.
const maskedText = "[hidden]"

var (
	// userinfoPattern is the password in scheme://user:password@host.
	userinfoPattern = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/?#@:"'<>]*):([^\s/?#@"'<>]+)@`)
	// tokenPattern is a key in the query or the fragment of an address.
	tokenPattern = regexp.MustCompile(`(?i)([?&#;](?:access_?token|id_?token|refresh_?token|auth_?token|token|api_?key|apikey|key|secret|client_?secret|password|passwd|pwd|signature|sig|session|session_?id|sid|x-amz-signature|x-amz-security-token)=)([^\s&#;"'<>\]\)]{8,})`)
	// authHeaderPattern is a line of HTTP that carries one, as curl -v and others show it.
	authHeaderPattern = regexp.MustCompile(`(?im)^([<>* \t]*(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|x-auth-token)[ \t]*:[ \t]*)([^\r\n]+)`)
	// cookiePattern is what curl -v says about its cookies.
	cookiePattern = regexp.MustCompile(`(?m)^(\* (?:Added|Replaced) cookie [^\s=]+=)("[^"\r\n]*")`)
)

// MaskLikely hides what looks like a secret by where it stands: a password in an
// address, a token in its query, a line of HTTP that carries one. References stay.
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

// replaceUnlessReference replaces the second group, unless it holds nothing but references.
func replaceUnlessReference(form *regexp.Regexp, s string) string {
	return form.ReplaceAllStringFunc(s, func(m string) string {
		g := form.FindStringSubmatch(m)
		if rest := strings.Trim(reference.ReplaceAllString(g[2], ""), " "); rest == "" || rest == "Bearer" || rest == "Basic" {
			return m
		}
		return g[1] + maskedText
	})
}
