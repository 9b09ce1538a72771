//go:build ignore

// testtimes measures what tests cost: the wall time and the processor time (user and system) of whole process trees.
//
//	testtimes stage LOG NAME COMMAND...     runs a command and logs what it took
//	testtimes test LOG PACKAGE COMMAND...   the same for a test program, and for each of its tests; the package "-" is the
//	                                        folder, as go test -exec needs it
//	testtimes failures                      reads what go test -json prints, and prints the packages and what failed
//	testtimes report LOG                    prints the tables
//
// A test's processor time is that of the whole process tree while the test ran. Tests that ran at the same time, or in the
// same half of a second, share it by how long they ran, so their figures are averages.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cost is a line of the log. Test is "" in the line of a stage or of a whole test program.
type cost struct {
	Stage, Package, Test string
	Wall, CPU            time.Duration
	due                  time.Duration // the part of the time since the processor time was last read that was this test's
}

func main() {
	args := os.Args[1:]
	switch {
	case len(args) >= 4 && args[0] == "stage":
		runMeasured(args[1], cost{Stage: args[2]}, args[3:])
	case len(args) >= 4 && args[0] == "test":
		name := args[2]
		if name == "-" {
			name = packageName()
		}
		runMeasured(args[1], cost{Package: name}, args[3:])
	case len(args) == 1 && args[0] == "failures":
		exitOn(printFailures(os.Stdout, os.Stdin))
	case len(args) == 2 && args[0] == "report":
		exitOn(report(os.Stdout, args[1]))
	default:
		exitOn(errors.New("wrong arguments: see the comment at the top of build/scripts/testtimes.go"))
	}
}

// runMeasured runs a command, logs its cost and exits with its exit code.
func runMeasured(log string, whole cost, command []string) {
	code, costs, err := measure(whole, command)
	exitOn(err)
	exitOn(appendLog(log, costs))
	os.Exit(code)
}

// packageName is that of the folder in which go test runs a test program, relative to the module.
func packageName() string {
	dir, err := os.Getwd()
	exitOn(err)
	for root := dir; root != "/"; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			name, _ := filepath.Rel(root, dir)
			return name
		}
	}
	return dir
}

// measure runs a command to its end and returns its exit code, its own cost and those of its tests.
func measure(whole cost, command []string) (int, []cost, error) {
	// Orphans become children of this process, so that their time is counted, too.
	const setChildSubreaper = 36
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0); errno != 0 {
		return 0, nil, errno
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	var lines io.Reader
	if whole.Package == "" {
		cmd.Stdout = os.Stdout
	} else {
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			return 0, nil, err
		}
		lines = pipe
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	tests := &testCosts{program: whole.Package, running: map[string]*cost{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		if lines != nil {
			tests.copyLines(os.Stdout, lines)
		}
	}()
	code := reap(cmd.Process.Pid)
	whole.Wall, whole.CPU = time.Since(started), treeTime()
	select {
	case <-read:
	case <-time.After(10 * time.Second): // an orphan has the pipe open
	}
	costs := []cost{whole}
	for _, c := range tests.ended {
		costs = append(costs, *c)
	}
	return code, costs, nil
}

// reap waits for all children until the one with this id has ended, and returns its exit code.
func reap(pid int) int {
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 1
		case ended == pid && status.Signaled():
			return 128 + int(status.Signal())
		case ended == pid:
			return status.ExitStatus()
		}
	}
}

// testCosts are the costs of the tests of one program.
type testCosts struct {
	program string
	running map[string]*cost // by the test's name; the tests that have not ended and do not wait for their turn
	ended   []*cost
	due     []*cost       // the tests that ran since the processor time was last read
	seen    time.Duration // the tree's processor time when it was last read
	read    time.Time     // when that was
	since   time.Time     // until when the wall time is counted
}

// copyLines copies a test program's output and follows the tests in it.
func (t *testCosts) copyLines(to io.Writer, from io.Reader) {
	t.since = time.Now()
	t.read = t.since
	defer t.divide()
	r := bufio.NewReaderSize(from, 1<<16)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			_, _ = to.Write(line)
			t.follow(line)
		}
		if err != nil {
			return
		}
	}
}

// follow changes which tests run if a line of go test -json or of TAP says so.
func (t *testCosts) follow(line []byte) {
	text := strings.TrimLeft(string(bytes.TrimSpace(line)), " \x16")
	if name, ok := strings.CutPrefix(text, "# Subtest: "); ok {
		t.start(name)
	} else if result, name, ok := strings.Cut(text, " - "); ok && strings.Contains(result, "ok ") {
		name, _, _ = strings.Cut(name, " # ")
		t.end(name)
	}
	fields := strings.Fields(text)
	if len(fields) < 3 {
		return
	}
	switch fields[0] + " " + fields[1] {
	case "=== RUN", "=== CONT":
		t.start(fields[2])
	case "=== PAUSE", "--- PASS:", "--- FAIL:", "--- SKIP:":
		t.end(fields[2])
	}
}

func (t *testCosts) start(name string) {
	t.share()
	if t.running[name] == nil {
		t.running[name] = &cost{Package: t.program, Test: name}
	}
}

func (t *testCosts) end(name string) {
	t.share()
	if c := t.running[name]; c != nil {
		t.ended = append(t.ended, c)
		delete(t.running, name)
	}
}

// share gives the time since the last call to the running tests. A test with running subtests gets nothing itself.
func (t *testCosts) share() {
	now := time.Now()
	var leaves []*cost
	for name, c := range t.running {
		isParent := false
		for other := range t.running {
			isParent = isParent || strings.HasPrefix(other, name+"/")
		}
		if !isParent {
			leaves = append(leaves, c)
		}
	}
	for _, c := range leaves {
		if c.due == 0 {
			t.due = append(t.due, c)
		}
		c.Wall += now.Sub(t.since)
		c.due += max(now.Sub(t.since)/time.Duration(len(leaves)), 1)
	}
	t.since = now
	// Reading it at each end of a test would cost a sixth of what the tests do.
	if now.Sub(t.read) > time.Second/2 {
		t.divide()
	}
}

// divide gives the processor time since the last call to the tests that ran since then.
func (t *testCosts) divide() {
	cpu := max(t.seen, treeTime()) // a process that ends while it is counted may be missed once
	var all time.Duration
	for _, c := range t.due {
		all += c.due
	}
	for _, c := range t.due {
		c.CPU += time.Duration(float64(cpu-t.seen) * float64(c.due) / float64(all))
		c.due = 0
	}
	t.due, t.seen, t.read = nil, cpu, time.Now()
}

// treeTime is the processor time of all descendants of this process, dead or alive.
func treeTime() time.Duration {
	var dead syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &dead)
	total := time.Duration(dead.Utime.Nano() + dead.Stime.Nano())
	type process struct {
		parent int
		time   time.Duration
	}
	alive := map[int]process{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, err := os.ReadFile(path)
		end := bytes.LastIndexByte(data, ')')
		if err != nil || end < 0 {
			continue
		}
		fields := strings.Fields(string(data[end+1:]))
		if len(fields) < 15 {
			continue
		}
		p := process{}
		p.parent, _ = strconv.Atoi(fields[1])
		for _, ticks := range fields[11:15] { // user, system, and those of children that were waited for
			n, _ := strconv.Atoi(ticks)
			p.time += time.Duration(n) * 10 * time.Millisecond
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		alive[pid] = p
	}
	for pid, p := range alive {
		above := pid
		for above > 1 && above != os.Getpid() {
			above = alive[above].parent
		}
		if above == os.Getpid() && pid != above {
			total += p.time
		}
	}
	return total
}

func appendLog(path string, costs []cost) error {
	var lines bytes.Buffer
	for _, c := range costs {
		line, err := json.Marshal(c)
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(lines.Bytes())
	return errors.Join(err, f.Close())
}

// report prints a log as Markdown: stages, packages, and the fifty dearest tests with their subtests.
func report(w io.Writer, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var stages, packages []cost
	tests := map[string]cost{}
	for line := range bytes.Lines(data) {
		var c cost
		if err := json.Unmarshal(line, &c); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		switch {
		case c.Stage != "":
			stages = append(stages, c)
		case c.Test == "":
			packages = append(packages, c)
		default:
			c.Test, _, _ = strings.Cut(c.Test, "/")
			sum := tests[c.Package+" "+c.Test]
			c.Wall += sum.Wall
			c.CPU += sum.CPU
			tests[c.Package+" "+c.Test] = c
		}
	}
	var all cost
	for _, c := range stages {
		all.Wall += c.Wall
		all.CPU += c.CPU
	}
	fmt.Fprintln(w, "| stage | wall, s | processor, s |\n|---|---|---|")
	for _, c := range append(stages, cost{Stage: "all", Wall: all.Wall, CPU: all.CPU}) {
		fmt.Fprintf(w, "| %s | %.0f | %.0f |\n", c.Stage, c.Wall.Seconds(), c.CPU.Seconds())
	}
	dearestFirst := func(a, b cost) int { return cmp.Compare(b.CPU, a.CPU) }
	slices.SortFunc(packages, dearestFirst)
	fmt.Fprintln(w, "\n| package | wall, s | processor, s |\n|---|---|---|")
	for _, c := range packages {
		fmt.Fprintf(w, "| `%s` | %.1f | %.1f |\n", c.Package, c.Wall.Seconds(), c.CPU.Seconds())
	}
	var dearest []cost
	for _, c := range tests {
		dearest = append(dearest, c)
	}
	slices.SortFunc(dearest, dearestFirst)
	fmt.Fprintln(w, "\n| test | package | wall, s | processor, s |\n|---|---|---|---|")
	for _, c := range dearest[:min(50, len(dearest))] {
		fmt.Fprintf(w, "| `%s` | `%s` | %.1f | %.1f |\n", c.Test, c.Package, c.Wall.Seconds(), c.CPU.Seconds())
	}
	return nil
}

// printFailures prints a line for each package, and all output of what failed.
func printFailures(w io.Writer, r io.Reader) error {
	type key struct{ pkg, test string }
	output := map[key]*strings.Builder{}
	for d := json.NewDecoder(r); ; {
		var e struct {
			Action, Package, ImportPath, Test, Output string
			Elapsed                                   float64
		}
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading the output of go test -json: %w", err)
		}
		of := key{e.Package, e.Test}
		switch e.Action {
		case "build-output":
			fmt.Fprint(w, e.Output)
		case "output":
			if output[of] == nil {
				output[of] = &strings.Builder{}
			}
			output[of].WriteString(e.Output)
		case "fail":
			if output[of] != nil {
				fmt.Fprint(w, output[of])
			}
			if e.Test == "" {
				fmt.Fprintf(w, "FAIL\t%s\t%.1fs\n", e.Package, e.Elapsed)
			}
		case "pass":
			if e.Test == "" {
				fmt.Fprintf(w, "ok\t%s\t%.1fs\n", e.Package, e.Elapsed)
			}
		}
		if e.Action == "fail" || e.Action == "pass" || e.Action == "skip" {
			delete(output, of)
		}
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "testtimes:", err)
		os.Exit(1)
	}
}
