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

func (a MachineAccess) String() string {
	switch a.Kind {
	case ReadAccess:
		return "reading everything in " + a.Path
	case WriteAccess:
		return "reading, changing and deleting everything in " + a.Path
	case SocketAccess:
		return "connecting to the program behind " + a.Path + ", which acts with your rights and not with the goal's"
	case PortAccess:
		return fmt.Sprintf("the port %d of this machine, for its programs and pages", a.Port)
	}
	return "nothing"
}

// checkMachineAccess asks the user before anything outside the sandbox is opened.
func checkMachineAccess(c Call, _ Policy) (checkResult, error) {
	if c.Effect.Access == nil {
		return passRule()
	}
	return askRule([]Scope{ScopeMachine}, "it asks for %s", c.Effect.Access)
}

// RevokedByKilling reports whether programs may hold open what a grant gave, so that only ending them revokes it.
func (g Grant) RevokedByKilling() bool {
	return g.Access != nil && g.Access.Kind != PortAccess
}

// equalAccess is also true if both are nil.
func equalAccess(a, b *MachineAccess) bool { return a == b || a != nil && b != nil && *a == *b }

// WithGrants is the policy with what the user has granted since.
func (p Policy) WithGrants(grants []Grant) Policy {
	for _, g := range grants {
		if g.Scope == ScopeHost {
			p.opened = append(p.opened[:len(p.opened):len(p.opened)], g.Hosts...)
		}
		if g.Scope != ScopeMachine || g.Access == nil {
			continue
		}
		switch g.Access.Kind {
		case ReadAccess:
			p.AllowRead = append(p.AllowRead[:len(p.AllowRead):len(p.AllowRead)], g.Access.Path)
		case WriteAccess:
			p.AllowWrite = append(p.AllowWrite[:len(p.AllowWrite):len(p.AllowWrite)], g.Access.Path)
		case SocketAccess:
			p.AllowSocket = append(p.AllowSocket[:len(p.AllowSocket):len(p.AllowSocket)], g.Access.Path)
		case PortAccess:
			p.AllowLocal = append(p.AllowLocal[:len(p.AllowLocal):len(p.AllowLocal)], g.Access.Port)
		}
	}
	return p
}
