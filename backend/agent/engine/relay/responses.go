package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"goalpost/backend/domain/goal"
)

// responses is OpenAI's Responses API, for one request.
type responses struct {
	stream bool
	tools  map[string]responsesTool // by the names that our model sees
}

// responsesTool is the agent's name for a tool.
type responsesTool struct {
	namespace, name string
	isCustom        bool // its input is any text
}

// namespaceMark separates the namespace and the name of a tool for our model, which knows no namespaces.
const namespaceMark = "__"

func (r *responses) readQuestion(_ *url.URL, body []byte) (q question, err error) {
	var in responsesRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return q, fmt.Errorf("the request cannot be read: %w", err)
	}
	r.stream, r.tools, q.stream = in.Stream, map[string]responsesTool{}, in.Stream
	if in.Previous != "" {
		return q, errors.New("previous_response_id: this server stores no responses, so a request needs the whole input")
	}
	q.turn, err = in.toTurn()
	if err == nil {
		q.turn.Tools = r.readTools("", in.Tools)
	}
	return q, err
}

// writeFailure writes an HTTP error. A conversation that is too long is reported by an event in a stream, where agents
// look for it.
func (r *responses) writeFailure(w http.ResponseWriter, f failure) {
	reason := responsesError{Type: "invalid_request_error", Code: "invalid_request", Message: f.message}
	if f.tooLong {
		reason.Code = "context_length_exceeded"
	}
	if f.tooLong && r.stream {
		a := &responsesAnswer{w: w, dialect: r}
		a.send(responsesEvent{Type: "response.created", Response: a.response("in_progress")})
		failed := a.response("failed")
		failed.Error = &reason
		a.send(responsesEvent{Type: "response.failed", Response: failed})
		return
	}
	writeJSON(w, f.status, map[string]responsesError{"error": reason})
}

type responsesError struct {
	Type    string `json:"type,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

type responsesRequest struct {
	Instructions string                  `json:"instructions"`
	Input        itemList[responsesItem] `json:"input"`
	Tools        []responsesToolSpec     `json:"tools"`
	Stream       bool                    `json:"stream"`
	Previous     string                  `json:"previous_response_id"`
}

// responsesItem is one item of a conversation, of any type.
type responsesItem struct {
	Type      string                         `json:"type"` // none for a message
	Role      string                         `json:"role"`
	Content   itemList[responsesContentPart] `json:"content"`
	ID        string                         `json:"id"`
	CallID    string                         `json:"call_id"`
	Namespace string                         `json:"namespace"`
	Name      string                         `json:"name"`
	Arguments string                         `json:"arguments"`
	Input     string                         `json:"input"`
	Action    json.RawMessage                `json:"action"`
	Output    itemList[responsesContentPart] `json:"output"`
}

// ofText returns a message of the user.
func (responsesItem) ofText(text string) responsesItem {
	return responsesItem{Role: "user", Content: itemList[responsesContentPart]{responsesContentPart{}.ofText(text)}}
}

// responsesContentPart is a part of the content of an item.
type responsesContentPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL string `json:"image_url"`
}

func (responsesContentPart) ofText(text string) responsesContentPart {
	return responsesContentPart{Type: "input_text", Text: text}
}

func (r responsesContentPart) textOrImage() (text string, image []byte, err error) {
	switch r.Type {
	case "input_text", "output_text", "text", "summary_text":
		return r.Text, nil, nil
	case "refusal":
		return "", nil, nil
	case "input_image":
		image, err = decodeDataURL(r.ImageURL)
		return "", image, err
	}
	return "", nil, fmt.Errorf("this server does not support content of the type %q", r.Type)
}

// toTurn converts the request to a turn of our model, without its tools. It leaves out reasoning, which is encrypted
// for another provider.
func (r responsesRequest) toTurn() (t goal.Turn, err error) {
	var system []string
	if r.Instructions != "" {
		system = append(system, r.Instructions)
	}
	for _, item := range r.Input {
		switch item.Type {
		case "", "message":
			text, images, err := textAndImages(item.Content)
			if err != nil {
				return t, err
			}
			switch item.Role {
			case "system", "developer":
				system = append(system, text)
			case "user":
				t.Messages = append(t.Messages, goal.Message{Role: goal.User, Text: text, Images: images})
			case "assistant":
				addToAnswer(&t, text)
			default:
				return t, fmt.Errorf("unknown role %q", item.Role)
			}
		case "function_call":
			addToAnswer(&t, "", goal.Call{ID: item.CallID, Tool: joinName(item.Namespace, item.Name), Arguments: item.Arguments})
		case "custom_tool_call":
			addToAnswer(&t, "", goal.Call{
				ID:        item.CallID,
				Tool:      joinName(item.Namespace, item.Name),
				Arguments: customArguments(item.Input),
			})
		case "local_shell_call":
			addToAnswer(&t, "", goal.Call{ID: item.callID(), Tool: localShell, Arguments: shellArguments(item.Action)})
		case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "mcp_tool_call_output":
			text, images, err := textAndImages(item.Output)
			if err != nil {
				return t, err
			}
			t.Messages = append(t.Messages, goal.Message{
				Role:   goal.ToolRole,
				CallID: item.callID(),
				Text:   text,
				Images: images,
			})
		case "reasoning", "web_search_call", "image_generation_call", "compaction", "ghost_snapshot":
		default:
			return t, fmt.Errorf("this server does not support items of the type %q", item.Type)
		}
	}
	t.System = strings.Join(system, "\n\n")
	return t, nil
}

func (r responsesItem) callID() string {
	if r.CallID != "" {
		return r.CallID
	}
	return r.ID
}

// addToAnswer adds to the model's newest answer, or begins one. Consecutive items belong to the same answer.
func addToAnswer(t *goal.Turn, text string, calls ...goal.Call) {
	if n := len(t.Messages); n == 0 || t.Messages[n-1].Role != goal.Assistant {
		t.Messages = append(t.Messages, goal.Message{Role: goal.Assistant})
	}
	last := &t.Messages[len(t.Messages)-1]
	if last.Text != "" && text != "" {
		last.Text += "\n"
	}
	last.Text += text
	last.Calls = append(last.Calls, calls...)
}

func joinName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return strings.TrimSuffix(namespace, namespaceMark) + namespaceMark + name
}

// responsesToolSpec is a tool of the agent: a function, a tool whose input is any text, a shell, or a namespace of
// other tools.
type responsesToolSpec struct {
	Type        string              `json:"type"`
	Name        string              `json:"name"`
	Description string              `json:"description"`
	Parameters  json.RawMessage     `json:"parameters"`
	Format      *responsesFormat    `json:"format"`
	Tools       []responsesToolSpec `json:"tools"`
}

// responsesFormat is the grammar of a custom tool's input.
type responsesFormat struct {
	Syntax     string `json:"syntax"`
	Definition string `json:"definition"`
}

const localShell = "local_shell"

// readTools converts the tools, and stores their names. Tools that the provider executes are left out, because ours may
// not have them.
func (r *responses) readTools(namespace string, list []responsesToolSpec) (specs []goal.ToolSpec) {
	for _, in := range list {
		tool := responsesTool{namespace: namespace, name: in.Name}
		spec := goal.ToolSpec{Name: joinName(namespace, in.Name), Description: in.Description, Schema: in.Parameters}
		switch in.Type {
		case "function":
			if len(spec.Schema) == 0 || string(spec.Schema) == "null" {
				spec.Schema = objectSchema
			}
		case "custom":
			tool.isCustom, spec.Schema = true, customSchema
			if in.Format != nil && in.Format.Definition != "" {
				spec.Description += "\nThe input has this grammar (" + in.Format.Syntax + "):\n" + in.Format.Definition
			}
		case localShell:
			tool.name, spec.Name, spec.Schema = localShell, localShell, shellSchema
			spec.Description = "Runs a program."
		case "namespace":
			if namespace == "" { // namespaces do not nest
				specs = append(specs, r.readTools(in.Name, in.Tools)...)
			}
			continue
		default:
			continue
		}
		if _, exists := r.tools[spec.Name]; exists || tool.name == "" {
			continue
		}
		r.tools[spec.Name] = tool
		specs = append(specs, spec)
	}
	return specs
}

// Schemas for tools whose arguments are not JSON on the wire: our model's tools all take JSON.
var (
	customSchema = json.RawMessage(`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`)
	shellSchema  = json.RawMessage(`{"type":"object","properties":{"command":{"type":"array","items":{"type":"string"}},` +
		`"working_directory":{"type":"string"},"timeout_ms":{"type":"integer"}},"required":["command"]}`)
)

func customArguments(input string) string {
	b, err := json.Marshal(map[string]string{"input": input})
	if err != nil {
		return "{}"
	}
	return string(b)
}

// customInput returns the input text from a model's arguments of a custom tool. If the model wrote anything else, all
// of it is the text.
func customInput(arguments string) string {
	var in struct {
		Input *string `json:"input"`
	}
	if json.Unmarshal([]byte(arguments), &in) == nil && in.Input != nil {
		return *in.Input
	}
	return arguments
}

// shellArguments returns the arguments of a shell call in a conversation.
func shellArguments(action json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(action, &fields) != nil {
		return "{}"
	}
	delete(fields, "type")
	b, err := json.Marshal(fields)
	if err != nil {
		return "{}"
	}
	return string(b)
}
