package sandbox_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/spec"
)

// TestSanitizers_Run: their shadow memory is terabytes of address space, of which little is used.
//
// The error of the threads is a lock and not a data race, because gcc's sanitizer misses some races.
func TestSanitizers_Run(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	for sanitizer, c := range map[string]struct{ faulty, found string }{
		"address": {"char *p = malloc(1); free(p); return p[0];", "heap-use-after-free"},
		"thread": {
			"pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; " +
				"pthread_mutex_lock(&m); pthread_mutex_destroy(&m); return 0;",
			"destroy of a locked mutex",
		},
	} {
		t.Run(sanitizer, func(t *testing.T) {
			w := newSpec(t)
			w.Limits = spec.DefaultLimits()
			const source = "#include <pthread.h>\n#include <stdlib.h>\n#include <stdio.h>\n" +
				"static int n; static pthread_t t;\n" +
				"static void *add(void *p) { n++; return p; }\n" +
				"int main(int argc, char **argv) { if (argc > 1) { FAULTY }\n" +
				"pthread_create(&t, 0, add, 0); pthread_join(t, 0); printf(\"n=%d\\n\", n); return 0; }\n"
			file := write(t, filepath.Join(w.Dir, "x.c"), strings.Replace(source, "FAULTY", c.faulty, 1), 0o644)
			build := exec.CommandContext(t.Context(), "gcc", "-g", "-pthread", "-fsanitize="+sanitizer, "-o",
				filepath.Join(w.Dir, "x"), file)
			if text, err := build.CombinedOutput(); err != nil {
				t.Skipf("gcc cannot link with this sanitizer here: %v %s", err, text)
			}
			s := openSandbox(t, w)
			if text, status := output(t, s, inside(w, "./x")); text != "n=1\n" || status.Code != 0 {
				t.Errorf("%q %v", text, status)
			}
			if text, status := output(t, s, inside(w, "./x faulty")); !strings.Contains(text, c.found) || status.Code == 0 {
				t.Errorf("the error is not found: %q %v", text, status)
			}
		})
	}
}

// TestMemoryOfOneProcess_IsBounded: the kernel limits the memory, or the helper's memory watch if there is one.
func TestMemoryOfOneProcess_IsBounded(t *testing.T) {
	w := newSpec(t)
	w.Limits = &sandbox.ResourceLimits{Memory: 200 << 20}
	s := openSandbox(t, w)
	const grow = "python3 -c 'b = bytearray(300000000); import time; time.sleep(60)'; echo $?"
	if text, _ := output(t, s, inside(w, grow)); !strings.Contains(text, "MemoryError") {
		t.Errorf("the kernel did not refuse: %q", text)
	}
	w = newSpec(t)
	w.Limits = &sandbox.ResourceLimits{Memory: 200 << 20, Together: 200 << 20}
	s = openSandbox(t, w)
	if text, _ := output(t, s, inside(w, grow)); !strings.HasSuffix(text, "137\n") {
		t.Errorf("it was not ended: %q", text)
	}
	if got := s.KilledSince(0); len(got) != 1 || !strings.Contains(got[0], "MiB of memory") {
		t.Errorf("ended: %q", got)
	}
}
