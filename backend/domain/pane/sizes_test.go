package pane

import "testing"

// TestSizes_SeveralViewers_FollowTheKeyboard: a phone that looks and a hidden window change nothing.
func TestSizes_SeveralViewers_FollowTheKeyboard(t *testing.T) {
	var sizes Sizes
	is := func(when string, want Size) {
		t.Helper()
		if got, ok := sizes.Get(); got != want || ok != (want != Size{}) {
			t.Errorf("%s: %v %v, want %v", when, got, ok, want)
		}
	}
	wide, small, phone := Size{1200, 800, 1}, Size{600, 400, 2}, Size{390, 700, 3}
	is("without viewers", Size{})
	hidden := sizes.Add()
	sizes.SetVisible(hidden, false)
	sizes.SetSpace(hidden, small, false)
	is("only a hidden viewer", Size{})
	desk := sizes.Add()
	sizes.SetSpace(desk, wide, false)
	is("the first visible one", wide)
	hand := sizes.Add()
	sizes.SetSpace(hand, phone, true)
	sizes.GiveKeyboard(hand)
	is("a phone looks", wide)
	sizes.SetVisible(hidden, true)
	is("an earlier viewer appears", small)
	sizes.GiveKeyboard(desk)
	is("the other one has the keyboard", wide)
	sizes.SetVisible(desk, false)
	sizes.SetSpace(desk, phone, false)
	is("it is hidden, and another one is alone on a screen", small)
	sizes.SetVisible(hidden, false)
	is("all are hidden, and the space of one shrank", wide)
	sizes.Remove(desk)
	is("it leaves", small)
	sizes.SetSpace(hand, phone, false)
	is("the phone asks for its size", phone)
	sizes.Remove(hand)
	sizes.Remove(hidden)
	is("all have left", Size{})
}
