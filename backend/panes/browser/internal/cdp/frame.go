package cdp

import (
	"bytes"
	"encoding/json"
	"math"
)

// ScreencastFrame is one Page.screencastFrame as Chromium sent it.
type ScreencastFrame struct {
	Session       string // of the page
	ScreencastID  int    // Chromium's number of the screencast, for the acknowledgement
	Width, Height int    // CSS pixels
	JPEG          []byte
}

// framePrefix is the beginning of the message; the data follows directly or after other members.
var framePrefix = []byte(`{"method":"Page.screencastFrame"`)

// parseFrame parses a message with framePrefix. The picture is a copy.
func parseFrame(message []byte) (ScreencastFrame, bool) {
	open := []byte(`"data":"`)
	i := bytes.Index(message, open)
	if i < 0 {
		return ScreencastFrame{}, false
	}
	i += len(open)
	n := bytes.IndexByte(message[i:], '"')
	if n < 0 {
		return ScreencastFrame{}, false
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
		return ScreencastFrame{}, false
	}
	jpeg, ok := decodePicture(data)
	if !ok {
		return ScreencastFrame{}, false
	}
	return ScreencastFrame{
		Session: head.SessionID, ScreencastID: head.Params.SessionID,
		Width: int(math.Round(head.Params.Metadata.Width)), Height: int(math.Round(head.Params.Metadata.Height)),
		JPEG: jpeg,
	}, true
}
