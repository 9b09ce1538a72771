package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// FileProblem is an error in the settings file.
type FileProblem struct {
	Line    int    `json:"line"`    // from 1
	Column  int    `json:"column"`  // in characters, from 1
	Message string `json:"message"` // what is wrong
	Hint    string `json:"hint"`    // what to do next
}

// describe returns a problem on one line, without its hint.
func (p FileProblem) describe() string {
	return fmt.Sprintf("line %d, column %d: %s", p.Line, p.Column, p.Message)
}

// maxFileProblems is how many problems are reported at once.
const maxFileProblems = 20

// parseFile reads the content of the settings file. It returns nil if that is not a JSON object; for other problems,
// the file has the defaults where something is wrong.
func parseFile(b []byte) (*file, []FileProblem) {
	f := &file{Settings: defaultSettings()}
	err := json.Unmarshal(b, f)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return nil, []FileProblem{problemAt(b, syntax.Offset-1, "this is not JSON: "+syntax.Error(),
			"correct it there. Until then, the settings from before are in effect")}
	}
	w := walkFile(b)
	problems := w.problems
	if !bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		return nil, problems
	}
	for range settingFields() { // each round finds one, or is the last
		var invalid *fault.Error
		if err := f.Settings.validate(); !errors.As(err, &invalid) || !resetSetting(&f.Settings, invalid.Field) {
			break
		}
		problems = append(problems, problemAt(b, w.at["settings."+invalid.Field], invalid.Message,
			invalid.Hint+". Until then, the default is in effect"))
	}
	slices.SortStableFunc(problems, func(a, b FileProblem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return f, problems[:min(len(problems), maxFileProblems)]
}

// problemAt makes the problem of the byte at an offset.
func problemAt(b []byte, offset int64, message, hint string) FileProblem {
	before := b[:max(0, min(int(offset), len(b)))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return FileProblem{
		Line: bytes.Count(before, []byte("\n")) + 1, Column: utf8.RuneCount(before[start:]) + 1,
		Message: message, Hint: hint,
	}
}

// fileWalk compares the values of a JSON text with the types that they are read into.
type fileWalk struct {
	text     []byte
	dec      *json.Decoder
	at       map[string]int64 // where each value begins, by its path
	problems []FileProblem
}

// walkFile walks through a valid JSON text.
func walkFile(b []byte) *fileWalk {
	w := &fileWalk{text: b, dec: json.NewDecoder(bytes.NewReader(b)), at: map[string]int64{}}
	w.dec.UseNumber()
	w.value("", reflect.TypeFor[file]())
	return w
}

// next reads a token, and returns where it begins.
func (w *fileWalk) next() (json.Token, int64) {
	from := w.dec.InputOffset()
	rest := w.text[from:]
	from += int64(len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,:")))
	token, err := w.dec.Token()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, from
	}
	return token, from
}

// value walks through the value at a path, for a Go value of type t; nil for any value.
func (w *fileWalk) value(path string, t reflect.Type) {
	token, from := w.next()
	w.at[path] = from
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && token != nil && !fits(token, t) {
		w.problems = append(w.problems, problemAt(w.text, from,
			fmt.Sprintf("%s must be %s", lastKey(path), jsonKind(t)), "correct it there. Until then, the default is in effect"))
		t = nil
	}
	switch token {
	case json.Delim('{'):
		for w.dec.More() {
			w.member(path, t)
		}
		w.next()
	case json.Delim('['):
		if t != nil {
			t = t.Elem()
		}
		for i := 0; w.dec.More(); i++ {
			w.value(fmt.Sprintf("%s[%d]", path, i), t)
		}
		w.next()
	}
}

// member walks through a key and its value.
func (w *fileWalk) member(path string, t reflect.Type) {
	token, from := w.next()
	key, _ := token.(string)
	of, known := memberType(t, key)
	if !known {
		w.problems = append(w.problems, problemAt(w.text, from,
			fmt.Sprintf("%q is not a known key", text.SanitizeLine(key, 60)),
			"correct its name or remove it; the keys are in "+schemaName+" beside it"))
	}
	w.value(strings.TrimPrefix(path+"."+key, "."), of)
}

// memberType returns the type of a member of an object that is read into t, and whether there is such a member. The
// type is nil if the member may have any value.
func memberType(t reflect.Type, key string) (reflect.Type, bool) {
	switch {
	case t == nil:
		return nil, true
	case t.Kind() == reflect.Map:
		return t.Elem(), true
	}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous && name == key && name != "-" {
			return f.Type, true
		}
	}
	return nil, false
}

// fits reports whether a value that begins with a token can be read into a type. null always can.
func fits(token json.Token, t reflect.Type) bool {
	switch token := token.(type) {
	case json.Delim:
		return token == '{' && (t.Kind() == reflect.Map || isObject(t)) || token == '[' && t.Kind() == reflect.Slice
	case string:
		return t.Kind() == reflect.String || t == timeType && json.Unmarshal(quoted(token), reflect.New(t).Interface()) == nil
	case bool:
		return t.Kind() == reflect.Bool
	case json.Number:
		isNumber := t.Kind() == reflect.Float64 || t.Kind() == reflect.Int || t.Kind() == reflect.Int64
		return isNumber && json.Unmarshal([]byte(token), reflect.New(t).Interface()) == nil
	}
	return true
}

func isObject(t reflect.Type) bool { return t.Kind() == reflect.Struct && t != timeType }

func quoted(s string) []byte {
	b, _ := json.Marshal(s) //nolint:errchkjson // a string always can be
	return b
}

// jsonKind names the values that can be read into a type.
func jsonKind(t reflect.Type) string {
	kinds := map[reflect.Kind]string{
		reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Int64: "a whole number",
		reflect.Float64: "a number", reflect.Slice: "a list in [ ]", reflect.Map: "an object in { }",
		reflect.Struct: "an object in { }",
	}
	if t == timeType {
		return "a time such as \"2026-01-31T12:00:00Z\""
	}
	return cmp.Or(kinds[t.Kind()], "text in quotes")
}

// lastKey returns the end of a path as a message shows it.
func lastKey(path string) string {
	if path == "" {
		return "the file"
	}
	return text.SanitizeLine(path[strings.LastIndexByte(path, '.')+1:], 60)
}
