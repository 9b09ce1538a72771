package api

import (
	"goalpost/backend/panes/browser"
)

// ArgsUpload is one piece of a file that the user uploads to a page.
type ArgsUpload struct {
	Name string `json:"name"`
	Path string `json:"path"` // the path returned for the first piece; "" begins a file
	Data string `json:"data"` // base64, at most 1 MiB
}

// ArgsDevTools describes the developer tools to open.
type ArgsDevTools struct {
	// Element is the place of the element to show first, nil for the console.
	Element *browser.Point `json:"element"`
	Dark    bool           `json:"dark"` // in dark colors
	Width   int            `json:"width"`
	Height  int            `json:"height"` // CSS pixels, 0 = a default
}
