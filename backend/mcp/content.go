package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/goal"
	"goalpost/backend/text"
)

// maxImage limits a stored picture, in bytes.
const maxImage = 8 << 20

// toResult converts a server's answer to a result: its text as data, its first picture for the screen.
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
			parts = append(parts, fmt.Sprintf("[a picture: %s, %d bytes]", sanitizeLine(c.MIMEType, 40), len(c.Data)))
		case *sdk.AudioContent:
			parts = append(parts, fmt.Sprintf("[a sound: %s, %d bytes]", sanitizeLine(c.MIMEType, 40), len(c.Data)))
		case *sdk.ResourceLink:
			parts = append(parts, fmt.Sprintf("[a resource: %s %s]", sanitizeLine(c.URI, 500), sanitizeLine(c.Name, 200)))
		case *sdk.EmbeddedResource:
			parts = append(parts, resourceText(c.Resource))
		}
	}
	if len(parts) == 0 && r.StructuredContent != nil {
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
		out.Text = head + " with nothing"
		return out
	}
	out.Text = head + ":\n" +
		goal.WrapUntrusted("the server "+server, strings.ToValidUTF8(strings.Join(parts, "\n"), "\uFFFD"))
	return out
}

func resourceText(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return "[an empty resource]"
	case r.Blob != nil:
		return fmt.Sprintf("[the resource %s: %s, %d bytes]", sanitizeLine(r.URI, 500), sanitizeLine(r.MIMEType, 40),
			len(r.Blob))
	}
	return fmt.Sprintf("[the resource %s]\n%s", sanitizeLine(r.URI, 500), r.Text)
}

// sanitizeLine makes one harmless line of at most most characters of a server's text.
func sanitizeLine(s string, most int) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))), " ")
	return text.Truncate(s, most)
}

func failedResult(format string, a ...any) goal.Result {
	return goal.Result{Text: fmt.Sprintf(format, a...)}
}
