// Package spec says what the programs of a goal find and may do.
package spec

import "strings"

// Spec say what the programs of a goal find and may do. All paths are absolute.
type Spec struct {
	Dir string // the goal's folder, without links in its path
	// Layer is the goal's private folder, made if missing: its home, /tmp and
	// what it puts into caches. It is kept as long as the goal.
	Layer string
	// Home is where the private home appears; the user's own is not there.
	Home string
	// ReadOnly: the agent's programs write nothing but the goal's own devices and
	// shared memory.
	ReadOnly bool
	// Work are folders and files of Dir that the agent's programs may change; all else of
	// Dir is read-only for them. None is the whole of Dir. Checks are not limited by it.
	Work []string
	// CheckDir is a folder that only checks see, read-only; "" for none. Hidden are paths
	// that neither the agent's programs nor checks see. An empty folder is in their places.
	CheckDir string
	Hidden   []string
	// Held are files of Dir, written out, that the agent's programs read and do not
	// write. It is a courtesy: whoever renames the folder of one is rid of it. What a
	// check sees of them, its command says.
	Held []string
	// Tools are seen and not written: toolchains of the user, this program.
	Tools []string
	// Caches are folders of the user whose content programs see and may add to;
	// what they add stays in Layer.
	Caches []Cache
	// Read and Write are folders, and Sockets are Unix sockets, that the user
	// granted.
	Read    []string
	Write   []string
	Sockets []string
	// Ports of this machine's loopback that the user granted; Network gives a
	// listener on the goal's own for each.
	Ports []int
	// Limits of the programs; nil is DefaultLimits.
	Limits *ResourceLimits
}

// Cache is a folder of the user and where programs find it.
type Cache struct{ From, To string }

// ResourceLimits bound the programs of a goal; 0 is no limit.
type ResourceLimits struct {
	Processes int   // of one domain together
	Memory    int64 // bytes of data of each process
	FileSize  int64 // bytes of one file
	Nice      int
	// Together is bytes of memory of all programs of the goal, Tmp bytes of what lies
	// in its /tmp. The first process of the goal looks at both several times a second,
	// and ends the largest programs, or those that write in /tmp.
	Together int64
	Tmp      int64
}

// DefaultLimits are those of a goal: its programs may use three quarters of the
// memory, each and all together, which leaves the machine usable.
func DefaultLimits() *ResourceLimits {
	most := machineMemory() / 4 * 3
	return &ResourceLimits{Processes: 1024, Memory: most, FileSize: 4 << 30, Nice: 5, Together: most, Tmp: 4 << 30}
}

// The goal's own addresses: where its programs find the proxy and the name
// server. 127.0.0.1 is left to the servers that a goal starts.
const (
	ProxyAddress = "127.0.0.53:3128"
	NameServer   = "127.0.0.53"
)

// Where programs find what Goalpost lays there for them.
const (
	GitConfigPath = "/run/goalpost/gitconfig"
	SSHConfigPath = "/run/goalpost/ssh_config"
	HelperPath    = "/run/goalpost/helper"
)

// IsBelow reports whether a path is a folder or in it. Both are written out.
func IsBelow(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
