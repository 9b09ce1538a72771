package export_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"goalpost/backend/goals/export"
	"goalpost/backend/lib/fault"
)

func page(script, style string) fstest.MapFS {
	return fstest.MapFS{
		"export/viewer.js":  {Data: []byte(script)},
		"export/viewer.css": {Data: []byte(style)},
	}
}

// TestHTML_ScriptAndTitleWithTags_StayWhatTheyAre: Chromium tests the same in e2e/export.test.mjs.
func TestHTML_ScriptAndTitleWithTags_StayWhatTheyAre(t *testing.T) {
	v, err := export.OpenViewer(page(`x="</SCRIPT><!--"`, "body{}"))
	if err != nil {
		t.Fatal(err)
	}
	doc := string(v.HTML(`a</title><script>"`, []byte(`{"a":"\u003c/script>"}`)))
	if n := strings.Count(strings.ToLower(doc), "</script"); n != 2 {
		t.Errorf("%d elements end as scripts:\n%s", n, doc)
	}
	if !strings.Contains(doc, `x="\x3c/SCRIPT>\x3c!--"`) ||
		!strings.Contains(doc, "<title>a&lt;/title&gt;&lt;script&gt;") {
		t.Errorf("the document is\n%s", doc)
	}
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(doc)
	if policy == nil || !regexp.MustCompile(`^default-src 'none'; script-src 'sha256-[^ ;']{44}'; `+
		`style-src 'sha256-[^ ;']{44}'; img-src data:; base-uri 'none'; form-action 'none'$`).MatchString(policy[1]) {
		t.Errorf("the policy is %q", policy)
	}
	if got, want := v.Size(), len(v.HTML("", nil)); got != want {
		t.Errorf("size %d, want %d", got, want)
	}
}

func TestOpenViewer_WithoutABuiltPage_SaysHowToBuildIt(t *testing.T) {
	for name, fsys := range map[string]fstest.MapFS{"no viewer": {}, "no style": {"export/viewer.js": {}}} {
		_, err := export.OpenViewer(fsys)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Unavailable || f.Hint != "run make build" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := export.OpenViewer(nil); err == nil {
		t.Error("a program without a page has a viewer")
	}
}
