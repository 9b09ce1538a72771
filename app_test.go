package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
)

// TestFormatProblem_IsText: the problem is text, because Wails' runtime passes it to new Error(...): an object would
// become the message "[object Object]" in the page.
func TestFormatProblem_IsText(t *testing.T) {
	w := &window{}
	format := w.options(nil, nil).ErrorFormatter
	refusal := &fault.Error{Message: `no "model"`, Hint: "add one <here>\nor there", Field: "provider"}
	for _, c := range []struct {
		err  error
		want fault.Error
	}{
		{refusal, fault.Error{Code: fault.Refused, Message: refusal.Message, Hint: refusal.Hint, Field: refusal.Field}},
		{
			fmt.Errorf("start: %w", &fault.Error{Code: fault.Conflict, Message: "it runs", Hint: "wait"}),
			fault.Error{Code: fault.Conflict, Message: "it runs", Hint: "wait"},
		},
		{errors.New("disk full"), *api.ToProblem(errors.New("disk full"))},
	} {
		text, ok := format(c.err).(string)
		if !ok {
			t.Errorf("%v: the page gets a %T", c.err, format(c.err))
			continue
		}
		var got fault.Error
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != c.want {
			t.Errorf("%v: the page gets %s (%v), want %+v", c.err, text, err, c.want)
		}
	}
}
