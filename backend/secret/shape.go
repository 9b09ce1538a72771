package secret

import (
	"regexp"
	"strings"
)

// hidden stands for what looks like a secret and is not known to be one.
const hidden = "[hidden]"

var (
	// userinfo is the password in scheme://user:password@host.
	userinfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/?#@:"'<>]*):([^\s/?#@"'<>]+)@`)
	// token is a key in the query or the fragment of an address.
	token = regexp.MustCompile(`(?i)([?&#;](?:access_?token|id_?token|refresh_?token|auth_?token|token|api_?key|apikey|key|secret|client_?secret|password|passwd|pwd|signature|sig|session|session_?id|sid|x-amz-signature|x-amz-security-token)=)([^\s&#;"'<>\]\)]{8,})`)
	// header is a line of HTTP that carries one, as curl -v and others show it.
	header = regexp.MustCompile(`(?im)^([<>* \t]*(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|x-auth-token)[ \t]*:[ \t]*)([^\r\n]+)`)
	// jar is what curl -v says about its cookies.
	jar = regexp.MustCompile(`(?m)^(\* (?:Added|Replaced) cookie [^\s=]+=)("[^"\r\n]*")`)
)

// Shapes hides what looks like a secret by where it stands: a password in an
// address, a token in its query, a line of HTTP that carries one. References stay.
func Shapes(s string) string {
	if strings.Contains(s, "://") {
		s = userinfo.ReplaceAllString(s, "${1}:"+hidden+"@")
	}
	if strings.Contains(s, "=") {
		s = keep(jar, keep(token, s))
	}
	if strings.Contains(s, ":") {
		s = keep(header, s)
	}
	return s
}

// keep replaces the second group, unless it holds nothing but references.
func keep(form *regexp.Regexp, s string) string {
	return form.ReplaceAllStringFunc(s, func(m string) string {
		g := form.FindStringSubmatch(m)
		if rest := strings.Trim(reference.ReplaceAllString(g[2], ""), " "); rest == "" || rest == "Bearer" || rest == "Basic" {
			return m
		}
		return g[1] + hidden
	})
}
