package filetrace

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxScript limits the size of a script that is read, in bytes.
const maxScript = 1 << 20

// CanRestartCalls reports whether a process runs a shell whose calls may continue after a child has ended: its handler
// only records the end, and its script sets no trap for it. Such a trap interrupts read and the opening of a named
// pipe.
func CanRestartCalls(pid uint32) bool {
	procDir := "/proc/" + strconv.FormatUint(uint64(pid), 10)
	exe, err := readLink(procDir + "/exe")
	if err != nil {
		return false
	}
	line, err := os.ReadFile(procDir + "/cmdline")
	if err != nil {
		return false
	}
	args := strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
	switch path.Base(exe) {
	case "dash":
	case "busybox":
		if path.Base(args[0]) == "busybox" {
			args = args[1:]
		}
		if len(args) == 0 || !slices.Contains([]string{"sh", "ash"}, strings.TrimPrefix(path.Base(args[0]), "-")) {
			return false
		}
	default:
		return false
	}
	script, ok := readScript(pid, args)
	return ok && !mayTrapChildren(script)
}

// readScript returns the script that a shell executes; ok is false if it is unknown, as for standard input.
func readScript(pid uint32, args []string) (script string, ok bool) {
	isText := false
	for i := 1; i < len(args); i++ {
		word := args[i]
		if len(word) < 2 || word[0] != '-' && word[0] != '+' {
			if isText {
				return word, true
			}
			return readScriptFile(newFileName(pid, unix.AT_FDCWD, word, true))
		}
		isText = isText || word[0] == '-' && word[1] != '-' && strings.Contains(word, "c")
		if strings.HasSuffix(word, "o") { // the option's name follows
			i++
		}
	}
	return "", false
}

func readScriptFile(name fileName) (script string, ok bool) {
	if name.isOfProcess() {
		return "", false
	}
	var info unix.Stat_t
	if unix.Stat(name.full(), &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFREG || info.Size >= maxScript {
		return "", false
	}
	text := make([]byte, maxScript)
	n, err := readFile(name.full(), text)
	return string(text[:n]), err == nil
}

// mayTrapChildren reports whether a script names the signal of an ended child, or its number after trap.
func mayTrapChildren(script string) bool {
	if strings.Contains(strings.ToLower(script), "chld") {
		return true
	}
	for line := range strings.Lines(script) {
		if _, trap, found := strings.Cut(line, "trap"); found && strings.Contains(trap, strconv.Itoa(int(unix.SIGCHLD))) {
			return true
		}
	}
	return false
}
