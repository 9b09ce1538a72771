package sandbox_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/process"
)

// TestKill_SeveralChildren_IsNotInterrupted: the end of the first child interrupts no kill of the next one.
func TestKill_SeveralChildren_IsNotInterrupted(t *testing.T) {
	w := newSpec(t)
	s := openSandbox(t, w)
	for name, c := range map[string]process.Command{
		"agent":        {},
		"traced check": {Domain: process.DomainCheck, Trace: true},
	} {
		t.Run(name, func(t *testing.T) {
			command := inside(w, `i=0
				while [ $i -lt 60 ]; do
					all=
					for j in 1 2 3 4 5 6 7 8; do sleep 1000 >/dev/null 2>&1 & all="$all $!"; done
					kill $all || exit 1
					wait
					i=$((i+1))
				done; echo killed`)
			command.Domain, command.Trace = c.Domain, c.Trace
			text, _ := output(t, s, command)
			if text != "killed\n" {
				t.Error(text)
			}
		})
	}
}

// TestCheckTrace_ChildrenInTheBackground_InterruptNoCall: the end of a child interrupts no call that names a file.
func TestCheckTrace_ChildrenInTheBackground_InterruptNoCall(t *testing.T) {
	asOrdinaryUser(t)
	w := newSpec(t)
	s := openSandbox(t, w)
	const script = `i=0; bad=0
		while [ $i -lt 150 ]; do
			/bin/true &
			[ -e /etc/passwd ] || bad=$((bad+1))
			[ -e ./s.sh ] || bad=$((bad+1))
			i=$((i+1))
		done
		echo bad $bad
		`
	writeFiles(t, w, map[string]string{"s.sh": "#!/bin/sh\n" + script})
	commands := []string{"./s.sh", script, "sh s.sh", "sh -e ./s.sh", "./s.sh"}
	if path, err := exec.LookPath("busybox"); err == nil {
		copyProgram(t, path, filepath.Join(w.Dir, "busybox"))
		commands = append(commands, "./busybox sh s.sh")
	}
	for _, command := range commands {
		if o, _ := traced(t, s, w, command); string(o.Stdout) != "bad 0\n" {
			t.Errorf("%.10s: %s", command, o.Stdout)
		}
	}
}

// TestCheckTrace_TrapsOfAShell_StayAsTheyAre: a program that waits for a child, or that a trap ends, behaves in the
// same way when it is traced.
func TestCheckTrace_TrapsOfAShell_StayAsTheyAre(t *testing.T) {
	w := newSpec(t)
	s := openSandbox(t, w)
	python := systemPython(t)
	// A child ends while read waits. The last one ends a read that nothing has interrupted.
	const children = "for i in 0.1 0.4 1 3 9; do sleep $i >/dev/null 2>&1 & done; { sleep 20; echo late; } >&3 2>&3 & "
	writeFiles(t, w, map[string]string{
		"raise.py": `import os, signal, time
def ended(*_):
    raise InterruptedError
signal.signal(signal.SIGCHLD, ended)
read, write = os.pipe()
try:
    if os.fork() == 0:
        time.sleep(0.3)
        os._exit(0)
    os.read(read, 1)
except InterruptedError:
    print("interrupted")
`,
		"trap.sh": "#!/bin/sh\nmkfifo p; exec 3<>p\n" +
			"trap 'echo trapped' CHLD\n" + children + "read x <&3; echo read $?\n",
	})
	wanted := map[string]string{
		`(exit 7) & wait $!; echo $?`:                                  "7\n",
		`/bin/true & /bin/false & wait; echo $?`:                       "0\n",
		`{ sleep 0.2; echo line; } >f & wait; read x <f; echo $x`:      "line\n",
		`mkfifo q; { sleep 0.2; echo x; } >q & read x <q; echo got $x`: "got x\n",
		`trap 'echo trapped' CHLD; /bin/true & wait $!; echo end`:      "trapped\nend\n",
		`rm -f p; ./trap.sh`:                                           "trapped\nread 1\n",
		`rm -f p; sh trap.sh`:                                          "trapped\nread 1\n",
		`rm -f p; mkfifo p; exec 3<>p; trap 'echo trapped' 17; ` + children + `read x <&3; echo read $?`: "trapped\nread 1\n",
		python + ` raise.py`: "interrupted\n",
	}
	if path, err := exec.LookPath("busybox"); err == nil {
		copyProgram(t, path, filepath.Join(w.Dir, "busybox"))
		wanted[`rm -f p; ./busybox sh trap.sh`] = "trapped\nread 1\n"
	}
	for script, want := range wanted {
		for name, c := range map[string]process.Command{"traced": {Trace: true}, "untraced": {}} {
			command := inside(w, script)
			command.Domain, command.Trace = process.DomainCheck, c.Trace
			if text, _ := output(t, s, command); !strings.HasSuffix(text, want) {
				t.Errorf("%s: %s\n%q, not %q", name, script, text, want)
			}
		}
	}
}
