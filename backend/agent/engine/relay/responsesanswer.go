package relay

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"time"

	"goalpost/backend/domain/goal"
)

func (r *responses) beginAnswer(w http.ResponseWriter, _ bool) answer {
	return &responsesAnswer{w: w, dialect: r}
}

// responsesAnswer writes one response.
type responsesAnswer struct {
	w       http.ResponseWriter
	dialect *responses
	id      string
	text    string
	message *responsesOutput // the message whose text is being streamed
	items   []responsesOutput
	events  int
}

// responsesObject is a response.
type responsesObject struct {
	ID        string            `json:"id"`
	Object    string            `json:"object"`
	CreatedAt int64             `json:"created_at"`
	Status    string            `json:"status"`
	Model     string            `json:"model"`
	Output    []responsesOutput `json:"output"`
	Error     *responsesError   `json:"error"`
	Usage     *responsesUsage   `json:"usage"`
	// Incomplete says why the response ended too early, nil if it did not.
	Incomplete *responsesIncomplete `json:"incomplete_details"`
}

type responsesIncomplete struct {
	Reason string `json:"reason"`
}

type responsesUsage struct {
	Input        int64            `json:"input_tokens"`
	InputDetails map[string]int64 `json:"input_tokens_details"`
	Output       int64            `json:"output_tokens"`
	OutDetails   map[string]int64 `json:"output_tokens_details"`
	Total        int64            `json:"total_tokens"`
}

// responsesOutput is an item of a response: a message or a call.
type responsesOutput struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Status    string          `json:"status"`
	Role      string          `json:"role,omitempty"`
	Content   []responsesPart `json:"content,omitempty"`
	CallID    string          `json:"call_id,omitempty"`
	Namespace string          `json:"namespace,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments *string         `json:"arguments,omitempty"`
	Input     *string         `json:"input,omitempty"`
	Action    json.RawMessage `json:"action,omitempty"`
}

type responsesPart struct {
	Type        string   `json:"type"`
	Text        string   `json:"text"`
	Annotations []string `json:"annotations"`
}

// responsesEvent is an event of a stream. Fields of other events are nil.
type responsesEvent struct {
	Type         string           `json:"type"`
	Sequence     int              `json:"sequence_number"`
	Response     *responsesObject `json:"response,omitempty"`
	OutputIndex  *int             `json:"output_index,omitempty"`
	ContentIndex *int             `json:"content_index,omitempty"`
	ItemID       string           `json:"item_id,omitempty"`
	Item         *responsesOutput `json:"item,omitempty"`
	Part         *responsesPart   `json:"part,omitempty"`
	Delta        string           `json:"delta,omitempty"`
	Text         *string          `json:"text,omitempty"`
	Arguments    *string          `json:"arguments,omitempty"`
	Input        *string          `json:"input,omitempty"`
}

func (ra *responsesAnswer) addText(piece string) {
	index, part := len(ra.items), 0
	if ra.message == nil {
		ra.begin()
		ra.message = &responsesOutput{Type: "message", ID: "msg_" + rand.Text(), Status: "in_progress", Role: "assistant"}
		ra.send(responsesEvent{Type: "response.output_item.added", OutputIndex: &index, Item: ra.message})
		ra.send(responsesEvent{
			Type:         "response.content_part.added",
			OutputIndex:  &index,
			ContentIndex: &part,
			ItemID:       ra.message.ID,
			Part:         textPart(""),
		})
	}
	ra.text += piece
	ra.send(responsesEvent{
		Type:         "response.output_text.delta",
		OutputIndex:  &index,
		ContentIndex: &part,
		ItemID:       ra.message.ID,
		Delta:        piece,
	})
}

func (ra *responsesAnswer) finish(r goal.Reply) {
	if !ra.dialect.stream {
		if r.Text != "" {
			ra.items = append(ra.items, messageItem("msg_"+rand.Text(), r.Text))
		}
		for _, c := range r.Calls {
			ra.items = append(ra.items, ra.callItem(c))
		}
		writeJSON(ra.w, http.StatusOK, ra.ended(r))
		return
	}
	ra.begin()
	if ra.message == nil && r.Text != "" { // the model did not stream it
		ra.addText(r.Text)
	}
	ra.endMessage()
	for _, c := range r.Calls {
		ra.sendCall(ra.callItem(c))
	}
	end := ra.ended(r)
	ra.send(responsesEvent{Type: "response." + end.Status, Response: end})
}

// begin sends the events that start a response, once.
func (ra *responsesAnswer) begin() {
	if ra.events > 0 {
		return
	}
	ra.send(responsesEvent{Type: "response.created", Response: ra.response("in_progress")})
	ra.send(responsesEvent{Type: "response.in_progress", Response: ra.response("in_progress")})
}

// endMessage ends the message whose text was streamed, if there is one.
func (ra *responsesAnswer) endMessage() {
	if ra.message == nil {
		return
	}
	index, part := len(ra.items), 0
	item := messageItem(ra.message.ID, ra.text)
	ra.send(responsesEvent{
		Type:         "response.output_text.done",
		OutputIndex:  &index,
		ContentIndex: &part,
		ItemID:       item.ID,
		Text:         &ra.text,
	})
	ra.send(responsesEvent{
		Type:         "response.content_part.done",
		OutputIndex:  &index,
		ContentIndex: &part,
		ItemID:       item.ID,
		Part:         textPart(ra.text),
	})
	ra.send(responsesEvent{Type: "response.output_item.done", OutputIndex: &index, Item: &item})
	ra.items = append(ra.items, item)
}

// sendCall sends a whole call.
func (ra *responsesAnswer) sendCall(item responsesOutput) {
	index := len(ra.items)
	initial, none := item, ""
	initial.Status = "in_progress"
	switch {
	case item.Arguments != nil:
		initial.Arguments = &none
	case item.Input != nil:
		initial.Input = &none
	}
	ra.send(responsesEvent{Type: "response.output_item.added", OutputIndex: &index, Item: &initial})
	switch {
	case item.Arguments != nil:
		name := "response.function_call_arguments"
		ra.send(responsesEvent{Type: name + ".delta", OutputIndex: &index, ItemID: item.ID, Delta: *item.Arguments})
		ra.send(responsesEvent{Type: name + ".done", OutputIndex: &index, ItemID: item.ID, Arguments: item.Arguments})
	case item.Input != nil:
		name := "response.custom_tool_call_input"
		ra.send(responsesEvent{Type: name + ".delta", OutputIndex: &index, ItemID: item.ID, Delta: *item.Input})
		ra.send(responsesEvent{Type: name + ".done", OutputIndex: &index, ItemID: item.ID, Input: item.Input})
	}
	ra.send(responsesEvent{Type: "response.output_item.done", OutputIndex: &index, Item: &item})
	ra.items = append(ra.items, item)
}

// callItem returns a call in the form of the agent's tool. A call of a tool that the agent did not offer becomes a
// function call, and the agent reports the error to the model.
func (ra *responsesAnswer) callItem(c goal.Call) responsesOutput {
	tool, isKnown := ra.dialect.tools[c.Tool]
	if !isKnown {
		tool.name = c.Tool
	}
	item := responsesOutput{
		Type:      "function_call",
		ID:        "fc_" + rand.Text(),
		Status:    "completed",
		CallID:    c.ID,
		Namespace: tool.namespace,
		Name:      tool.name,
	}
	switch {
	case tool.isCustom:
		input := customInput(c.Arguments)
		item.Type, item.Input = "custom_tool_call", &input
	case isKnown && tool.name == localShell && tool.namespace == "":
		item.Type, item.Name, item.Action = "local_shell_call", "", shellAction(c.Arguments)
	default:
		item.Arguments = &c.Arguments
	}
	return item
}

// shellAction converts a model's arguments to the action of a shell call.
func shellAction(arguments string) json.RawMessage {
	var in struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Dir     *string  `json:"working_directory"`
		Timeout *int64   `json:"timeout_ms"`
	}
	if json.Unmarshal([]byte(arguments), &in) != nil || in.Command == nil {
		in.Command = []string{} // the agent reports the missing command to the model
	}
	in.Type = "exec"
	b, err := json.Marshal(in)
	if err != nil {
		return json.RawMessage(`{"type":"exec","command":[]}`)
	}
	return b
}

func messageItem(id, text string) responsesOutput {
	return responsesOutput{
		Type:    "message",
		ID:      id,
		Status:  "completed",
		Role:    "assistant",
		Content: []responsesPart{*textPart(text)},
	}
}

func textPart(text string) *responsesPart {
	return &responsesPart{Type: "output_text", Text: text, Annotations: []string{}}
}

// response returns the response with its items so far.
func (ra *responsesAnswer) response(status string) *responsesObject {
	if ra.id == "" {
		ra.id = "resp_" + rand.Text()
	}
	output := ra.items
	if output == nil {
		output = []responsesOutput{}
	}
	return &responsesObject{
		ID:        ra.id,
		Object:    "response",
		CreatedAt: time.Now().Unix(),
		Status:    status,
		Model:     ModelName,
		Output:    output,
	}
}

func (ra *responsesAnswer) ended(reply goal.Reply) *responsesObject {
	r, u := ra.response("completed"), reply.Usage
	if isTextCutOff(reply) {
		r.Status, r.Incomplete = "incomplete", &responsesIncomplete{Reason: "max_output_tokens"}
	}
	r.Usage = &responsesUsage{
		Input:        u.TokensIn,
		InputDetails: map[string]int64{"cached_tokens": 0},
		Output:       u.TokensOut,
		OutDetails:   map[string]int64{"reasoning_tokens": 0},
		Total:        u.TokensIn + u.TokensOut,
	}
	return r
}

func (ra *responsesAnswer) send(e responsesEvent) {
	e.Sequence = ra.events
	ra.events++
	writeEvent(ra.w, e.Type, e)
}
