package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestToResult_StructuredContent_IsReadOnce: many servers only summarize it in the text, and others repeat it there.
func TestToResult_StructuredContent_IsReadOnce(t *testing.T) {
	structured := map[string]any{"chunks": []any{"the evidence"}, "n": json.Number("1")}
	for name, c := range map[string]struct {
		content []sdk.Content
		want    int
	}{
		"alone":            {nil, 1},
		"summarized":       {[]sdk.Content{&sdk.TextContent{Text: "1 useful, see the structured content"}}, 1},
		"repeated":         {[]sdk.Content{&sdk.TextContent{Text: `{"n": 1, "chunks": ["the evidence"]}`}}, 1},
		"beside a picture": {[]sdk.Content{&sdk.ImageContent{MIMEType: "image/tiff", Data: []byte("x")}}, 1},
	} {
		r := toResult("s", &sdk.CallToolResult{Content: c.content, StructuredContent: structured})
		if got := strings.Count(r.Text, "the evidence"); got != c.want || !r.OK {
			t.Errorf("%s: the evidence is there %d times: %s", name, got, r.Text)
		}
	}
}
