// Package ports knows where somebody listens in the network namespace of the
// process that asks: the helper's is the goal's, the app's the machine's.
package ports

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Listening says whether a port has a TCP server or any UDP socket, on whatever address.
func Listening(port uint16) bool {
	for _, table := range []string{"tcp", "tcp6", "udp", "udp6"} {
		if parseEntry("/proc/net/"+table, port) {
			return true
		}
	}
	return false
}

// OwnsListener says whether one of the processes listens on a TCP port of this machine. What
// belongs to another user cannot be told.
func OwnsListener(processes []int, port uint16) bool {
	var sockets []string
	for _, table := range []string{"tcp", "tcp6"} {
		scanTable("/proc/net/"+table, func(fields []string, at uint16) bool {
			if at == port && fields[3] == listens && len(fields) > socketField {
				sockets = append(sockets, "socket:["+fields[socketField]+"]")
			}
			return false
		})
	}
	for _, process := range processes {
		dir := "/proc/" + strconv.Itoa(process) + "/fd/"
		open, _ := os.ReadDir(dir)
		for _, file := range open {
			if to, err := os.Readlink(dir + file.Name()); err == nil && slices.Contains(sockets, to) {
				return true
			}
		}
	}
	return false
}

const (
	listens     = "0A" // TCP_LISTEN
	socketField = 9    // the socket's number
)

func parseEntry(table string, port uint16) bool {
	udp := strings.Contains(table, "udp")
	return scanTable(table, func(fields []string, at uint16) bool { return at == port && (udp || fields[3] == listens) })
}

// scanTable reads one of the kernel's tables, "sl local_address rem_address st …" with
// ADDRESS:PORT in hexadecimal, until found.
func scanTable(table string, found func(fields []string, port uint16) bool) bool {
	f, err := os.Open(table)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 {
			continue
		}
		_, text, _ := strings.Cut(fields[1], ":")
		if at, err := strconv.ParseUint(text, 16, 16); err == nil && found(fields, uint16(at)) {
			return true
		}
	}
	return false
}
