package app

import (
	"testing"

	"goalpost/backend/pane"
)

// TestNothingOfThePersonsIsFilmed: neither while she drives, nor the picture that may be left of it.
func TestNothingOfThePersonsIsFilmed(t *testing.T) {
	s := shutter{}
	for i, f := range []struct {
		driver pane.Driver
		open   bool
	}{
		{pane.Agent, true},
		{pane.Agent, true},
		{pane.Person, false},
		{pane.Person, false},
		{pane.Agent, false},
		{pane.Agent, true},
	} {
		if s.open(f.driver) != f.open {
			t.Errorf("frame %d of the %s", i+1, f.driver)
		}
	}
}
