package browser

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
)

// The modifiers of pane.Input.
const (
	modAlt   = 1
	modCtrl  = 2
	modMeta  = 4
	modShift = 8
)

// keyEvent converts a key to an event of the protocol. A key that produces a character carries it
// as text; with Ctrl, Meta, or Alt and an ASCII letter it is a shortcut and produces none.
func keyEvent(in pane.Input) proto.Request {
	code := in.KeyCode
	if code == 0 {
		code = keyCode(in.Key)
	}
	if in.Code == "" {
		in.Code = physicalKeyCode(in.Key)
	}
	e := proto.InputDispatchKeyEvent{
		Type: proto.InputDispatchKeyEventTypeKeyUp, Modifiers: in.Modifiers & 15, Key: in.Key, Code: in.Code,
		WindowsVirtualKeyCode: code, NativeVirtualKeyCode: code, AutoRepeat: in.Repeat,
	}
	if in.Kind == pane.KeyUp {
		return e
	}
	e.Type = proto.InputDispatchKeyEventTypeRawKeyDown
	if text := keyText(in); text != "" {
		e.Type, e.Text, e.UnmodifiedText = proto.InputDispatchKeyEventTypeKeyDown, text, text
	}
	if runtime.GOOS == "darwin" && in.Modifiers&modMeta != 0 {
		// On macOS these keys edit through the menu, which a headless browser lacks.
		if command := editingCommand(in); command != "" {
			e.Commands = []string{command}
		}
	}
	return e
}

func keyText(in pane.Input) string {
	if in.Modifiers&(modCtrl|modMeta) != 0 {
		return ""
	}
	if in.Key == "Enter" {
		return "\r"
	}
	r, size := utf8.DecodeRuneInString(in.Key)
	if in.Key == "" || size != len(in.Key) || !unicode.IsPrint(r) {
		return ""
	}
	if in.Modifiers&modAlt != 0 && r < utf8.RuneSelf { // a shortcut; the page sends AltGr and Option without Alt
		return ""
	}
	if in.Text != "" {
		return in.Text
	}
	return in.Key
}

func editingCommand(in pane.Input) string {
	command := map[string]string{
		"a": "selectAll",
		"c": "copy",
		"v": "paste",
		"x": "cut",
		"z": "undo",
	}[strings.ToLower(in.Key)]
	if command == "undo" && in.Modifiers&modShift != 0 {
		return "redo"
	}
	return command
}

// keyCode returns the Windows key code of a DOM key, 0 for one whose code does not matter.
func keyCode(key string) int {
	if code, ok := map[string]int{
		"Backspace": 8, "Tab": 9, "Enter": 13, "Shift": 16, "Control": 17, "Alt": 18, "Escape": 27, " ": 32,
		"PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
		"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Insert": 45, "Delete": 46, "Meta": 91,
	}[key]; ok {
		return code
	}
	if len(key) == 1 {
		if i := strings.IndexByte(shifted, key[0]); i >= 0 {
			key = unshifted[i : i+1]
		}
		c := strings.ToUpper(key)[0]
		if c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return int(c)
		}
		return punctuationKeys[c].code
	}
	return functionKey(key)
}

// The characters of a US keyboard with Shift, and without.
const (
	shifted   = `~!@#$%^&*()_+{}|:"<>?`
	unshifted = "`1234567890-=[]\\;',./"
)

// punctuationKeys are the keys of punctuation marks: their Windows key codes and DOM codes.
var punctuationKeys = map[byte]struct {
	code int
	name string
}{
	';':  {186, "Semicolon"},
	'=':  {187, "Equal"},
	',':  {188, "Comma"},
	'-':  {189, "Minus"},
	'.':  {190, "Period"},
	'/':  {191, "Slash"},
	'`':  {192, "Backquote"},
	'[':  {219, "BracketLeft"},
	'\\': {220, "Backslash"},
	']':  {221, "BracketRight"},
	'\'': {222, "Quote"},
}

// physicalKeyCode returns the KeyboardEvent.code of the key of a US keyboard that produces a
// character or has a name, or "".
func physicalKeyCode(key string) string {
	switch key {
	case " ":
		return "Space"
	case "Shift", "Control", "Alt", "Meta":
		return key + "Left"
	}
	if len(key) != 1 {
		if keyCode(key) != 0 {
			return key
		}
		return ""
	}
	if i := strings.IndexByte(shifted, key[0]); i >= 0 {
		key = unshifted[i : i+1]
	}
	switch c := strings.ToUpper(key)[0]; {
	case c >= 'A' && c <= 'Z':
		return "Key" + string(c)
	case c >= '0' && c <= '9':
		return "Digit" + string(c)
	default:
		return punctuationKeys[c].name
	}
}

// otherNames are names that terminals and models use for some keys.
var otherNames = map[string]string{
	"Space":    " ",
	"Spacebar": " ",
	"Esc":      "Escape",
	"Return":   "Enter",
	"Del":      "Delete",
	"Ins":      "Insert",
	"Up":       "ArrowUp",
	"Down":     "ArrowDown",
	"Left":     "ArrowLeft",
	"Right":    "ArrowRight",
	"PgUp":     "PageUp",
	"PgDn":     "PageDown",
}

// parseKeys parses "Enter", "a" or "Ctrl+Shift+z".
func parseKeys(keys string) (pane.Input, error) {
	var in pane.Input
	rest := strings.TrimSpace(keys)
	for {
		name, after, found := strings.Cut(rest, "+")
		if !found || after == "" { // "+" itself is a key
			break
		}
		bit, ok := map[string]int{
			"alt":     modAlt,
			"ctrl":    modCtrl,
			"control": modCtrl,
			"meta":    modMeta,
			"cmd":     modMeta,
			"shift":   modShift,
		}[strings.ToLower(name)]
		if !ok {
			return in, fmt.Errorf("%q is not a modifier: use Ctrl, Shift, Alt or Meta", text.SanitizeLine(name, 20))
		}
		in.Modifiers |= bit
		rest = after
	}
	if name, ok := otherNames[rest]; ok {
		rest = name
	}
	switch {
	case in.Modifiers&modShift != 0 && len(rest) == 1 && unicode.IsLower(rune(rest[0])):
		rest = strings.ToUpper(rest)
	case in.Modifiers&modShift != 0 && len(rest) == 1 && strings.Contains(unshifted, rest):
		rest = shifted[strings.Index(unshifted, rest):][:1]
	case utf8.RuneCountInString(rest) == 1, keyCode(rest) != 0:
	default:
		return in, fmt.Errorf("%q is not a key: use a character or a name like Enter, Tab, Escape, Backspace, Delete, "+
			"ArrowDown, PageDown, Home, F5", text.SanitizeLine(rest, 20))
	}
	in.Key, in.KeyCode = rest, keyCode(rest)
	return in, nil
}

func functionKey(key string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(key, "F"))
	if err != nil || !strings.HasPrefix(key, "F") || n < 1 || n > 12 {
		return 0
	}
	return 111 + n
}
