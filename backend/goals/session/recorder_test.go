package session

import (
	"testing"

	"goalpost/backend/domain/pane"
)

// TestFrameFilter_UserDrives_DropsFrames also checks that the first frame afterwards is dropped, because it may be
// older.
func TestFrameFilter_UserDrives_DropsFrames(t *testing.T) {
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
		if s.canRecord(f.driver) != f.open {
			t.Errorf("frame %d of the %s", i+1, f.driver)
		}
	}
}
