package supervise

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// killAll kills every descendant and returns when none is left. It kills children only: a dead child's own children
// become the helper's, which is their subreaper, and each death triggers the next pass. This also kills a program that
// forks and exits again and again, which a scan of all processes would miss.
func (s *Supervisor) killAll() {
	s.mu.Lock() // keeps reap out from here on
	defer s.mu.Unlock()
	var info unix.Siginfo
	// Usually no child is left. Listing the children would then be worse than useless: after a look into
	// /proc/self/task, the kernel lets the app spin for milliseconds when it waits for this process on a busy machine.
	err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
	if errors.Is(err, unix.ECHILD) {
		return
	}
	for {
		for _, pid := range listChildren() {
			_ = unix.Kill(pid, unix.SIGKILL) // it may have ended already
		}
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || !s.collectExits() {
			return
		}
	}
}

// listChildren returns the helper's children, including zombies.
func listChildren() []int {
	tasks, _ := os.ReadDir("/proc/self/task")
	var all []int
	for _, task := range tasks {
		text, err := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		if err != nil { // a kernel without CONFIG_PROC_CHILDREN
			return childrenFromProc()
		}
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				all = append(all, pid)
			}
		}
	}
	return all
}

func childrenFromProc() []int {
	var all []int
	for _, p := range listProcesses() {
		if p.parent == os.Getpid() {
			all = append(all, p.pid)
		}
	}
	return all
}

// killSession kills all processes of a session, including a program's jobs: an interactive shell gives each job its
// own process group in the session.
func killSession(sid int) {
	for _, p := range listProcesses() {
		if p.session == sid {
			_ = unix.Kill(p.pid, unix.SIGKILL)
		}
	}
}

// listSession returns the command lines of the processes of a session, at most maxListed, with spaces between their
// words.
func listSession(sid int) [][]byte {
	const maxListed, maxLine = 20, 300
	var lines [][]byte
	for _, p := range listProcesses() {
		if p.session != sid || len(lines) == maxListed || p.state == "Z" && p.threads <= 1 {
			continue
		}
		line, _ := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/cmdline")
		if line = bytes.TrimSpace(bytes.ReplaceAll(line, []byte{0}, []byte{' '})); len(line) > 0 {
			lines = append(lines, line[:min(len(line), maxLine)])
		}
	}
	return lines
}

type procInfo struct {
	pid, parent, session int
	started              int // in clock ticks since the boot
	threads              int
	state                string // a letter, of the main thread
}

// listProcesses lists the processes in /proc; processes that start or end during the scan may be missing.
func listProcesses() []procInfo {
	entries, _ := os.ReadDir("/proc") // entries read before an error are returned with it
	var all []procInfo
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue
		}
		// pid (name) state ppid pgrp session; the name may contain brackets and spaces.
		// Do not skip state Z: it is the main thread's, and others may still run.
		f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(f) < 20 {
			continue
		}
		parent, _ := strconv.Atoi(f[1])
		session, _ := strconv.Atoi(f[3])
		threads, _ := strconv.Atoi(f[17])
		started, _ := strconv.Atoi(f[19])
		all = append(all, procInfo{pid, parent, session, started, threads, f[0]})
	}
	return all
}
