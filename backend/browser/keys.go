package browser

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/pane"
)

// The modifiers of pane.Input.
const (
	modAlt   = 1
	modCtrl  = 2
	modMeta  = 4
	modShift = 8
)

// key is a key event in Chromium's words. A key that writes carries its text;
// with Ctrl, Meta, or Alt and a plain letter it is a shortcut and writes nothing.
func key(in pane.Input) proto.Request {
	code := in.KeyCode
	if code == 0 {
		code = keyCode(in.Key)
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
		// On macOS the menu, which a headless browser lacks, edits on these keys.
		if command := editing(in); command != "" {
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
	if in.Modifiers&modAlt != 0 && r < utf8.RuneSelf {
		return ""
	}
	if in.Text != "" {
		return in.Text
	}
	return in.Key
}

func editing(in pane.Input) string {
	command := map[string]string{"a": "selectAll", "c": "copy", "v": "paste", "x": "cut", "z": "undo"}[strings.ToLower(in.Key)]
	if command == "undo" && in.Modifiers&modShift != 0 {
		return "redo"
	}
	return command
}

// keyCode is the Windows key code of a DOM key, 0 if it has none that matters.
func keyCode(key string) int {
	if code, ok := map[string]int{
		"Backspace": 8, "Tab": 9, "Enter": 13, "Shift": 16, "Control": 17, "Alt": 18, "Escape": 27, " ": 32,
		"PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
		"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Insert": 45, "Delete": 46, "Meta": 91,
	}[key]; ok {
		return code
	}
	if len(key) == 1 {
		c := strings.ToUpper(key)[0]
		if c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return int(c)
		}
	}
	return 0
}

// parseKeys reads "Enter", "a" or "Ctrl+Shift+z".
func parseKeys(text string) (pane.Input, error) {
	var in pane.Input
	rest := strings.TrimSpace(text)
	for {
		name, after, found := strings.Cut(rest, "+")
		if !found || after == "" { // "+" itself is a key
			break
		}
		bit, ok := map[string]int{"alt": modAlt, "ctrl": modCtrl, "control": modCtrl, "meta": modMeta, "cmd": modMeta, "shift": modShift}[strings.ToLower(name)]
		if !ok {
			return in, fmt.Errorf("%q is not a modifier: use Ctrl, Shift, Alt or Meta", clean(name, 20))
		}
		in.Modifiers |= bit
		rest = after
	}
	switch {
	case rest == "Space":
		rest = " "
	case utf8.RuneCountInString(rest) == 1, keyCode(rest) != 0, functionKey(rest) != 0:
	default:
		return in, fmt.Errorf("%q is not a key: use a character or a name like Enter, Tab, Escape, Backspace, Delete, ArrowDown, PageDown, Home, F5", clean(rest, 20))
	}
	in.Key, in.KeyCode = rest, max(keyCode(rest), functionKey(rest))
	return in, nil
}

func functionKey(key string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(key, "F"))
	if err != nil || !strings.HasPrefix(key, "F") || n < 1 || n > 12 {
		return 0
	}
	return 111 + n
}
