// Package spec describes the sandbox of a goal: what its programs can see and do.
package spec

import "strings"

// Spec describes what the programs of a goal can see and do. All paths are absolute.
type Spec struct {
	Dir string // the goal's folder, without links in its path
	// Layer is the goal's private folder, created if missing. It contains the goal's home, /tmp and
	// what the goal adds to caches, and exists as long as the goal.
	Layer string
	// Home is the path at which programs see the private home instead of the user's.
	Home string
	// ReadOnly allows the agent's programs to write only the goal's own devices and shared memory.
	ReadOnly bool
	// Work has folders and files of Dir that the agent's programs may change; everything else in
	// Dir is read-only for them. Empty means the whole of Dir. Checks are not limited by it.
	Work []string
	// Repository is the git repository that Dir is a part of, nil for none.
	Repository *Repository
	// CheckDir is a folder that only checks see, read-only; "" for none. Hidden are paths
	// that neither the agent's programs nor checks see. An empty folder is in their places.
	CheckDir string
	Hidden   []string
	// Held are files of Dir that the agent's programs can read but not write. This prevents mistakes, but it is
	// not a protection: the agent can rename a folder above such a file, and a process outside can
	// replace it. Checks read the copies that process.Command.Held names.
	Held []string
	// Tools are read-only: toolchains of the user, and this program.
	Tools []string
	// Caches are folders of the user that programs can read and add to. What they add stays in Layer.
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

// Repository is a git repository whose work tree contains a goal's folder. For the rest of the work tree, programs see
// an outline of what the index lists: names, sizes and times, from which git concludes that it is unchanged. Read or
// Write has the repository's GitDir.
type Repository struct {
	Top    string // of the work tree
	GitDir string // its data: Top/.git, or that of a linked worktree's repository or of a submodule
	OwnDir string // what this work tree has of the data, such as the index; GitDir, or a folder in it
}

// RuntimeGrant is what the user grants to a goal's programs while it runs. Exactly one field is set.
type RuntimeGrant struct {
	Read   string // a file or folder, absolute, without links in its path
	Write  string // a folder; programs that already run can only read it
	Socket string // a Unix socket
	Port   int    // of this machine's loopback
	// Private is a file that the agent's programs can read and checks do not see.
	Private *PrivateFile
}

// PrivateFile is a file of the host (From) and the path in the goal's home at which programs see it (To). What the host
// later writes into From is seen at once.
type PrivateFile struct{ From, To string }

// Cache is a folder of the user (From) and the path at which programs see it (To).
type Cache struct{ From, To string }

// ResourceLimits bound the programs of a goal; 0 is no limit.
type ResourceLimits struct {
	Processes int   // of all programs in one sandbox
	Memory    int64 // bytes of data that each process can map; not applied if Together is set
	FileSize  int64 // bytes of one file
	Nice      int
	// Together limits the memory of all programs of the goal, and Tmp the contents of its /tmp, both
	// in bytes. The goal's init measures /tmp several times a second, and the memory unless a cgroup limits it. It
	// ends the largest programs, or those that write in /tmp.
	Together int64
	Tmp      int64
}

// DefaultLimits returns the limits of a goal without settings of its own. Its programs can use three
// quarters of the memory, which leaves the machine usable.
func DefaultLimits() *ResourceLimits {
	memory := machineMemory() / 4 * 3
	return &ResourceLimits{Processes: 1024, Memory: memory, FileSize: 4 << 30, Nice: 5, Together: memory, Tmp: 4 << 30}
}

// The addresses at which the goal's programs reach the proxy and the DNS server.
// 127.0.0.1 remains free for the servers that a goal starts.
const (
	ProxyAddress = "127.0.0.53:3128"
	NameServer   = "127.0.0.53"
)

// Paths of the files that Goalpost provides inside the sandbox.
const (
	GitConfigPath = "/run/goalpost/gitconfig"
	// For the Repository around the goal's folder.
	GitOutlinePath    = "/run/goalpost/gitoutline"
	GitAttributesPath = "/run/goalpost/gitattributes"
	SSHConfigPath     = "/run/goalpost/ssh_config"
	HelperPath        = "/run/goalpost/helper"
)

// IsBelow reports whether a path is a folder or inside it. Both must be clean.
func IsBelow(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
