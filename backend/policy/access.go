package policy

import "fmt"

// AccessKind is what an Access opens.
type AccessKind string

// The kinds.
const (
	ReadAccess   AccessKind = "read"   // a file or folder, with everything below it
	WriteAccess  AccessKind = "write"  // a folder, with everything below it
	SocketAccess AccessKind = "socket" // whoever answers at a Unix socket
	PortAccess   AccessKind = "port"   // a TCP port of this machine's own loopback
)

// Access is something of the person's machine that a goal asks for besides its
// folder. Path is absolute and without links; a port has none.
type Access struct {
	Kind AccessKind `json:"kind"`
	Path string     `json:"path,omitempty"`
	Port int        `json:"port,omitempty"`
}

func (a Access) String() string {
	switch a.Kind {
	case ReadAccess:
		return "reading everything in " + a.Path
	case WriteAccess:
		return "reading, changing and deleting everything in " + a.Path
	case SocketAccess:
		return "speaking to whoever answers at " + a.Path + ", who does it as you and not as the goal"
	case PortAccess:
		return fmt.Sprintf("the port %d of this machine, for its programs and pages", a.Port)
	}
	return "nothing"
}

// reaching: what is the person's own, the person opens.
func reaching(c Call, _ Policy) (finding, error) {
	if c.Effect.Access == nil {
		return fine()
	}
	return ask([]Scope{Reach}, "it asks for %s", c.Effect.Access)
}

// Held says whether programs may have open what a grant gave, so that it can only be
// taken back by ending them.
func (g Grant) Held() bool {
	return g.Access != nil && g.Access.Kind != PortAccess
}

// sameAccess holds for two without any.
func sameAccess(a, b *Access) bool { return a == b || a != nil && b != nil && *a == *b }

// With is the policy with what the person has granted since.
func (p Policy) With(grants []Grant) Policy {
	for _, g := range grants {
		if g.Scope == Host {
			p.opened = append(p.opened[:len(p.opened):len(p.opened)], g.Hosts...)
		}
		if g.Scope != Reach || g.Access == nil {
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
