package policy

import "fmt"

// MachineAccessKind is the kind of a MachineAccess.
type MachineAccessKind string

// The kinds.
const (
	ReadAccess   MachineAccessKind = "read"   // a file or folder, with everything below it
	WriteAccess  MachineAccessKind = "write"  // a folder, with everything below it
	SocketAccess MachineAccessKind = "socket" // the program that answers at a Unix socket
	PortAccess   MachineAccessKind = "port"   // a TCP port of this machine's own loopback
)

// MachineAccess is a part of the user's machine, outside its folder, that a goal asks for. Path is absolute and
// without links; a port has none.
type MachineAccess struct {
	Kind MachineAccessKind `json:"kind"`
	Path string            `json:"path,omitempty"`
	Port int               `json:"port,omitempty"`
}

func (m MachineAccess) String() string {
	switch m.Kind {
	case ReadAccess:
		return "reading everything in " + m.Path
	case WriteAccess:
		return "reading, changing and deleting everything in " + m.Path
	case SocketAccess:
		return "connecting to the program behind " + m.Path + ", which acts with your permissions and not with the goal's"
	case PortAccess:
		return fmt.Sprintf("the port %d of this machine, for its programs and pages", m.Port)
	}
	return "nothing"
}

// equalAccess also returns true if both are nil.
func equalAccess(a, b *MachineAccess) bool { return a == b || a != nil && b != nil && *a == *b }
