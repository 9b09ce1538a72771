package process

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestCapture_EndOfOutput_IsRead: the read deadline may pass before the reader runs for the first time, so that it
// reads nothing. What the program wrote before its end is still part of the output.
func TestCapture_EndOfOutput_IsRead(t *testing.T) {
	s, err := newStreamCapture()
	if err != nil {
		t.Fatal(err)
	}
	held, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	child := s.w // a child in the background keeps it open
	s.w = held
	defer child.Close()
	wrote := strings.Repeat("written ", 4<<10)
	if _, err := child.WriteString(wrote); err != nil {
		t.Fatal(err)
	}
	if err := s.r.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	s.start()
	<-s.done
	if read, n := s.finish(); string(read) != wrote || n != int64(len(wrote)) {
		t.Errorf("%d of %d bytes were read", n, len(wrote))
	}
}
