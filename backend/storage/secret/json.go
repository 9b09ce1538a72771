package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// FillJSON replaces references inside the strings of a JSON document with their values, escaped so that a quote in a
// value does not end a string.
func FillJSON(raw []byte, open func(name string) (value string, ok bool)) ([]byte, error) {
	return inStrings(raw, func(s string) string { return Fill(s, open) })
}

// JSON hides known values in the strings of a JSON document. Other input is treated as text.
func (m *Mask) JSON(raw []byte) []byte {
	if !m.HasSecrets() {
		return raw
	}
	out, err := inStrings(raw, m.Text)
	if err != nil {
		return []byte(m.Text(string(raw)))
	}
	return out
}

// inStrings rewrites every string of a document, including keys, and nothing else.
func inStrings(raw []byte, rewrite func(string) string) ([]byte, error) {
	if !json.Valid(raw) {
		return nil, fmt.Errorf("not JSON")
	}
	var out bytes.Buffer
	for len(raw) > 0 {
		begin := bytes.IndexByte(raw, '"')
		if begin < 0 {
			break
		}
		end := begin + 1
		for raw[end] != '"' { // the document is valid JSON, so the end exists
			if raw[end] == '\\' {
				end++
			}
			end++
		}
		out.Write(raw[:begin])
		literal := raw[begin : end+1]
		raw = raw[end+1:]
		var s string
		if err := json.Unmarshal(literal, &s); err != nil {
			return nil, fmt.Errorf("a string of the document: %w", err)
		}
		if other := rewrite(s); other != s {
			var buf bytes.Buffer
			e := json.NewEncoder(&buf)
			e.SetEscapeHTML(false)
			if err := e.Encode(other); err != nil {
				return nil, fmt.Errorf("a string of the document: %w", err)
			}
			literal = bytes.TrimRight(buf.Bytes(), "\n")
		}
		out.Write(literal)
	}
	out.Write(raw)
	return out.Bytes(), nil
}
