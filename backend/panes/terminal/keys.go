package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Keys presses keys, one after the other: a character, or Enter, Tab, Escape, Backspace, Delete, Insert, Space, Home,
// End, PageUp, PageDown, Up, Down, Left, Right, F1 to F12, each with Ctrl+, Alt+ and Shift+ before it: "Ctrl+C",
// "Shift+Tab", "Alt+Left". It presses all of them or, with an error, none.
func (s *Session) Keys(keys ...string) error {
	application := s.hasMode(cursorKeys) // the program decides how arrows are sent
	var all strings.Builder
	for _, name := range keys {
		key, err := encodeKey(name, application)
		if err != nil {
			return err
		}
		all.WriteString(key)
	}
	_, err := s.Write([]byte(all.String()))
	return err
}

// Type types text like a paste: a program with bracketed paste gets it whole and runs nothing before Enter. Line ends
// stay, other control characters are refused.
func (s *Session) Type(text string) error {
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return fmt.Errorf("the text contains the control character %q: press it as a key", r)
		}
	}
	if err := s.validateLines(text); err != nil {
		return err
	}
	input := strings.ReplaceAll(text, "\n", "\r")
	if s.hasMode(bracketedPaste) {
		input = "\x1b[200~" + input + "\x1b[201~"
	}
	_, err := s.Write([]byte(input))
	return err
}

// validateLines refuses a line of which the kernel would drop the end.
func (s *Session) validateLines(text string) error {
	for line := range strings.Lines(text) {
		if len(line) <= maxLine {
			continue
		}
		s.mu.Lock()
		l, err := s.life, s.endError()
		s.mu.Unlock()
		if err == nil && readsLines(l.master) {
			return fmt.Errorf("nothing was typed: a line of the text has %d bytes, and this program gets at most %d of a line "+
				"from the terminal: write the text to a file and let the program read that", len(line), maxLine)
		}
		return nil
	}
	return nil
}

type modifiers int

// Modifiers, as xterm numbers them.
const (
	shift modifiers = 1 << iota
	alt
	ctrl
)

// cursorKeyFinals are the final bytes of keys with an application mode.
var cursorKeyFinals = map[string]string{"Up": "A", "Down": "B", "Right": "C", "Left": "D", "Home": "H", "End": "F"}

// functionKeyFinals are the final bytes of the first four function keys.
var functionKeyFinals = map[string]string{"F1": "P", "F2": "Q", "F3": "R", "F4": "S"}

var tildeKeyNumbers = map[string]int{
	"Insert": 2, "Delete": 3, "PageUp": 5, "PageDown": 6,
	"F5": 15, "F6": 17, "F7": 18, "F8": 19, "F9": 20, "F10": 21, "F11": 23, "F12": 24,
}

var namedKeys = map[string]string{"Enter": "\r", "Tab": "\t", "Escape": "\x1b", "Backspace": "\x7f", "Space": " "}

// encodeKey returns the sequence that a keyboard sends for a key.
func encodeKey(name string, application bool) (string, error) {
	key, mods := name, modifiers(0)
	for _, m := range []struct {
		prefix string
		mod    modifiers
	}{{"Ctrl+", ctrl}, {"Alt+", alt}, {"Shift+", shift}, {"Ctrl+", ctrl}} {
		if rest, ok := strings.CutPrefix(key, m.prefix); ok && rest != "" {
			key, mods = rest, mods|m.mod
		}
	}
	if letter, ok := cursorKeyFinals[key]; ok {
		if mods == 0 && application {
			return "\x1bO" + letter, nil
		}
		return modifiedKey("1", letter, mods), nil
	}
	if letter, ok := functionKeyFinals[key]; ok {
		if mods == 0 {
			return "\x1bO" + letter, nil
		}
		return modifiedKey("1", letter, mods), nil
	}
	if number, ok := tildeKeyNumbers[key]; ok {
		return modifiedKey(strconv.Itoa(number), "~", mods), nil
	}
	if plainKey, ok := namedKeys[key]; ok {
		key = plainKey
	} else if utf8.RuneCountInString(key) != 1 {
		return "", fmt.Errorf("there is no key %q: use a character, Enter, Tab, Escape, Backspace, Delete, Insert, "+
			"Space, Home, End, PageUp, PageDown, Up, Down, Left, Right or F1 to F12, with Ctrl+, Alt+ or Shift+ before it", name)
	}
	return encodeCharacter(name, key, mods)
}

// modifiedKey returns a CSI sequence with its modifiers, if there are any.
func modifiedKey(number, final string, mods modifiers) string {
	switch {
	case mods != 0:
		return fmt.Sprintf("\x1b[%s;%d%s", number, mods+1, final)
	case final == "~":
		return "\x1b[" + number + final
	}
	return "\x1b[" + final
}

// encodeCharacter returns the sequence of a key for a character.
func encodeCharacter(name, key string, mods modifiers) (string, error) {
	switch {
	case key == "\t" && mods&shift != 0:
		key = "\x1b[Z"
	case mods&shift != 0:
		key = strings.ToUpper(key)
	}
	if mods&ctrl != 0 {
		c := strings.ToUpper(key)[0]
		switch {
		case key == " " || key == "@":
			key = "\x00"
		case key == "?":
			key = "\x7f"
		case key == "\x7f":
			key = "\x08"
		case c >= 'A' && c <= '_' && len(key) == 1:
			key = string(rune(c & 0x1f))
		case len(key) > 1 || c >= ' ':
			return "", fmt.Errorf("a terminal has no key %q", name)
		}
	}
	if mods&alt != 0 {
		key = "\x1b" + key
	}
	return key, nil
}
