package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

const (
	inline = 'j'
	memfd  = 'm'

	// maxInline keeps a packet far below the default socket buffer of 208 KiB,
	// above which a send fails with EMSGSIZE instead of waiting.
	maxInline = 32 << 10

	// maxMessage limits what a reader takes into memory. The kernel's own limit for arguments and environment is 6 MiB,
	// which is 8 MiB in base64.
	maxMessage = 16 << 20

	// PacketSize is a buffer that holds every packet.
	PacketSize = maxInline + 1
)

// OOBSize is a control buffer that holds every packet's descriptors; computed
// from the kernel's headers and never written.
var OOBSize = unix.CmsgSpace((MaxFiles + 1) * 4)

// Encode makes the packet for a message. A file that is not nil must be the
// first descriptor of the packet and be closed after sending.
func Encode(v any) (packet []byte, file *os.File, err error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, nil, fmt.Errorf("encoding a helper message: %w", err)
	}
	if len(body) <= maxInline {
		return append([]byte{inline}, body...), nil, nil
	}
	if len(body) > maxMessage {
		return nil, nil,
			&Error{
				TooBig,
				fmt.Sprintf("arguments and environment are %d bytes together; Linux accepts at most 2 MiB", len(body)*3/4),
			}
	}
	fd, err := unix.MemfdCreate("goalpost-request", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil, fmt.Errorf("making a memfd for a large helper message: %w", err)
	}
	file = os.NewFile(uintptr(fd), "memfd")
	if _, err := file.WriteAt(body, 0); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("writing a large helper message: %w", err), file.Close())
	}
	return []byte{memfd}, file, nil
}

// Decode reads a packet with its descriptors. It closes the memfd and
// returns the descriptors that belong to the message, also on error.
func Decode(packet []byte, fds []int, v any) ([]int, error) {
	if len(packet) == 0 {
		return fds, errors.New("empty helper packet")
	}
	body := packet[1:]
	switch packet[0] {
	case inline:
	case memfd:
		if len(fds) == 0 {
			return fds, errors.New("helper packet without its memfd")
		}
		file := os.NewFile(uintptr(fds[0]), "memfd")
		fds = fds[1:]
		var err error
		body, err = io.ReadAll(io.NewSectionReader(file, 0, maxMessage))
		if err := errors.Join(err, file.Close()); err != nil {
			return fds, fmt.Errorf("reading a large helper message: %w", err)
		}
	default:
		return fds, fmt.Errorf("helper packet of unknown kind %q", packet[0])
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fds, fmt.Errorf("decoding a helper message: %w", err)
	}
	return fds, nil
}

// Descriptors takes the descriptors out of a packet's control data.
func Descriptors(oob []byte) ([]int, error) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, fmt.Errorf("reading control data of a helper packet: %w", err)
	}
	var fds []int
	for i := range messages {
		more, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue // another kind of control message
		}
		fds = append(fds, more...)
	}
	return fds, nil
}
