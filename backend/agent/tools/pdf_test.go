package tools_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestRead_PDF_ContinuesAtALine(t *testing.T) {
	h := newFixture(t)
	var pdf strings.Builder
	for n := range 3000 {
		fmt.Fprintf(&pdf, "line %d ä\n", n)
	}
	h.panes.at, h.panes.pdf = "http://127.0.0.1/a.pdf", pdf.String()
	r := h.do("browser_open", "url", h.panes.at)
	h.good(r, "a PDF; browser_read reads its text", "line 0 ä", "line 1000 ä")
	next, seen := int64(0), 0
	for {
		r = h.do("browser_read", "pane", "b1", "from", next)
		h.good(r, fmt.Sprintf("line %d ä", seen))
		for strings.Contains(r.Text, fmt.Sprintf("line %d ä\n", seen)) {
			seen++
		}
		if r.More == nil {
			break
		}
		if r.More.Next <= next || r.More.Total != int64(pdf.Len()) {
			t.Fatalf("%+v after %d", r.More, next)
		}
		next = r.More.Next
	}
	if seen != 3000 {
		t.Errorf("%d of 3000 lines were read", seen)
	}
	h.panes.pdf = strings.Repeat("ä", 10000)
	r = h.do("browser_read", "pane", "b1")
	h.good(r, "ä")
	if r.More == nil || r.More.Next != 16000 {
		t.Errorf("%+v", r.More)
	}
}
