package chat

import "goalpost/backend/domain/goal"

// Entry is one entry of a conversation as the model reads it: the user's words with what is attached, a turn of the
// model, or the result of a call.
type Entry struct {
	Message goal.Message `json:"message"`
	// of the result of a call
	State   CallState `json:"state,omitempty"`
	Preview string    `json:"preview,omitempty"`
	MS      int64     `json:"ms,omitempty"`
	Whole   string    `json:"whole,omitempty"` // the result, if the message has only a part of it
}

// PartsOf returns the parts of an answer. A call without a result counts as failed, unless the answer is still written.
func PartsOf(entries []Entry, state State) []Part {
	parts := []Part{}
	at := map[string]int{} // of calls, by id
	for _, e := range entries {
		m := e.Message
		switch m.Role {
		case goal.Assistant:
			if m.Text != "" {
				parts = append(parts, Part{Text: m.Text})
			}
			for _, c := range m.Calls {
				at[c.ID] = len(parts)
				call := &Call{ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, State: CallFailed}
				if state == Answering {
					call.State = CallRunning
				}
				parts = append(parts, Part{Call: call})
			}
		case goal.User, goal.System:
		case goal.ToolRole:
			if i, ok := at[m.CallID]; ok {
				call := parts[i].Call
				call.State, call.Preview, call.MS = e.State, e.Preview, e.MS
			}
		}
	}
	return parts
}

// TextOf returns the text of an answer, without its calls.
func TextOf(parts []Part) string {
	text := ""
	for _, p := range parts {
		if p.Text != "" && text != "" {
			text += "\n\n"
		}
		text += p.Text
	}
	return text
}
