package filetrace

import (
	"bytes"
	"encoding/binary"
	"strings"

	"golang.org/x/sys/unix"
)

// maxInterpreters is the number of #! lines that the kernel follows.
const maxInterpreters = 5

// execution has the files that the kernel opens for one execve: the program, the interpreters of #! lines, and the
// loader of the last one.
type execution struct {
	files []resolvedName
	next  program
	runs  bool // the kernel can execute it
}

// readExecution returns the execution of an execve.
func readExecution(name fileName, args []string) execution {
	e := execution{next: program{args: args}}
	e.next.dir, _ = readBase(fileName{pid: name.pid, base: newFileName(name.pid, unix.AT_FDCWD, "", true).base}.base)
	for range maxInterpreters + 1 {
		file := name.resolve()
		e.files = append(e.files, file)
		e.next.path = file.path
		if file.missing || file.path == "" {
			return e
		}
		if isMemoryFile(file.path) {
			e.runs = true
			return e
		}
		header, ok := readHeader(file.path)
		if !ok {
			return e
		}
		if loader, isELF := readLoader(header, file.path); isELF {
			if loader != "" {
				e.files = append(e.files, newFileName(name.pid, unix.AT_FDCWD, loader, true).resolve())
			}
			e.runs = true
			return e
		}
		interpreter, argument := parseInterpreterLine(header)
		if interpreter == "" {
			return e
		}
		words := []string{interpreter}
		if argument != "" {
			words = append(words, argument)
		}
		words = append(words, name.asArgument())
		if len(e.next.args) > 0 {
			words = append(words, e.next.args[1:]...)
		}
		e.next.args = limitArgs(words)
		name = newFileName(name.pid, unix.AT_FDCWD, interpreter, true)
	}
	return e
}

// asArgument returns the name that an interpreter receives.
func (f fileName) asArgument() string {
	_, after, isDescriptor := strings.Cut(f.base, "/fd/")
	switch {
	case !isDescriptor:
		return f.path
	case f.path == "":
		return "/dev/fd/" + after
	}
	return "/dev/fd/" + after + "/" + f.path
}

// readHeader reads the beginning of a file, if any user may execute it.
func readHeader(name string) (header []byte, ok bool) {
	info, err := lstat(name)
	if err != nil || info.Mode&unix.S_IFMT != unix.S_IFREG || info.Mode&0o111 == 0 {
		return nil, false
	}
	const most = 4096
	header = make([]byte, most)
	n, err := readFile(name, header)
	return header[:n], err == nil
}

// maxInterpreterLine is the number of bytes of a #! line that the kernel reads.
const maxInterpreterLine = 256

// parseInterpreterLine parses a #! line; interpreter is "" without one.
func parseInterpreterLine(header []byte) (interpreter, argument string) {
	line, isScript := bytes.CutPrefix(header[:min(len(header), maxInterpreterLine)], []byte("#!"))
	if !isScript {
		return "", ""
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	text := strings.Trim(string(bytes.TrimRight(line, "\x00")), " \t")
	end := strings.IndexAny(text, " \t")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.Trim(text[end:], " \t")
}

// Offsets in a 64-bit ELF header. The filter ends 32-bit programs.
const (
	elfPhoff     = 32
	elfPhentsize = 54
	elfPhnum     = 56
	elfHeader    = 64
	phOffset     = 8
	phFilesz     = 32
	phSize       = 56
	ptInterp     = 3
)

// readLoader returns the loader that a program names; "" if it needs none.
func readLoader(header []byte, name string) (loader string, isELF bool) {
	if !bytes.HasPrefix(header, []byte("\x7fELF\x02")) || len(header) < elfHeader {
		return "", false
	}
	order := binary.NativeEndian
	at := order.Uint64(header[elfPhoff:])
	size, count := order.Uint16(header[elfPhentsize:]), order.Uint16(header[elfPhnum:])
	if size < phSize {
		return "", true
	}
	for i := range uint64(count) {
		entry, ok := readPart(header, name, at+i*uint64(size), phSize)
		if !ok {
			return "", true
		}
		if order.Uint32(entry) != ptInterp {
			continue
		}
		text, _ := readPart(header, name, order.Uint64(entry[phOffset:]), min(order.Uint64(entry[phFilesz:]), unix.PathMax))
		path, _, _ := bytes.Cut(text, []byte{0})
		return string(path), true
	}
	return "", true
}

// readPart reads a part of a file whose beginning was read already.
func readPart(header []byte, name string, from, size uint64) (part []byte, ok bool) {
	if from < uint64(len(header)) && size <= uint64(len(header))-from {
		return header[from : from+size], true
	}
	const largest = 1 << 62
	if from > largest {
		return nil, false
	}
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, false
	}
	defer func() { _ = unix.Close(fd) }()
	part = make([]byte, size)
	n, err := unix.Pread(fd, part, int64(from))
	return part[:max(n, 0)], err == nil && uint64(n) == size
}
