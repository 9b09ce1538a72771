package pane

import "slices"

// Size is a size of a pane: CSS pixels of a page and the pixels of the screen for each of them, or the columns and rows
// of a terminal.
type Size struct {
	Width, Height int
	Ratio         float64
}

// Sizes decides which viewer of a pane sets its size: of those on a screen, the one that had the keyboard last, or the
// first one if none had it. While all are hidden, the same counts for the sizes that they had. A viewer that only looks
// never sets it. The zero value has no viewers. The caller guards it.
type Sizes struct {
	viewers   []*SizedViewer // in the order in which they came
	keyboards int            // counts the times a viewer got the keyboard
}

// SizedViewer is one viewer as Sizes sees it.
type SizedViewer struct {
	// Space is what the viewer has for the pane.
	Space Size
	// Looks means that the viewer fits the pane into its space, as a phone does, and sets no size.
	Looks bool

	visible  bool
	size     Size // the newest space while it was visible, the zero value for none
	keyboard int  // when it got the keyboard, 0 for never
}

// Add adds a viewer, which is visible and has no size.
func (s *Sizes) Add() *SizedViewer {
	v := &SizedViewer{visible: true}
	s.viewers = append(s.viewers, v)
	return v
}

// Remove removes a viewer.
func (s *Sizes) Remove(v *SizedViewer) {
	s.viewers = slices.DeleteFunc(s.viewers, func(have *SizedViewer) bool { return have == v })
}

// SetSpace stores the space of a viewer.
func (s *Sizes) SetSpace(v *SizedViewer, space Size, looks bool) {
	v.Space, v.Looks = space, looks
	v.update()
}

// SetVisible stores whether a viewer is on a screen.
func (s *Sizes) SetVisible(v *SizedViewer, on bool) {
	v.visible = on
	v.update()
}

// GiveKeyboard notes that the user turned to a viewer.
func (s *Sizes) GiveKeyboard(v *SizedViewer) {
	s.keyboards++
	v.keyboard = s.keyboards
}

// Get returns the size of the pane; false means that no viewer sets one, and the present size stays.
func (s *Sizes) Get() (Size, bool) {
	var first *SizedViewer
	for _, v := range s.viewers {
		if v.size != (Size{}) && (first == nil || v.beats(first)) {
			first = v
		}
	}
	if first == nil {
		return Size{}, false
	}
	return first.size, true
}

// beats reports whether the viewer sets the size rather than one that came earlier.
func (v *SizedViewer) beats(earlier *SizedViewer) bool {
	if v.visible != earlier.visible {
		return v.visible
	}
	return v.keyboard > earlier.keyboard
}

func (v *SizedViewer) update() {
	switch {
	case v.Looks:
		v.size = Size{}
	case v.visible:
		v.size = v.Space
	}
}
