package secret

import (
	"bytes"
	"embed"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

const value = `s3cr<t "quoted"/+&'pass' ünï`

func known(values ...string) *Mask {
	m := &Mask{}
	for i, v := range values {
		m.Add(Ref(fmt.Sprintf("name%d", i)), v)
	}
	return m
}

// written returns the forms in which a value can appear, each within other text.
func written(t *testing.T, v string) map[string]string {
	t.Helper()
	quoted, err := json.Marshal(map[string]string{"a": "x " + v + " y"})
	if err != nil {
		t.Fatal(err)
	}
	lines := func(s string, n int, end string) string {
		var b strings.Builder
		for i := 0; i < len(s); i += n {
			b.WriteString(s[i:min(i+n, len(s))] + end)
		}
		return b.String()
	}
	m := map[string]string{
		"plain":          "the value is " + v + " here",
		"twice":          v + v,
		"query":          "http://x/?a=" + url.QueryEscape(v) + "&b=1",
		"percent":        separated(v, "%%%02x", 0),
		"path":           "http://x/" + url.PathEscape(v) + "/z",
		"json":           string(quoted),
		"html":           "<b>" + html.EscapeString(v) + "</b>",
		"shell":          `echo '` + strings.ReplaceAll(v, "'", `'\''`) + `'`,
		"hex":            "00" + hex.EncodeToString([]byte(v)) + "ff",
		"HEX":            strings.ToUpper(hex.EncodeToString([]byte(v))),
		"capitals":       "VALUE " + strings.ToUpper(v),
		"small letters":  strings.ToLower(v),
		"hex, spaces":    separated(v, "%02x ", 0),
		"hex, colons":    separated(v, "%02X:", 0),
		"hex, dashes":    separated(v, "%02x-", 0),
		"hex, commas":    separated(v, "0x%02x, ", 0),
		"hex, C":         `"` + separated(v, `\x%02x`, 0) + `"`,
		"hex, pairs":     separated(v, "%02x", 2),
		"hex, odd pairs": "4a" + separated(v, "%02x", 1),
		"json, numbers":  `"` + escaped(v, `\u%04x`) + `"`,
		"json, NUMBERS":  `"` + escaped(v, `\u%04X`) + `"`,
		"html, numbers":  escaped(v, "&#%d;"),
		"html, hex":      escaped(v, "&#x%x;"),
		"utf-16":         "\xff\xfe" + utf16Bytes("a "+v+" b", binary.LittleEndian),
		"utf-16 big":     utf16Bytes("a "+v+" b", binary.BigEndian),
		"wrapped":        "$ " + lines(v, 7, "\r\n"),
		"coloured":       lines(v, 3, "\x1b[0m\x1b[1;31m"),
		"titled":         "\x1b]0;" + v + "\a",
		"without width":  lines(v, 4, "\u200b"),
		"groups":         lines(v, 4, ","),
		"pieces":         lines(v, 5, "  \n"),
		"apart":          lines(v, 1, " "),
		"halves":         v[:9] + " |\n| " + v[9:],
		"bold":           "**" + v[:8] + "**" + v[8:],
		"list":           "- " + lines(v, 6, "\n- "),
		"cells":          "| " + lines(v, 7, " | "),
		"quoted":         lines(strings.ToUpper(v), 8, "\", \""),
		"base64, groups": lines(base64.StdEncoding.EncodeToString([]byte(v)), 8, "–"),
		"wrapped base64": lines(base64.StdEncoding.EncodeToString([]byte("Authorization: "+v+" and more")), 20, "\n"),
	}
	for skip := range 6 {
		around := strings.Repeat("a", skip) + v + "bb"
		m[fmt.Sprintf("base32 %d", skip)] = base32.StdEncoding.EncodeToString([]byte(around))
		m[fmt.Sprintf("base32 %d, small", skip)] = strings.ToLower(base32.StdEncoding.EncodeToString([]byte(around)))
	}
	for skip := range 4 {
		for after := range 4 {
			around := strings.Repeat("a", skip) + v + strings.Repeat("b", after)
			m[fmt.Sprintf("base64 %d %d", skip, after)] = base64.StdEncoding.EncodeToString([]byte(around))
			m[fmt.Sprintf("base64url %d %d", skip, after)] = base64.RawURLEncoding.EncodeToString([]byte(around))
		}
	}
	return m
}

// separated writes each byte in a format; after the first bytes, and then after each pair, a space.
func separated(v, format string, first int) string {
	var b strings.Builder
	for i := range len(v) {
		if first > 0 && i >= first && (i-first)%2 == 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, format, v[i])
	}
	return b.String()
}

// escaped writes each UTF-16 unit of a value in a format; the test's value has no others.
func escaped(v, format string) string {
	var b strings.Builder
	for _, r := range v {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

// leaks reports whether a text contains a value, in any encoding and with characters between its letters.
func leaks(s, v string) bool {
	flat, _ := normalizeText(s)
	for _, f := range encodingsOf(v) {
		letters := onlyLetters(f)
		if f, _ = normalizeText(f); strings.Contains(flat, f) ||
			len(letters) >= minLetters && strings.Contains(onlyLetters(s), letters) {
			return true
		}
	}
	return false
}

func onlyLetters(s string) string {
	letters, _ := lettersOf(normalizeText(s))
	return letters
}

// isHiddenLike reports whether a stream hid what the whole text hides. With separators, it may show up to three letters
// of a value.
func isHiddenLike(got, want string) bool {
	return got == want || !leaks(got, value) && strings.Contains(got, "{{secret:name0}}") &&
		len(onlyLetters(got)) < len(onlyLetters(want))+keyLen
}

func TestMask_EveryEncoding(t *testing.T) {
	m := known(value)
	for name, text := range written(t, value) {
		if !leaks(text, value) {
			t.Errorf("%s: the test does not hold the value: %q", name, text)
		}
		if got := m.Text(text); leaks(got, value) || !strings.Contains(got, "{{secret:name0}}") {
			t.Errorf("%s: %q became %q", name, text, got)
		}
	}
	if text := "nothing to hide"; m.Text(text) != text || m.Partial(text) != text {
		t.Error("what holds no value was changed")
	}
}

// TestStream_SplitValues_AreHidden cuts every form at every place, into two and into pieces of few bytes.
func TestStream_SplitValues_AreHidden(t *testing.T) {
	for name, text := range written(t, value) {
		m := known(value, "another-1")
		want := m.Text(text)
		for cut := range len(text) + 1 {
			s := m.Stream()
			got := string(s.Next([]byte(text[:cut]))) + string(s.Next([]byte(text[cut:]))) + string(s.End())
			if !isHiddenLike(got, want) {
				t.Fatalf("%s cut at %d: %q, want %q", name, cut, got, want)
			}
		}
		for size := 1; size < 6; size++ {
			s, got := m.Stream(), bytes.Buffer{}
			for i := 0; i < len(text); i += size {
				got.Write(s.Next([]byte(text[i:min(i+size, len(text))])))
			}
			got.Write(s.End())
			if !isHiddenLike(got.String(), want) {
				t.Fatalf("%s in pieces of %d: %q, want %q", name, size, got.String(), want)
			}
		}
	}
}

func TestStream_HoldsBackLittle(t *testing.T) {
	s := known(value).Stream()
	if got := s.Next([]byte("prompt $ ")); string(got) != "prompt $ " {
		t.Errorf("what begins no value is held back: %q", got)
	}
	if got := s.Next([]byte("s3c")); len(got) != 0 {
		t.Errorf("the beginning of a value continued: %q", got)
	}
	if got := s.Next([]byte("ure\x1b[0m")); string(got) != "s3cure\x1b[0m" {
		t.Errorf("what was no value: %q", got)
	}
}

// TestMask_OtherCharactersBetween_AreIgnored: a value may be split in any way that needs no letter or digit.
func TestMask_OtherCharactersBetween_AreIgnored(t *testing.T) {
	m := known("Zq7canary-Secret9x8w7Yv", "hunter-22")
	for text, want := range map[string]string{
		"groups Zq7c,anar,y-Se,cret,9x8w,7Yv.":    "groups {{secret:name0}}.",
		"Z q 7 c a n a r y S e c r e t 9x8w7Yv":   "{{secret:name0}}",
		"Zq7canary-S\n\nEOF\necret9x8w7Yv":        "Zq7canary-S\n\nEOF\necret9x8w7Yv", // letters between
		"Zq7canary-S" + gap(65) + "ecret9x8w7Yv":  "Zq7canary-S" + gap(65) + "ecret9x8w7Yv",
		"Zq7canary-S" + gap(64) + "ecret9x8w7Yv":  "{{secret:name0}}",
		"68 75 6E 74 65 72 2d 32 32":              "68 75 6E 74 65 72 2d 32 32", // of both kinds
		"68 75 6e 74\n65 72 2d 32 32":             "{{secret:name1}}",
		"hunt-er22, hunter 22":                    "hunt-er22, hunter 22", // too few letters to be sure
		"a list of canary birds; Secret: 9x, 8w7": "a list of canary birds; Secret: 9x, 8w7",
	} {
		if got := m.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"74 65 72 2d 32 32 and Zq7c-anar":  truncationMark + " and " + truncationMark,
		"... 72 2d 32 32 and {{Zq7canar}}": "... 72 2d 32 32 and {{Zq7canar}}", // not at the edge
	} {
		if got := m.Partial(text); got != want {
			t.Errorf("at the edges of %q: %q", text, got)
		}
	}
	got, want := m.Truncated("{{Zq7c}}… Zq7c-anar… …9x8w,7Yv"), "{{Zq7c}}… "+truncationMark+"… …"+truncationMark
	if got != want {
		t.Errorf("beside an omission: %q", got)
	}
}

func gap(bytes int) string { return strings.Repeat("-", bytes) }

// TestMask_OrdinaryText_IsUnchanged: no page of the documentation contains the letters of a value by chance.
func TestMask_OrdinaryText_IsUnchanged(t *testing.T) {
	m := known("correct horse battery staple", "hunter-22", "Tr0ub4dor&3", "5f0c1c6e-8a0d-4c7e-9a53-0c2f6f0a9b11",
		"password123456", "AKIAIOSFODNN7EXAMPLE", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "the user writes it")
	files, err := sources.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := sources.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Text(string(text)); got != string(text) && !strings.HasSuffix(file.Name(), "_test.go") {
			t.Errorf("%s: something was hidden", file.Name())
		}
	}
}

// sources are ordinary text.
//
//go:embed *.go
var sources embed.FS

// TestMask_PartialValues splits a value over two texts: neither shows its half.
func TestMask_PartialValues(t *testing.T) {
	m := known(value)
	text := "before " + value + " after"
	begin := len("before ")
	for cut := begin + minPartial; cut <= begin+len(value)-minPartial; cut++ {
		a, b := m.Partial(text[:cut]), m.Partial(text[cut:])
		if strings.Contains(a, value[:minPartial]) || strings.Contains(b, value[len(value)-minPartial:]) {
			t.Errorf("cut at %d: %q and %q", cut, a, b)
		}
	}
}

// TestMask_TruncatedText covers long texts that tools truncate: the mask sees only the "…".
func TestMask_TruncatedText(t *testing.T) {
	var m Mask
	value := `S3cr3t-"Valu3"-xyz`
	m.Add("{{secret:a}}", value)
	for _, form := range []string{value, strconv.Quote(value)} {
		form = strings.Trim(form, `"`)
		for n := minPartial; n < len(form); n++ {
			before, after := form[:n], form[len(form)-n:]
			got := m.Truncated("12: button \"" + before + "…\"\nmore … and …" + after + " " + value)
			if want := "12: button \"" + truncationMark + "…\"\nmore … and …" + truncationMark + " {{secret:a}}"; got != want &&
				!strings.HasSuffix(before, `\`) {
				t.Errorf("%d: %q", n, got)
			}
		}
	}
	if text := "nothing … to hide…"; m.Truncated(text) != text {
		t.Errorf("%q", m.Truncated(text))
	}
}

func TestMask_SeveralLines_AreHidden(t *testing.T) {
	key := "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nBAQEFAASCBKcwggSjAgEAAo\n-----END KEY-----\n"
	m := known(key)
	if got := m.Text("x\n" + key); strings.Contains(got, "MIIE") {
		t.Errorf("whole: %q", got)
	}
	if got := m.Text("grep: BAQEFAASCBKcwggSjAgEAAo"); strings.Contains(got, "BAQE") {
		t.Errorf("one line: %q", got)
	}
	if text := "-----BEGIN KEY-----"; m.Text(text) != text {
		t.Error("the first line of any key is hidden")
	}
}

func TestMaskJSON_ValuesInStrings_AreHidden(t *testing.T) {
	m := known(value)
	inner, err := json.Marshal(map[string]string{"text": value})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := json.Marshal(map[string]any{
		"n":         1.5,
		"arguments": string(inner),
		"list":      []string{"a", value},
		value:       true,
		"back":      `\`,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := m.JSON(doc)
	if leaks(string(got), value) || !json.Valid(got) {
		t.Errorf("%s", got)
	}
	if plain := []byte(`{"a": "b\"c\\", "d":[1, "<"]}`); !bytes.Equal(m.JSON(plain), plain) {
		t.Error("a document without a value was changed")
	}
	if got := m.JSON([]byte("no json " + value)); leaks(string(got), value) {
		t.Errorf("%s", got)
	}
}

func TestFillJSON_References_AreReplaced(t *testing.T) {
	open := func(name string) (string, bool) { return map[string]string{"a.b": value}[name], name == "a.b" }
	got, err := FillJSON([]byte(`{"command":"curl -H 'X: {{secret:a.b}}' {{ secret:gone }}","n":1}`), open)
	if err != nil {
		t.Fatal(err)
	}
	var args struct{ Command string }
	if err := json.Unmarshal(got, &args); err != nil || args.Command != "curl -H 'X: "+value+"' {{ secret:gone }}" {
		t.Errorf("%q %v", args.Command, err)
	}
	if refs := Refs("{{secret:b}} {{ secret: a }}{{secret:b}} {{secret:1}}"); strings.Join(refs, " ") != "a b" {
		t.Errorf("references: %v", refs)
	}
}

func TestMaskLikely_TokensAndPasswords_AreHidden(t *testing.T) {
	for in, want := range map[string]string{
		"postgres://me:hunter22@db/x":                         "postgres://me:[hidden]@db/x",
		"http://127.0.0.1/a?b=1&token=abcdefgh12#x":           "http://127.0.0.1/a?b=1&token=[hidden]#x",
		"> Authorization: Bearer abc.def.ghi\r\n> Accept: a":  "> Authorization: [hidden]\r\n> Accept: a",
		`* Added cookie sid="abc" for domain x`:               `* Added cookie sid=[hidden] for domain x`,
		"+#HttpOnly_h\tFALSE\t/a\tTRUE\t0\tsid\tabc\n":        "+#HttpOnly_h\tFALSE\t/a\tTRUE\t0\tsid\t[hidden]\n",
		"< set-cookie: sid=1; HttpOnly":                       "< set-cookie: [hidden]",
		"http://h/?token={{secret:abc}}":                      "http://h/?token={{secret:abc}}",
		"Authorization: Bearer {{secret:abc}}":                "Authorization: Bearer {{secret:abc}}",
		"http://localhost:8080/x and a key=value; user: pass": "http://localhost:8080/x and a key=value; user: pass",
		"git@github.com:a/b.git https://h/?key=short":         "git@github.com:a/b.git https://h/?key=short",
	} {
		if got := MaskLikely(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// FuzzMask checks that neither a text nor its pieces show the value, for any value and any text around it.
func FuzzMask(f *testing.F) {
	f.Add("hunter-22", "a", "b", uint8(3))
	f.Add("aaaaaaa", "aaa", "aaaa", uint8(1))
	f.Add("\x1b[31mabc", "\x1b[", "m", uint8(2))
	f.Fuzz(func(t *testing.T, v, before, after string, size uint8) {
		flat, _ := normalizeText(v)
		if len(strings.TrimSpace(v)) < minValue || len(flat) < minValue || len(v) > 200 ||
			strings.Contains("{{secret:name0}}", flat) || len(before)+len(after) > 400 {
			t.Skip()
		}
		m := known(v)
		text := before + v + after
		in, _ := normalizeText(text)
		if !strings.Contains(in, flat) {
			t.Skip() // with the text before it, a part of the value is a control sequence
		}
		got := m.Text(text)
		if out, _ := normalizeText(strings.ReplaceAll(got, "{{secret:name0}}", "\uffff")); strings.Contains(out, flat) {
			t.Errorf("%q became %q", text, got)
		}
		s, pieces := m.Stream(), ""
		step := int(size%16) + 1
		for i := 0; i < len(text); i += step {
			pieces += string(s.Next([]byte(text[i:min(i+step, len(text))])))
		}
		pieces += string(s.End())
		if out, _ := normalizeText(strings.ReplaceAll(pieces, "{{secret:name0}}", "\uffff")); strings.Contains(out, flat) {
			t.Errorf("%q in pieces of %d became %q", text, step, pieces)
		}
	})
}

func BenchmarkMask(b *testing.B) {
	m := &Mask{}
	for i := range 30 {
		m.Add(Ref("x"), fmt.Sprintf("a-secret-of-usual-length-%d", i))
	}
	text := strings.Repeat("a line of output as a build writes it, 0123456789\n", 1300)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.Partial(text)
	}
}

// TestFind_SplitOrTruncatedValue_IsFound: drawn text may have any spaces and line breaks, and "…" where it is
// truncated. The places are offsets in the original text.
func TestFind_SplitOrTruncatedValue_IsFound(t *testing.T) {
	if m := (&Mask{}); m.HasSecrets() || m.Find("anything") != nil {
		t.Error("an empty mask knows something")
	}
	m := known("over the hills", "Sup3r-s3cret")
	if !m.HasSecrets() {
		t.Error("it knows nothing")
	}
	for text, want := range map[string]string{
		"x over the hills y":              "[over the hills]",
		"x over\n\t the\u00a0\u2003hills": "[over\n\t the\u00a0\u2003hills]",
		"overthehills":                    "[overthehills]",
		"**over** | the-hills":            "[over** | the-hills]",
		"a Sup3r-\u00ads3c\u200bret b":    "[Sup3r-\u00ads3c\u200bret]",
		"Sup3 r-s3cret, over the hills":   "[Sup3 r-s3cret over the hills]",
		"ends in Sup3r-s… and continues":  "[Sup3r-s]",
		"ends in Sup3r-s and continues":   "[]",
		url.QueryEscape("over the hills"): "[over+the+hills]",
		"nothing of the kind":             "[]",
	} {
		var got []string
		for _, p := range m.Find(text) {
			got = append(got, text[p[0]:p[1]])
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q shows %v, want %s", text, got, want)
		}
	}
}
