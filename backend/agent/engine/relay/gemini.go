package relay

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"goalpost/backend/domain/goal"
)

// gemini is Google's generateContent.
type gemini struct{}

func (gemini) readQuestion(address *url.URL, body []byte) (q question, err error) {
	var in geminiRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return q, fmt.Errorf("the request cannot be read: %w", err)
	}
	q.stream = strings.HasSuffix(address.Path, ":streamGenerateContent")
	if q.stream && address.Query().Get("alt") != "sse" {
		return q, errors.New("streams are server-sent events only: add ?alt=sse")
	}
	if strings.HasSuffix(address.Path, ":countTokens") {
		if in.Inner != nil {
			in = *in.Inner
		}
		q.count = func(w http.ResponseWriter, tokens int) {
			writeJSON(w, http.StatusOK, map[string]int{"totalTokens": tokens})
		}
	}
	q.turn, err = in.toTurn()
	return q, err
}

func (gemini) beginAnswer(w http.ResponseWriter, stream bool) answer { return &geminiAnswer{w, stream} }

func (gemini) writeFailure(w http.ResponseWriter, f failure) {
	message := f.message
	if f.tooLong {
		message = "The input token count exceeds the maximum number of tokens allowed: " + message
	}
	status := "INVALID_ARGUMENT"
	if f.status == http.StatusNotFound {
		status = "NOT_FOUND"
	}
	writeJSON(w, f.status, wireObject{"error": wireObject{"code": f.status, "message": message, "status": status}})
}

type geminiRequest struct {
	Contents []geminiContent `json:"contents"`
	System   geminiContent   `json:"systemInstruction"`
	Tools    []struct {
		Functions []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`           // with types in capital letters
			Schema      json.RawMessage `json:"parametersJsonSchema"` // JSON schema
		} `json:"functionDeclarations"`
	} `json:"tools"`
	Config struct {
		MIMEType string          `json:"responseMimeType"`
		Schema   json.RawMessage `json:"responseSchema"`
		JSON     json.RawMessage `json:"responseJsonSchema"`
	} `json:"generationConfig"`
	Inner *geminiRequest `json:"generateContentRequest"` // in requests to countTokens
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought"`
	Inline  *struct {
		Data string `json:"data"`
	} `json:"inlineData"`
	Call *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
		Parts    []geminiPart    `json:"parts"`
	} `json:"functionResponse"`
}

// toTurn converts the request to a turn of our model.
func (g geminiRequest) toTurn() (t goal.Turn, err error) {
	var open []goal.Call // without a response, oldest first
	t.System = g.System.text()
	for _, c := range g.Contents {
		if err := addContent(&t, c, &open); err != nil {
			return t, err
		}
	}
	for _, tools := range g.Tools {
		for _, f := range tools.Functions {
			schema := f.Schema
			if len(schema) == 0 {
				schema = lowerTypes(f.Parameters)
			}
			t.Tools = append(t.Tools, goal.ToolSpec{Name: f.Name, Description: f.Description, Schema: schema})
		}
	}
	if g.Config.MIMEType == "application/json" {
		t.System += "\n\nAnswer with JSON only, without a code fence."
		schema := g.Config.JSON
		if len(schema) == 0 && len(g.Config.Schema) > 0 {
			schema = lowerTypes(g.Config.Schema)
		}
		if len(schema) > 0 {
			t.System += " Its schema: " + string(schema)
		}
	}
	return t, nil
}

func (g geminiContent) text() string {
	var texts []string
	for _, p := range g.Parts {
		if p.Text != "" && !p.Thought {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// addContent adds the results of calls, and then the rest as one message. Calls and responses without an id are paired
// by name, in order.
func addContent(t *goal.Turn, c geminiContent, open *[]goal.Call) error {
	out := goal.Message{Role: goal.User}
	switch c.Role {
	case "user", "function", "":
	case "model":
		out.Role = goal.Assistant
	default:
		return fmt.Errorf("unknown role %q", c.Role)
	}
	responses, err := addParts(&out, c.Parts)
	if err != nil {
		return err
	}
	for i := range out.Calls {
		if out.Calls[i].ID == "" {
			out.Calls[i].ID = fmt.Sprintf("call_%d_%d", len(t.Messages), i)
		}
	}
	*open = append(*open, out.Calls...)
	for _, r := range responses {
		for i, call := range *open {
			if call.ID == r.CallID || r.CallID == "" && call.Tool == r.tool {
				r.CallID = call.ID
				*open = append((*open)[:i:i], (*open)[i+1:]...)
				break
			}
		}
		t.Messages = append(t.Messages, r.Message)
	}
	if out.Text != "" || len(out.Images) > 0 || len(out.Calls) > 0 || out.Role == goal.Assistant {
		t.Messages = append(t.Messages, out)
	}
	return nil
}

// geminiResponse is the result of a call. CallID is "" if the agent sends none.
type geminiResponse struct {
	goal.Message
	tool string
}

// addParts adds texts, pictures and calls to a message, and returns the results of calls.
func addParts(m *goal.Message, parts []geminiPart) (responses []geminiResponse, err error) {
	m.Text = geminiContent{Parts: parts}.text()
	for _, p := range parts {
		switch {
		case p.Inline != nil:
			picture, err := base64.StdEncoding.DecodeString(p.Inline.Data)
			if err != nil {
				return nil, errors.New("a picture is not in base64")
			}
			m.Images = append(m.Images, picture)
		case p.Call != nil:
			m.Calls = append(m.Calls, goal.Call{ID: p.Call.ID, Tool: p.Call.Name, Arguments: string(p.Call.Args)})
		case p.Response != nil:
			r := geminiResponse{tool: p.Response.Name}
			if _, err := addParts(&r.Message, p.Response.Parts); err != nil {
				return nil, err
			}
			r.Role, r.CallID, r.Calls = goal.ToolRole, p.Response.ID, nil
			r.Text = strings.TrimSpace(responseText(p.Response.Response) + "\n" + r.Text)
			responses = append(responses, r)
		}
	}
	return responses, nil
}

// responseText returns the text of a call's result, which is an object with "output", with "error", or with other
// fields.
func responseText(raw json.RawMessage) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil && len(object) == 1 {
		for _, c := range []struct{ field, before string }{{"output", ""}, {"error", "Error: "}} {
			var text string
			if json.Unmarshal(object[c.field], &text) == nil && text != "" {
				return c.before + text
			}
		}
	}
	return string(raw)
}

// lowerTypes converts a schema in Google's form, whose types are in capital letters, to a JSON schema.
func lowerTypes(raw json.RawMessage) json.RawMessage {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return objectSchema
	}
	b, err := json.Marshal(lowerTypesOf(v, true))
	if err != nil {
		return objectSchema
	}
	return b
}

// lowerTypesOf converts a part of a schema. isSchema is false for a map of names to schemas.
func lowerTypesOf(v any, isSchema bool) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = lowerTypesOf(v[i], true)
		}
	case map[string]any:
		for name, inner := range v {
			if text, ok := inner.(string); ok && isSchema && name == "type" {
				v[name] = strings.ToLower(text)
			} else if name != "enum" && name != "default" && name != "example" || !isSchema {
				v[name] = lowerTypesOf(inner, !isSchema || name != "properties")
			}
		}
	}
	return v
}

// geminiAnswer writes one answer of the model.
type geminiAnswer struct {
	w      http.ResponseWriter
	stream bool
}

func (g *geminiAnswer) addText(piece string) {
	writeEvent(g.w, "", geminiObject([]wireObject{{"text": piece}}, ""))
}

func (g *geminiAnswer) finish(r goal.Reply) {
	parts := []wireObject{}
	if !g.stream && r.Text != "" {
		parts = append(parts, wireObject{"text": r.Text})
	}
	for _, c := range r.Calls {
		parts = append(parts, wireObject{"functionCall": wireObject{
			"id": c.ID, "name": c.Tool, "args": json.RawMessage(argumentsObject(c.Arguments)),
		}})
	}
	if len(parts) == 0 {
		parts = append(parts, wireObject{"text": ""})
	}
	stop := "STOP"
	if isTextCutOff(r) {
		stop = "MAX_TOKENS"
	}
	response := geminiObject(parts, stop)
	response["usageMetadata"] = wireObject{
		"promptTokenCount":     r.Usage.TokensIn,
		"candidatesTokenCount": r.Usage.TokensOut,
		"totalTokenCount":      r.Usage.TokensIn + r.Usage.TokensOut,
	}
	if g.stream {
		writeEvent(g.w, "", response)
		return
	}
	writeJSON(g.w, http.StatusOK, response)
}

func geminiObject(parts []wireObject, stop string) wireObject {
	candidate := wireObject{"index": 0, "content": wireObject{"role": "model", "parts": parts}}
	if stop != "" {
		candidate["finishReason"] = stop
	}
	return wireObject{"modelVersion": ModelName, "candidates": []wireObject{candidate}}
}
