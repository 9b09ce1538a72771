package secret

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// encodingsOf lists the forms in which a value can appear: as it is, in capitals, in small letters, and as encoded in
// URLs, JSON, HTML, shells, hexadecimal, base64, base32 and UTF-16. The longest comes first. Separators between letters
// and digits need no form of their own, because Mask ignores them.
func encodingsOf(value string) []string {
	list := []string{
		value, url.QueryEscape(value), url.PathEscape(value), percentEncode(value, upper), percentEncode(value, lower),
		html.EscapeString(value), strings.ReplaceAll(html.EscapeString(value), "&#34;", "&quot;"),
		strings.ReplaceAll(value, "'", `'\''`), jsonEscaped(value, true), jsonEscaped(value, false),
		hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))),
		strings.ToUpper(value), strings.ToLower(value),
		utf16Bytes(value, binary.LittleEndian), utf16Bytes(value, binary.BigEndian),
	}
	list = append(list, prefixedHex(value)...)
	list = append(list, numericEscapes(value)...)
	for skip := range base32Group {
		core := encodedCore(base32.StdEncoding.EncodeToString, value, skip, base32Bits)
		list = append(list, core, strings.ToLower(core))
	}
	for skip := range base64Group {
		list = append(list, encodedCore(base64.StdEncoding.EncodeToString, value, skip, base64Bits),
			encodedCore(base64.URLEncoding.EncodeToString, value, skip, base64Bits))
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

// encodedCore returns the part of a base32 or base64 text that does not depend on the bytes before and after the value,
// if skip bytes of a group come before it. Each letter of the text encodes the given number of bits.
func encodedCore(encode func([]byte) string, value string, skip, bits int) string {
	s := encode([]byte(strings.Repeat("\x00", skip) + value))
	const bitsOfByte = 8
	first := (skip*bitsOfByte + bits - 1) / bits
	last := (skip + len(value)) * bitsOfByte / bits // a letter after that depends on the following byte, too
	if last <= first {
		return ""
	}
	return s[first:last]
}

// prefixedHex returns the value in hexadecimal with a mark before every byte: `\x73\x33`, "0x73,0x33".
func prefixedHex(value string) (list []string) {
	for _, digits := range []string{lower, upper} {
		for _, mark := range []string{`\x`, ",0x"} {
			var b strings.Builder
			for i := range len(value) {
				if i > 0 {
					b.WriteString(mark)
				}
				b.WriteByte(digits[value[i]>>4])
				b.WriteByte(digits[value[i]&0xf])
			}
			list = append(list, b.String())
		}
	}
	return list
}

// numericEscapes returns the value with every character as a number, as JSON, JavaScript and HTML can write it.
func numericEscapes(value string) (list []string) {
	for _, digits := range []string{"%04x", "%04X"} {
		var b strings.Builder
		for _, unit := range utf16.Encode([]rune(value)) {
			fmt.Fprintf(&b, `\u`+digits, unit)
		}
		list = append(list, b.String())
	}
	for _, form := range []string{"&#%d;", "&#x%x;", "&#x%X;"} {
		var b strings.Builder
		for _, r := range value {
			fmt.Fprintf(&b, form, r)
		}
		list = append(list, b.String())
	}
	return list
}

// utf16Bytes returns the bytes of the value in UTF-16.
func utf16Bytes(value string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(value)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// An encoding takes a group of bytes at a time, and each of its letters encodes some bits.
const (
	base32Group, base32Bits = 5, 5
	base64Group, base64Bits = 3, 6
)
