package memwatch

import (
	"encoding/binary"
	"os"
	"strconv"
	"strings"

	"goalpost/cmd/goalpost-helper/internal/unixdiag"
)

// Kernel memory counts as the programs' memory, too: unread data in Unix sockets and pipes. A pipe counts as the two
// pages that every pipe gets; the kernel limits the rest per user.
const pipeBytes = 2 * 4096

// The kernel's unix_diag, see unixdiag_linux.go.
const (
	diagShowQueue  = 16 // UDIAG_SHOW_RQLEN
	diagShowMemory = 32 // UDIAG_SHOW_MEMINFO
	diagQueue      = 4  // UNIX_DIAG_RQLEN: bytes waiting to be read, and their maximum
	diagMemory     = 5  // UNIX_DIAG_MEMINFO: uint32 each
	sentMemory     = 2  // SK_MEMINFO_WMEM_ALLOC in it
	listening      = 10 // TCP_LISTEN, of every family
)

// kernelMemory maps the link of a descriptor, such as "socket:[12]", to bytes.
type kernelMemory map[string]int64

// readKernelMemory queries all Unix sockets of the goal's network namespace; the kernel limits TCP and UDP for the
// whole machine.
func readKernelMemory() kernelMemory {
	found := kernelMemory{}
	unixdiag.VisitSockets(diagShowQueue|diagShowMemory, func(message, attributes []byte) bool {
		order := binary.NativeEndian
		var queued, sent int64
		unixdiag.ForEachAttribute(attributes, func(kind uint16, value []byte) {
			switch {
			case kind == diagQueue && len(value) >= 4 && message[2] != listening: // a listening socket counts connections
				queued = int64(order.Uint32(value))
			case kind == diagMemory && len(value) >= 4*(sentMemory+1):
				sent = int64(order.Uint32(value[4*sentMemory:]))
			}
		})
		found["socket:["+strconv.FormatUint(uint64(order.Uint32(message[4:])), 10)+"]"] = max(queued, sent)
		return true
	})
	return found
}

// of returns the kernel memory of a process's descriptors, without those in seen, which were counted for another
// process.
func (k kernelMemory) of(dir string, seen map[string]bool) (sum int64) {
	names, _ := os.ReadDir(dir + "/fd")
	for _, entry := range names {
		to, err := os.Readlink(dir + "/fd/" + entry.Name())
		if err != nil || seen[to] {
			continue
		}
		switch {
		case strings.HasPrefix(to, "pipe:["):
			sum += pipeBytes
		case strings.HasPrefix(to, "socket:["):
			sum += k[to]
		default:
			continue
		}
		seen[to] = true
	}
	return sum
}

// orphanQueues returns the agent's System V message queues and their sizes; no process owns them. A check's queues
// end with its sandbox.
func orphanQueues() (list []sysvSegment) {
	text, _ := os.ReadFile("/proc/sysvipc/msg")
	for line := range strings.Lines(string(text)) {
		// key msqid perms cbytes qnum …
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		id, err := strconv.Atoi(f[1])
		bytes, _ := strconv.ParseInt(f[3], 10, 64)
		messages, _ := strconv.ParseInt(f[4], 10, 64)
		if err == nil {
			list = append(list, sysvSegment{id: id, bytes: bytes + messages*messageBytes, queue: true})
		}
	}
	return list
}

// messageBytes is a message's overhead in bytes.
const messageBytes = 64
