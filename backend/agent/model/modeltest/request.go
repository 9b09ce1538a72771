package modeltest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"

	"goalpost/backend/domain/goal"
)

// Request is a client's request.
type Request struct {
	Model        string
	Messages     []goal.Message // the system prompt comes first, with the role system
	Tools        []string       // names, in the order sent
	Stream       bool
	IncludeUsage bool
	Effort       string
	Anthropic    bool // in Anthropic's protocol
	Responses    bool // in the Responses API
	Header       http.Header
	Body         []byte
}

// Last returns the newest message of the conversation, empty if there is none.
func (r Request) Last() goal.Message {
	if len(r.Messages) == 0 {
		return goal.Message{}
	}
	return r.Messages[len(r.Messages)-1]
}

// decodeImage returns no image for data that is not base64.
func decodeImage(data string) [][]byte {
	image, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil
	}
	return [][]byte{image}
}

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}
