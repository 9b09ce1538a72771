package event_test

import (
	"reflect"
	"testing"

	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/event"
)

func TestJoin_TextOfOneStream_IsOneEvent(t *testing.T) {
	goals := func(first, next event.Body) [2]event.Event {
		return [2]event.Event{{GoalID: "g", RunID: "r", Body: first}, {GoalID: "g", RunID: "r", Body: next}}
	}
	chats := func(first, next *event.ChatDelta) [2]event.Event { return [2]event.Event{{Body: first}, {Body: next}} }
	words := func(id chat.ID, part, offset int, text, reasoning string) *event.ChatDelta {
		return &event.ChatDelta{ChatID: id, Delta: chat.Delta{
			Message: 2, Part: part, Offset: offset, Text: text, Reasoning: reasoning,
		}}
	}
	two := goals(&event.Delta{Text: "a"}, &event.Delta{Text: "b"})
	two[1].GoalID = "h"
	for name, test := range map[string]struct {
		events [2]event.Event
		want   event.Body // nil: they stay two
	}{
		"a goal": {
			goals(&event.Delta{Text: "a", Reasoning: "x"}, &event.Delta{Text: "b", Reasoning: "y"}),
			&event.Delta{Text: "ab", Reasoning: "xy"},
		},
		"two goals":          {two, nil},
		"a step of the goal": {goals(&event.Delta{Text: "a"}, &event.Iteration{N: 1}), nil},
		"a chat, with a sign of two code units": {
			chats(words("c", 1, 3, "😀", ""), words("c", 1, 5, "b", "")), words("c", 1, 3, "😀b", ""),
		},
		"a chat's reasoning": {
			chats(words("c", 1, 0, "", "a"), words("c", 1, 0, "", "b")), words("c", 1, 0, "", "ab"),
		},
		"text after reasoning": {chats(words("c", 1, 0, "", "a"), words("c", 1, 0, "b", "")), nil},
		"text after a gap":     {chats(words("c", 1, 0, "a", ""), words("c", 1, 2, "b", "")), nil},
		"another part":         {chats(words("c", 1, 0, "a", ""), words("c", 2, 1, "b", "")), nil},
		"another chat":         {chats(words("c", 1, 0, "a", ""), words("d", 1, 1, "b", "")), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := event.Join(test.events[0], test.events[1])
			if ok != (test.want != nil) || !reflect.DeepEqual(got.Body, test.want) {
				t.Errorf("%v, %+v", ok, got.Body)
			}
		})
	}
}
