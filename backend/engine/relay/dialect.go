package relay

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"goalpost/backend/goal"
)

// dialect is a protocol in which agents ask their models.
type dialect interface {
	// readQuestion converts a request to a question. Its error is for the agent.
	readQuestion(address *url.URL, body []byte) (question, error)
	// beginAnswer returns the writer of an answer. It writes nothing.
	beginAnswer(w http.ResponseWriter, stream bool) answer
	writeFailure(w http.ResponseWriter, f failure)
}

// question is what an agent asks.
type question struct {
	turn   goal.Turn
	stream bool // the answer is a stream of events
	// count answers a question for the length of the conversation. It is nil if the model is to be asked.
	count func(w http.ResponseWriter, tokens int)
}

// answer writes a reply, as a stream of events or as a whole.
type answer interface {
	// addText sends a piece of the reply's text. It is called for streams only.
	addText(piece string)
	// finish sends the rest of a reply whose text was streamed, or the whole reply.
	finish(r goal.Reply)
}

// failure is why a question has no answer.
type failure struct {
	status  int
	tooLong bool // for the model's context: the agent may shorten its conversation
	message string
}

// bytesPerToken is a guess for requests in JSON.
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
	_, _ = w.Write(b) // an agent that has gone gets none
}

// writeEvent writes an event of a stream at once. name may be empty. An agent that has gone gets none.
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

// decodeDataURL is the content of a data URL in base64.
func decodeDataURL(address string) ([]byte, error) {
	_, data, ok := strings.Cut(address, ";base64,")
	content, err := base64.StdEncoding.DecodeString(data)
	if !ok || err != nil {
		return nil, errors.New("a picture is not a data URL")
	}
	return content, nil
}

// objectSchema is the schema of a tool without one.
var objectSchema = json.RawMessage(`{"type":"object","properties":{}}`)

// ModelName is the model's name for the agent.
const ModelName = "relay"
