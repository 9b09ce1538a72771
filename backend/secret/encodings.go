package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

// encodingsOf lists the forms in which a value can appear: as it is, and as encoded in URLs, JSON, HTML, shells,
// hexadecimal and base64. The longest comes first.
func encodingsOf(value string) []string {
	list := []string{
		value, url.QueryEscape(value), url.PathEscape(value), percentEncode(value, upper), percentEncode(value, lower),
		html.EscapeString(value), strings.ReplaceAll(html.EscapeString(value), "&#34;", "&quot;"),
		strings.ReplaceAll(value, "'", `'\''`), jsonEscaped(value, true), jsonEscaped(value, false),
		hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))),
	}
	for skip := range 3 {
		list = append(list, base64Core(base64.StdEncoding, value, skip), base64Core(base64.URLEncoding, value, skip))
	}
	list = slices.DeleteFunc(list, func(s string) bool { return len(s) < minValue })
	slices.SortFunc(list, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(list)
}

const (
	upper = "0123456789ABCDEF"
	lower = "0123456789abcdef"
)

// percentEncode encodes every byte as in a URL.
func percentEncode(value, digits string) string {
	var b strings.Builder
	for i := range len(value) {
		b.WriteByte('%')
		b.WriteByte(digits[value[i]>>4])
		b.WriteByte(digits[value[i]&0xf])
	}
	return b.String()
}

func jsonEscaped(value string, escapeHTML bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	if err := e.Encode(value); err != nil {
		return value
	}
	return strings.Trim(strings.TrimSuffix(b.String(), "\n"), `"`)
}

// base64Core is the part of a base64 text that does not depend on what comes before and after the value, if skip
// bytes of a group of three come before it.
func base64Core(e *base64.Encoding, value string, skip int) string {
	s := e.WithPadding(base64.NoPadding).EncodeToString([]byte(strings.Repeat("\x00", skip) + value))
	first := []int{0, 2, 3}[skip]
	last := len(s)
	if (skip+len(value))%3 != 0 {
		last-- // its bits depend on the following byte, too
	}
	if last <= first {
		return ""
	}
	return s[first:last]
}
