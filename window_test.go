package main

import (
	"slices"
	"testing"
)

func TestRequestedGoal_WaitsForThePage(t *testing.T) {
	var r requestedGoal
	var sent []string
	send := func(goalID string) { sent = append(sent, goalID) }
	r.showGoal("first")
	r.showGoal("second")
	if len(sent) > 0 {
		t.Fatalf("%q were sent to a page that does not listen", sent)
	}
	r.connect(send)
	r.connect(send) // the page was loaded again
	r.showGoal("third")
	if want := []string{"second", "third"}; !slices.Equal(sent, want) {
		t.Errorf("the page got %q, want %q", sent, want)
	}
}
