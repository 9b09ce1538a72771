// Package export writes the file in which a goal can be looked at without Goalpost: one HTML document with its data and
// its script, which loads nothing.
package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"regexp"

	"goalpost/backend/lib/fault"
)

// Viewer is the script and the style sheet of the document, as the page's build made them.
type Viewer struct{ script, style []byte }

// OpenViewer reads the viewer of a built page; nil means that the program has no page.
func OpenViewer(page fs.FS) (*Viewer, error) {
	missing := fault.New(fault.Unavailable, "this program was built without its page", "run make build")
	if page == nil {
		return nil, missing
	}
	script, err := fs.ReadFile(page, "export/viewer.js")
	style, styleErr := fs.ReadFile(page, "export/viewer.css")
	if err = errors.Join(err, styleErr); errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, fmt.Errorf("the viewer: %w", err)
	}
	return &Viewer{inlineScript(script), style}, nil
}

// endOfScript matches what an HTML parser treats as the end of a script, or as a comment in it. A script has it only in
// strings and patterns, where the escaped character is the same.
var endOfScript = regexp.MustCompile(`(?i)<(/script|!--)`)

func inlineScript(script []byte) []byte { return endOfScript.ReplaceAll(script, []byte(`\x3c${1}`)) }

// Size is what a document has besides its title and its data, in bytes.
func (v *Viewer) Size() int { return len(v.HTML("", nil)) }

// policy allows the two elements with these hashes and pictures inside the document, and no request at all.
const policy = "default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'none'"

// HTML returns the document. data is JSON whose strings have no "<", as json.Marshal writes it.
func (v *Viewer) HTML(title string, data []byte) []byte {
	var b bytes.Buffer
	write := func(parts ...[]byte) {
		for _, part := range parts {
			b.Write(part)
		}
	}
	fmt.Fprintf(&b, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<link rel="icon" href="data:,">
<title>%s</title>
`, fmt.Sprintf(policy, hashOf(v.script), hashOf(v.style)), html.EscapeString(title))
	write([]byte("<style>"), v.style, []byte("</style>\n</head>\n<body>\n<div id=\"root\">"+
		"<noscript>This file shows a goal with a script of its own. Allow scripts for it, and open it again.</noscript>"+
		"</div>\n"+
		"<script type=\"application/json\" id=\"data\">"), data, []byte("</script>\n<script>"), v.script,
		[]byte("</script>\n</body>\n</html>\n"))
	return b.Bytes()
}

// hashOf returns what a policy calls an inline element with this content.
func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
