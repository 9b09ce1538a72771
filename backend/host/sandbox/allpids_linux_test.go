package sandbox_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox"
	"goalpost/backend/lib/waittest"
)

// TestSandbox_AllProcessNumbersInUse_StillServes: programs that start others until the kernel refuses do not end their
// sandbox, whatever its first process has to do then: freeze them, connect for them, start other programs.
func TestSandbox_AllProcessNumbersInUse_StillServes(t *testing.T) {
	w := newSpec(t)
	w.Limits = &sandbox.ResourceLimits{Processes: 100}
	s := openSandbox(t, w)
	goOn := makeRelease(t, w, "go-on")
	p, said := startReading(t, s, inside(w, `exec python3 -c '
import os, socket, sys, time
server = socket.socket(socket.AF_UNIX); server.bind("server"); server.listen(500)
for _ in range(10): # the kernel frees a number a moment after its process has ended
    try:
        while True:
            if os.fork() == 0: time.sleep(1000)
    except BlockingIOError: time.sleep(0.05)
print("full", flush=True)
for k in range(300): socket.socket(socket.AF_UNIX).connect("server")
print("connected", flush=True)
open("go-on").read()
try: os.fork()
except BlockingIOError: print("still full", flush=True)
time.sleep(1000)
'`))
	wantLine(t, said, "full")
	wantLine(t, said, "connected")
	for range 30 {
		if _, status := output(t, s, frozenCheck(w, "true")); status.Code != 0 {
			t.Fatal(status)
		}
		if q, err := s.Start(t.Context(), inside(w, "true")); err == nil {
			wait(t, q)
		}
	}
	goOn()
	wantLine(t, said, "still full")
	if err := p.Signal(unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait(t, p)
	waittest.Until(t, "start of a program after the others have ended", func() bool {
		q, err := s.Start(t.Context(), inside(w, "true"))
		if err == nil {
			wait(t, q)
		}
		return err == nil
	})
}
