package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// maxImage limits a stored picture, in bytes.
const maxImage = 8 << 20

// toResult converts a server's answer to a result: its text marked as data, its first picture as the image.
func toResult(server string, r *sdk.CallToolResult) goal.Result {
	var parts []string
	out := goal.Result{OK: !r.IsError}
	for _, c := range r.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			parts = append(parts, c.Text)
		case *sdk.ImageContent:
			if out.Image == nil && len(c.Data) <= maxImage && (c.MIMEType == "image/png" || c.MIMEType == "image/jpeg") {
				out.Image = c.Data
			}
			parts = append(parts, fmt.Sprintf("[a picture: %s, %d bytes]", text.SanitizeLine(c.MIMEType, 40), len(c.Data)))
		case *sdk.AudioContent:
			parts = append(parts, fmt.Sprintf("[a sound: %s, %d bytes]", text.SanitizeLine(c.MIMEType, 40), len(c.Data)))
		case *sdk.ResourceLink:
			parts = append(parts, fmt.Sprintf("[a resource: %s %s]", text.SanitizeLine(c.URI, 500),
				text.SanitizeLine(c.Name, 200)))
		case *sdk.EmbeddedResource:
			parts = append(parts, resourceText(c.Resource))
		}
	}
	if r.StructuredContent != nil && !slices.ContainsFunc(parts, func(part string) bool {
		return isSameJSON(part, r.StructuredContent)
	}) {
		if b, err := json.MarshalIndent(r.StructuredContent, "", "  "); err == nil {
			parts = append(parts, string(b))
		}
	}
	head := "the server " + server + " answered"
	switch {
	case r.NeedsInput():
		out.OK, head = false, "the server "+server+
			" wants to ask the user a question during the call, which is not possible here"
	case r.IsError:
		head = "the server " + server + " reports an error"
	case len(parts) == 0:
		out.Text = head + " with no content"
		return out
	}
	out.Text = head + ":\n" +
		text.WrapUntrusted("the server "+server, text.ToUTF8(strings.Join(parts, "\n")))
	return out
}

// isSameJSON reports whether a text is a value as JSON. Servers should repeat their structured content as such a text,
// but many only summarize it.
func isSameJSON(content string, value any) bool {
	var parsed any
	if json.Unmarshal([]byte(content), &parsed) != nil {
		return false
	}
	a, err := json.Marshal(parsed)
	b, valueErr := json.Marshal(value)
	if err != nil || valueErr != nil {
		return false
	}
	var again any // with its keys and numbers in the same form
	if json.Unmarshal(b, &again) != nil {
		return false
	}
	b, err = json.Marshal(again)
	return err == nil && bytes.Equal(a, b)
}

func resourceText(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return "[an empty resource]"
	case r.Blob != nil:
		return fmt.Sprintf("[the resource %s: %s, %d bytes]", text.SanitizeLine(r.URI, 500),
			text.SanitizeLine(r.MIMEType, 40), len(r.Blob))
	}
	return fmt.Sprintf("[the resource %s]\n%s", text.SanitizeLine(r.URI, 500), r.Text)
}

func failedResult(format string, a ...any) goal.Result {
	return goal.Result{Text: fmt.Sprintf(format, a...)}
}
