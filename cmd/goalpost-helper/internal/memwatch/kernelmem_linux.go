package memwatch

import (
	"encoding/binary"
	"os"
	"strconv"
	"strings"

	"goalpost/cmd/goalpost-helper/internal/unixdiag"
)

// What the kernel holds for programs is their memory, too: what is in Unix sockets
// and pipes that nobody reads. A pipe counts as the two pages that each gets however
// many a user has; what is in the first of them the kernel bounds for each user.
const pipeBytes = 2 * 4096

// The kernel's unix_diag, see unixdiag_linux.go.
const (
	diagShowQueue  = 16 // UDIAG_SHOW_RQLEN
	diagShowMemory = 32 // UDIAG_SHOW_MEMINFO
	diagQueue      = 4  // UNIX_DIAG_RQLEN: what waits to be read, what may wait
	diagMemory     = 5  // UNIX_DIAG_MEMINFO: uint32 each
	sentMemory     = 2  // SK_MEMINFO_WMEM_ALLOC in it
	listening      = 10 // TCP_LISTEN, of every family
)

// kernelMemory are bytes by the name that a descriptor's link has: "socket:[12]".
type kernelMemory map[string]int64

// readKernelMemory asks for all Unix sockets of the goal's network; TCP and UDP the kernel
// bounds for the machine.
func readKernelMemory() kernelMemory {
	found := kernelMemory{}
	unixdiag.VisitSockets(diagShowQueue|diagShowMemory, func(message, attributes []byte) bool {
		order := binary.NativeEndian
		var queued, sent int64
		unixdiag.ForEachAttribute(attributes, func(kind uint16, value []byte) {
			switch {
			case kind == diagQueue && len(value) >= 4 && message[2] != listening: // there it counts connections
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

// of is what a process's descriptors hold in the kernel. What is in seen counted for
// another already.
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

// orphanQueues are the agent's queues of System V with what is in them; they are
// nobody's. A check's end with its sandbox.
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

// messageBytes is what a message takes besides its text.
const messageBytes = 64
