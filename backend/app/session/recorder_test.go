package session

import (
	"testing"

	"goalpost/backend/pane"
)

// TestNothingOfThePersonsIsFilmed: neither while the user drives, nor a picture that may be left from that.
func TestNothingOfThePersonsIsFilmed(t *testing.T) {
	s := frameFilter{}
	for i, f := range []struct {
		driver pane.Driver
		open   bool
	}{
		{pane.DriverAgent, true},
		{pane.DriverAgent, true},
		{pane.DriverUser, false},
		{pane.DriverUser, false},
		{pane.DriverAgent, false},
		{pane.DriverAgent, true},
	} {
		if s.mayRecord(f.driver) != f.open {
			t.Errorf("frame %d of the %s", i+1, f.driver)
		}
	}
}
