package filetrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

var pageSize = uint64(os.Getpagesize())

// pathBuffers has buffers for one path each, with its terminating zero.
var pathBuffers = sync.Pool{New: func() any { return new([unix.PathMax]byte) }}

// readMemory copies up to len(into) bytes from another process.
func readMemory(pid uint32, from uint64, into []byte) (int, error) {
	// In two parts, because the second page may not be mapped.
	first := min(pageSize-from%pageSize, uint64(len(into)))
	local := []unix.Iovec{{Base: &into[0]}}
	local[0].SetLen(len(into))
	there := []unix.RemoteIovec{
		{Base: uintptr(from), Len: int(first)},
		{Base: uintptr(from + first), Len: len(into) - int(first)},
	}
	return unix.ProcessVMReadv(int(pid), local, there, 0) //nolint:wrapcheck // the caller needs its number
}

// ReadPath copies a path of another process. The call fails with the returned error: a path that cannot
// be read must not be used.
func ReadPath(pid uint32, from uint64) (string, unix.Errno) {
	buffer := pathBuffers.Get().(*[unix.PathMax]byte)
	defer pathBuffers.Put(buffer)
	n, err := readMemory(pid, from, buffer[:])
	switch {
	case errors.Is(err, unix.EFAULT):
		return "", unix.EFAULT
	case err != nil:
		return "", unix.EACCES
	}
	end := bytes.IndexByte(buffer[:n], 0)
	switch {
	case end >= 0:
		return string(buffer[:end]), 0
	case n < len(buffer):
		return "", unix.EFAULT
	}
	return "", unix.ENAMETOOLONG
}

// Limits of a command line that is recorded: of its arguments, of the bytes of each, and of all.
const (
	maxArgs     = 256
	maxArgBytes = 1 << 10
	maxAllBytes = 32 << 10
)

// readArgs copies the command line that a caller of execve passes.
func readArgs(pid uint32, from uint64) []string {
	pointers := make([]byte, 8*(maxArgs+1))
	n, err := readMemory(pid, from, pointers)
	if err != nil {
		return nil
	}
	var args []string
	text := make([]byte, maxArgBytes+1)
	for at := 0; at+8 <= n; at += 8 {
		pointer := binary.NativeEndian.Uint64(pointers[at:])
		if pointer == 0 {
			break
		}
		got, err := readMemory(pid, pointer, text)
		if err != nil {
			break
		}
		arg, _, _ := bytes.Cut(text[:got], []byte{0})
		args = append(args, string(arg))
	}
	return limitArgs(args)
}

// limitArgs limits a command line and marks omitted parts with "…".
func limitArgs(args []string) []string {
	all := 0
	for i, arg := range args {
		if len(arg) > maxArgBytes {
			args[i] = arg[:maxArgBytes] + "…"
		}
		all += len(args[i])
		if i == maxArgs || all > maxAllBytes {
			return append(args[:i:i], "…")
		}
	}
	return args
}
