package goalsandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"goalpost/backend/domain/process"
	"goalpost/backend/lib/text"
)

// PDFProgram reads the text of PDFs in the program that evaluates expressions, which gives up its access to files,
// network and other programs. The kernel limits it to 256 MiB and three seconds. All methods may be called
// concurrently.
type PDFProgram struct {
	// Launcher starts Program; see PredicateProgram.
	Launcher process.Launcher
	Program  string
}

// pdfReader is a PDFProgram that is installed when first needed.
type pdfReader struct{ predicateEvaluator }

// PDFs reads the text of PDFs.
func (f *Factory) PDFs() interface {
	Text(ctx context.Context, file []byte) (string, error)
} {
	return pdfReader{predicateEvaluator{f.Config.State(), f.UserPrograms}}
}

func (p pdfReader) Text(ctx context.Context, file []byte) (string, error) {
	program, err := p.program()
	if err != nil {
		return "", err
	}
	return PDFProgram(program).Text(ctx, file)
}

// Text returns the text of a file, page by page, and says where it ends because of a limit.
func (p PDFProgram) Text(ctx context.Context, file []byte) (string, error) {
	out, err := runConfined(ctx, p.Launcher, file, p.Program, "pdf")
	if err != nil {
		return "", fmt.Errorf("reading the PDF: %w", err)
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	stderr, _, _ := strings.Cut(string(out.Stderr), "\n")
	stopped := ""
	switch {
	case out.TimedOut, out.Status.Signal == syscall.SIGKILL, out.Status.Signal == cpuTimeUp:
		stopped = "reading it takes longer than three seconds"
	case isOutOfMemory(stderr):
		stopped = "reading it takes more than 256 MiB"
	case out.Status.Code != 0 || out.Status.Signal != 0:
		_, reason, _ := strings.Cut(stderr, ": ") // after the program's name
		stopped = text.SanitizeLine(reason, 300)
	}
	content := text.SanitizeLines(string(out.Stdout), process.MaxCapture)
	switch {
	case stopped == "":
		return content, nil
	case content == "":
		return "", errors.New("the PDF has no text that can be read: " + stopped)
	}
	return content + "(The text ends here: " + stopped + ".)\n", nil
}
