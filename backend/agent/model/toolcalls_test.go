package model

import "testing"

func TestCalls_TooMany_IsAnError(t *testing.T) {
	var c toolCallAssembler
	for i := range maxCalls + 1 {
		err := c.add(toolCallDelta{Index: &i})
		if (err != nil) != (i == maxCalls) {
			t.Fatalf("call %d: %v", i, err)
		}
	}
}
