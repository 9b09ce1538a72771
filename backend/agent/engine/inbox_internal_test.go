package engine

import "testing"

// TestInbox_TwoMessages_AreApart: an empty line is between two messages, but not before the first.
func TestInbox_TwoMessages_AreApart(t *testing.T) {
	var i inbox
	i.addText("I claim at once", true)
	i.addText(".", false)
	i.addText("ending my turn", true)
	piece, _ := i.takePieces()
	if text := i.takeText(); text != "I claim at once.\n\nending my turn" || piece != text {
		t.Errorf("%q, and piece by piece %q", text, piece)
	}
}
