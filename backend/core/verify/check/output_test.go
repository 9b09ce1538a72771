package check_test

import (
	"fmt"
	"strings"
	"testing"

	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/process"
)

func TestOutputTail_ShortOutput_IsWhole(t *testing.T) {
	stdout := strings.Repeat("a line of the output\n", 50)
	got := check.OutputTail(process.Output{Stdout: []byte(stdout), Stderr: []byte("trouble\n")})
	if want := "trouble\n" + strings.TrimSpace(stdout); got != want {
		t.Errorf("it is %q", got)
	}
}

func TestOutputTail_LongOutput_HasWhatFailedAndTheEnd(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "line %d\n", i)
		if i == 700 {
			b.WriteString("calc_test.go:12: error: 3 is not 4\n")
		}
	}
	got := check.OutputTail(process.Output{Stdout: []byte(b.String())})
	if len(got) > 4<<10 || !strings.HasPrefix(got, "calc_test.go:12: error: 3 is not 4\n…\n") ||
		!strings.HasSuffix(got, "line 1998\nline 1999") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}
