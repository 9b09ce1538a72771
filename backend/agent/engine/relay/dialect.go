package relay

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"goalpost/backend/domain/goal"
)

// dialect is a protocol between agents and their models.
type dialect interface {
	// readQuestion converts a request to a question. Its error is sent to the agent.
	readQuestion(address *url.URL, body []byte) (question, error)
	// beginAnswer returns the writer of an answer, without writing anything yet.
	beginAnswer(w http.ResponseWriter, stream bool) answer
	writeFailure(w http.ResponseWriter, f failure)
}

// question is an agent's request to its model.
type question struct {
	turn   goal.Turn
	stream bool // the answer is a stream of events
	// count answers a request for the length of the conversation. It is nil for a request to the model.
	count func(w http.ResponseWriter, tokens int)
}

// answer writes a reply, as a stream of events or as a whole.
type answer interface {
	// addText sends a piece of the reply's text. It is called for streams only.
	addText(piece string)
	// finish sends the rest of a reply whose text was streamed, or the whole reply.
	finish(r goal.Reply)
}

// isTextCutOff reports whether a reply without calls was cut off. With calls, the agent continues with those.
func isTextCutOff(r goal.Reply) bool { return r.IsCutOff && len(r.Calls) == 0 }

// failure says why a question has no answer.
type failure struct {
	status  int
	tooLong bool // for the model's context; the agent may shorten its conversation
	message string
}

// bytesPerToken is an estimate for requests in JSON.
const bytesPerToken = 4

func estimateTokens(body []byte) int { return len(body)/bytesPerToken + 1 }

// writeJSON writes a whole answer.
func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // fails only if the agent has disconnected
}

// writeEvent writes an event of a stream and flushes it. name may be empty. Errors are ignored, because they mean that
// the agent has disconnected.
func writeEvent(w http.ResponseWriter, name string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if name != "" {
		name = "event: " + name + "\n"
	}
	_, _ = w.Write([]byte(name + "data: " + string(b) + "\n\n"))
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// decodeDataURL returns the content of a data URL in base64.
func decodeDataURL(address string) ([]byte, error) {
	_, data, ok := strings.Cut(address, ";base64,")
	content, err := base64.StdEncoding.DecodeString(data)
	if !ok || err != nil {
		return nil, errors.New("a picture is not a data URL")
	}
	return content, nil
}

// objectSchema is used for a tool without a schema.
var objectSchema = json.RawMessage(`{"type":"object","properties":{}}`)

// ModelName is the model name that agents use, whatever the goal's model is.
const ModelName = "relay"
