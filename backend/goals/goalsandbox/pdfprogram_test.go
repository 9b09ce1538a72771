package goalsandbox_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
)

func pdfProgram(tb testing.TB) goalsandbox.PDFProgram {
	tb.Helper()
	set, err := sandbox.Open(tb.Context(), sandbox.Options{Helper: sandboxtest.Helper(tb), Name: tb.Name()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := set.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return goalsandbox.PDFProgram{Launcher: set, Program: sandboxtest.Predicate(tb)}
}

// writePDF returns a PDF with one page for each content stream, compressed. trailer is added to the trailer.
func writePDF(trailer string, pages ...string) []byte {
	const first = 4 // the number of the first page's object; its content follows
	var kids strings.Builder
	objects := []string{
		"", "<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	for n, content := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", first+2*n)
		var packed bytes.Buffer
		w := zlib.NewWriter(&packed)
		_, _ = w.Write([]byte(content)) // to memory
		_ = w.Close()
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "+
				"/Resources << /Font << /F1 3 0 R >> >> >>", first+2*n+1),
			fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", packed.Len(), packed.String()))
	}
	objects[2] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] >>", len(pages), kids.String())
	var out, table bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	for n, object := range objects[1:] {
		fmt.Fprintf(&table, "%010d 00000 n \n", out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", n+1, object)
	}
	at := out.Len()
	trailer = strings.ReplaceAll(trailer, "HERE", fmt.Sprint(at))
	trailer = fmt.Sprintf("<< /Size %d /Root 1 0 R %s >>", len(objects), trailer)
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n%strailer\n%s\nstartxref\n%d\n%%%%EOF\n",
		len(objects), table.String(), trailer, at)
	return out.Bytes()
}

func textPage(words string) string { return "BT /F1 12 Tf 72 700 Td (" + words + ") Tj ET" }

func TestPDF_Pages_AreMarked(t *testing.T) {
	p := pdfProgram(t)
	got, err := p.Text(t.Context(), writePDF("", textPage("Total 42"), "0 0 10 10 re f", textPage("The end")))
	want := "--- page 1 of 3 ---\nTotal 42\n\n--- page 2 of 3 ---\n(This page has no text. It may be a picture.)\n\n" +
		"--- page 3 of 3 ---\nThe end\n\n"
	if err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
}

// TestPDF_Words_AreApart: pages move the place of the next word or line instead of writing blanks and line ends.
func TestPDF_Words_AreApart(t *testing.T) {
	const page = "BT /F1 12 Tf 72 700 Td [(W) 80 (ords) -320 (that) -250.5 (a k) -15 (ern) 40 (ing parts)] TJ " +
		"260 0 Td (and) Tj 30 0 Td (m) Tj 6 0 Td (oves) Tj 0 -14 Td (another line) Tj T* (a third) Tj (a fourth) ' " +
		"1 0 0 1 72 300 Tm (far) Tj 1 0 0 1 200 300 Tm (right) Tj 1 0 0 1 72 280 Tm (below) Tj ET"
	file := writePDF("", page)
	got, err := pdfProgram(t).Text(t.Context(), append([]byte("%PDF-2.0"), file[len("%PDF-2.0"):]...))
	want := "Words that a kerning parts and moves\nanother line\na third\na fourth\nfar right\nbelow\n"
	if err != nil || !strings.Contains(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// TestPDF_Bound_IsNamed: what the agent does not get is said.
func TestPDF_Bound_IsNamed(t *testing.T) {
	p := pdfProgram(t)
	long := textPage(strings.Repeat("word ", 100<<10))
	got, err := p.Text(t.Context(), writePDF("", textPage("begin"), long, long))
	if err != nil || !strings.Contains(got, "begin") ||
		!strings.HasSuffix(got, "(The text ends before page 3 of 3: it is longer than 768 KiB.)\n") {
		t.Errorf("%.100q … %q, %v", got, got[max(0, len(got)-100):], err)
	}
}

// TestPDF_HostileFile_IsRefused: none of them holds the call, or takes memory of this process.
func TestPDF_HostileFile_IsRefused(t *testing.T) {
	p := pdfProgram(t)
	good := writePDF("", textPage("x"))
	const large = "%PDF-1.5\n1 0 obj\n<< /Type /XRef /Size 100000000 /W [1 1 1] /Length 3 >>\nstream\n\x01\x01\x01\n" +
		"endstream\nendobj\nstartxref\n9\n%%EOF\n"
	encryption := "/Encrypt << /Filter /Standard /V 1 /R 2 /O (x) /U (y) /P 0 >> /ID [(a) (b)]"
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":     {nil, "cannot be read"},
		"no PDF":    {[]byte(strings.Repeat("<html>", 100)), "not a PDF"},
		"cut":       {good[:len(good)/2], "cannot be read"},
		"encrypted": {writePDF(encryption, textPage("x")), "cannot be read"},
		"large":     {[]byte(large), "more than 256 MiB"},
		"endless":   {writePDF("/Prev HERE", textPage("x")), "longer than three seconds"},
	} {
		from := time.Now()
		got, err := p.Text(t.Context(), c.file)
		t.Logf("%s: %s, %v", name, time.Since(from).Round(time.Millisecond), err)
		if err == nil || got != "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
