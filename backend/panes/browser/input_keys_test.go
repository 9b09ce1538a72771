package browser

import (
	"testing"
)

// TestKeys_HavePhysicalCodes: pages that read KeyboardEvent.code, such as games and editors, get the
// codes of a user's keyboard.
func TestKeys_HavePhysicalCodes(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "fields.html")
	b.eval(p, `globalThis.received = [];
		addEventListener('keydown', (e) => received.push([e.key, e.code, e.keyCode].join(' '))); 1`)
	for keys, want := range map[string]string{
		"w":            "w KeyW 87",
		"Shift+a":      "A KeyA 65",
		"Ctrl+Shift+z": "Z KeyZ 90",
		"7":            "7 Digit7 55",
		"Shift+7":      "& Digit7 55",
		"?":            "? Slash 191",
		";":            "; Semicolon 186",
		"Space":        "  Space 32",
		"ArrowUp":      "ArrowUp ArrowUp 38",
		"Esc":          "Escape Escape 27",
		"Return":       "Enter Enter 13",
		"F2":           "F2 F2 113",
		"Up":           "ArrowUp ArrowUp 38",
		"é":            "é  0",
	} {
		b.act(p.Forms.Press(b.ctx, "", keys))
		if got := b.eval(p, `received.at(-1)`); got != `"`+want+`"` {
			t.Errorf("%s: the page received %s, want %q", keys, got, want)
		}
	}
	b.act(p.Forms.Type(b.ctx, "Plain", "Ok, 1/2", false, true))
	if got, want := b.eval(p, `received.slice(-7).map((s) => s.split(' ').at(-2)).join(' ')`),
		`"KeyO KeyK Comma Space Digit1 Slash Digit2"`; got != want {
		t.Errorf("typing was received as %s, want %s", got, want)
	}
}
