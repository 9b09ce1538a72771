package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/chat"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
)

// onePagePDF returns a PDF with a line of text.
func onePagePDF(line string) []byte {
	content := "BT /F1 12 Tf 72 700 Td (" + line + ") Tj ET"
	var out, table strings.Builder
	out.WriteString("%PDF-1.4\n")
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	for n, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", n+1, object)
	}
	at := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, table.String(), len(objects)+1, at)
	return []byte(out.String())
}

// TestChat_PageThatIsPDF_IsReadAsText covers the text that is attached, and what the model reads again of the page.
func TestChat_PageThatIsPDF_IsReadAsText(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = w.Write(onePagePDF("Invoice 4711")) // of a test
	}))
	defer web.Close()
	page, err := area[*calls.BrowserAPI](t, p.app).Open(api.ArgsOpenBrowser{URL: web.URL, Profile: "temporary"})
	if err != nil {
		t.Skipf("needs Chromium: %v", err)
	}
	server := p.provide(turns(args("browser_read", map[string]any{"pane": page.ID}), modeltest.Say("It is invoice 4711.")))
	m := p.send(api.SendInput{ChatID: p.newChat(""), Text: "Which one is it?", Attachments: []chat.Attachment{
		{Kind: chat.AttachPane, Pane: page.ID},
	}})
	if list := callsOf(m); len(list) != 1 || list[0].State != chat.CallOK {
		t.Errorf("%+v", m)
	}
	for n, request := range server.Requests() {
		if !strings.Contains(request.Last().Text, "Invoice 4711") {
			t.Errorf("request %d has %q", n, request.Last().Text)
		}
	}
}
