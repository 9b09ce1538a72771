package secret

import (
	"slices"
	"strings"

	"goalpost/backend/lib/text"
)

// reference is how a model names a secret: {{secret:NAME}}.
var reference = text.NewPattern(`\{\{\s*secret:\s*([A-Za-z][A-Za-z0-9_.-]{0,63})\s*\}\}`)

// Ref returns the reference to a name.
func Ref(name string) string { return "{{secret:" + name + "}}" }

// Refs lists the names that a text refers to, sorted, each once.
func Refs(text string) []string {
	var list []string
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Fill replaces references with values. References that open does not know stay.
func Fill(text string, open func(name string) (value string, ok bool)) string {
	return reference.ReplaceAllStringFunc(text, func(ref string) string {
		if value, ok := open(reference.FindStringSubmatch(ref)[1]); ok {
			return value
		}
		return ref
	})
}

// RefsJSON lists the names that the strings of a JSON document refer to, decoded.
func RefsJSON(raw []byte) []string {
	var text strings.Builder
	if _, err := inStrings(raw, func(s string) string { text.WriteString(s + "\n"); return s }); err != nil {
		return Refs(string(raw))
	}
	return Refs(text.String())
}
