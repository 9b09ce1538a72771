package toolschema_test

import (
	"fmt"
	"strings"
	"testing"

	"goalpost/backend/lib/toolschema"
)

// TestParse_HostileSchemas_AreBounded: a server's schema that refers to itself many times, or is nested thousands of
// levels deep, gives a small form.
func TestParse_HostileSchemas_AreBounded(t *testing.T) {
	const maxBytes = 200_000
	for name, part := range map[string]string{
		"properties": `{"type":"object","properties":{"a":REF,"b":REF,"c":REF}}`, "items": `{"items":[REF,REF,REF]}`,
		"anyOf": `{"anyOf":[REF,REF,REF]}`, "allOf": `{"allOf":[REF,REF,REF]}`,
		"folded": `{"type":"object","oneOf":[REF,REF,REF]}`,
	} {
		var defs []string
		for i := range 30 {
			ref := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
			defs = append(defs, fmt.Sprintf(`"d%d":%s`, i, strings.ReplaceAll(part, "REF", ref)))
		}
		root := `{"properties":{"x":{"$ref":"#/$defs/d0"}},"allOf":[{"$ref":"#/$defs/d0"}],"$defs":{` +
			strings.Join(defs, ",") + `}}`
		schema, err := toolschema.Parse([]byte(root))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(schema.JSON()); n > maxBytes {
			t.Errorf("%s: the form has %d bytes", name, n)
		}
	}
	for _, keyword := range []string{`{"items":`, `{"not":`, `{"allOf":[`, `{"anyOf":[`, `{"properties":{"a":`} {
		const depth = 3000
		end := strings.NewReplacer("[", "]", "{", "}", ":", "", `"`, "")
		closing := ""
		for _, c := range keyword {
			if c == '[' || c == '{' {
				closing = end.Replace(string(c)) + closing
			}
		}
		root := `{"properties":{"x":` + strings.Repeat(keyword, depth) + "{}" + strings.Repeat(closing, depth) + `}}`
		schema, err := toolschema.Parse([]byte(root))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(schema.JSON()); n > maxBytes {
			t.Errorf("%s: the form has %d bytes", keyword, n)
		}
	}
}
