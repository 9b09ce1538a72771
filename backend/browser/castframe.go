package browser

import (
	"bytes"
	"encoding/json"
	"math"
)

// screencastFrame is one Page.screencastFrame as Chromium sent it.
type screencastFrame struct {
	session       string // of the page
	cast          int    // Chromium's number of the screencast, named in the acknowledgement
	width, height int    // CSS pixels
	jpeg          []byte
}

// framePrefix is how Chromium begins the message; the data follows at once or
// after other members.
var framePrefix = []byte(`{"method":"Page.screencastFrame"`)

// parseFrame takes a message with framePrefix apart. The picture is a copy.
func parseFrame(message []byte) (screencastFrame, bool) {
	open := []byte(`"data":"`)
	i := bytes.Index(message, open)
	if i < 0 {
		return screencastFrame{}, false
	}
	i += len(open)
	n := bytes.IndexByte(message[i:], '"')
	if n < 0 {
		return screencastFrame{}, false
	}
	data := message[i : i+n]
	rest := make([]byte, 0, len(message)-n)
	rest = append(append(rest, message[:i]...), message[i+n:]...)
	var head struct {
		SessionID string `json:"sessionId"`
		Params    struct {
			SessionID int `json:"sessionId"`
			Metadata  struct {
				Width  float64 `json:"deviceWidth"`
				Height float64 `json:"deviceHeight"`
			} `json:"metadata"`
		} `json:"params"`
	}
	if err := json.Unmarshal(rest, &head); err != nil {
		return screencastFrame{}, false
	}
	jpeg, ok := decodePicture(data)
	if !ok {
		return screencastFrame{}, false
	}
	return screencastFrame{
		session: head.SessionID, cast: head.Params.SessionID,
		width: int(math.Round(head.Params.Metadata.Width)), height: int(math.Round(head.Params.Metadata.Height)),
		jpeg: jpeg,
	}, true
}
