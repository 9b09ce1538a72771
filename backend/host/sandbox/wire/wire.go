// Package wire defines the protocol between the app and goalpost-helper. It uses one SOCK_SEQPACKET
// socket: each packet is a message, and descriptors are passed along with it (SCM_RIGHTS).
//
// The first byte of a packet is its kind. After 'j', the rest of the packet is the message as JSON. For 'm',
// the first descriptor is a memfd that contains the message; this carries argument lists
// that are larger than a packet. Arguments, environment and folders are []byte (base64 in
// JSON), because they need not be UTF-8.
//
// A helper without a sandbox sends the first message, an Answer with Hello. One with a sandbox waits
// for Configure and then sends Hello, or an error that names the failed step. The answer to
// Start is a pid or an error, and an Exit follows when the program ends, after the last
// part of its trace if it is traced. Signal is answered only if it fails. When the app closes the
// socket, the helper ends everything that it started.
package wire

// Version is sent in Hello; the app refuses a helper with another version.
const Version = 8

// Socket is the helper's descriptor of the socket.
const Socket = 3

// MaxFiles is the number of descriptors that one Start can carry. The kernel allows 253 in a packet,
// one of which may be the memfd.
const MaxFiles = 128

// Op is the kind of a request.
type Op string

// The requests.
const (
	Configure Op = "setup" // builds the sandbox; the first request, sent once
	Start     Op = "start"
	// Signal sends a signal to a program's process group. SIGKILL also goes to the rest of its session, and after a
	// SIGTERM to what is left of the session when the program has ended.
	Signal Op = "signal"
	List   Op = "list"   // names the processes of the session that the program with Pid began; answered with Listed
	Dial   Op = "dial"   // connects to the goal's own loopback
	Grant  Op = "grant"  // adds mounts or a listener to the running sandbox
	Revoke Op = "revoke" // removes what the Grant with this ID added
	Freeze Op = "freeze" // stops the agent's programs; answered with Changed
	Thaw   Op = "thaw"   // undoes the Freeze with this ID; programs run again after the last
	Seal   Op = "seal"   // makes Dir read-only for the agent's programs; answered with Changed
	Unseal Op = "unseal" // undoes Seal; answered with Changed
)

// Request is a message from the app to the helper. ID identifies the program in every later message; the
// app never uses one twice.
type Request struct {
	ID uint64 `json:"id"`
	Op Op     `json:"op"`

	// Start.
	Argv [][]byte `json:"argv,omitempty"`
	Env  [][]byte `json:"env,omitempty"`
	Dir  []byte   `json:"dir,omitempty"` // absolute; also for Seal
	// Files[i] is the source of the program's descriptor i: an index into the descriptors of the packet
	// (without the memfd), or -1 for /dev/null. Descriptors 0 to 2 default to /dev/null.
	Files []int `json:"files,omitempty"`
	TTY   bool  `json:"tty,omitempty"` // descriptor 0 becomes the controlling terminal

	// For Start inside a sandbox. A helper without one answers Unsupported, so that a program
	// never runs with less isolation than requested.
	// With Size, the helper opens a terminal in its own devpts; the answer carries its master.
	Size   *Size          `json:"size,omitempty"`
	Domain Domain         `json:"domain,omitempty"` // of the sandbox; "" is none
	Held   []FileOverride `json:"held,omitempty"`   // for a check
	Trace  *TraceRequest  `json:"trace,omitempty"`  // for a check; nil is none

	// For Signal, and for Revoke, which sends it to all programs; 0 is none.
	Signal int `json:"signal,omitempty"`

	// For List: as in the answer to Start.
	Pid int `json:"pid,omitempty"`

	// For Grant: mounts for the agent's sandbox and for the checks that start later; or an address
	// as in Spec.Listen, whose socket is passed with the answer.
	Mounts []Mount `json:"mounts,omitempty"`
	Listen string  `json:"listen,omitempty"`

	// For Configure.
	Spec *Spec `json:"spec,omitempty"`

	// For Dial, such as "tcp" and "127.0.0.1:8080". The connection is passed with the answer.
	Network string `json:"network,omitempty"`
	Address string `json:"address,omitempty"`
}

// Size of a terminal in character cells.
type Size struct {
	Cols uint16 `json:"cols"`
	Rows uint16 `json:"rows"`
}

// Domain is the kind of sandbox that a program runs in. Agent and checks never share one.
type Domain string

// The domains.
const (
	DomainAgent Domain = "agent"
	DomainCheck Domain = "check"
)

// Limits of the programs inside a sandbox; 0 is no limit.
type Limits struct {
	Processes int   `json:"processes,omitempty"` // of all programs in one sandbox
	Memory    int64 `json:"memory,omitempty"`    // bytes of data of each process; not applied if Together is set
	FileSize  int64 `json:"file_size,omitempty"` // bytes
	Nice      int   `json:"nice,omitempty"`
	// Bytes of memory of all programs of the goal, and of the contents of /tmp. The helper measures
	// each unless it is 0, and ends programs that exceed it.
	Together int64 `json:"together,omitempty"`
	Tmp      int64 `json:"tmp,omitempty"`
}

// TmpNames are the paths of the goal's /tmp.
var TmpNames = []string{"/tmp", "/var/tmp"}

// Spec lists what the programs of a goal can see; nothing else exists for them. Paths are bytes, like
// arguments.
type Spec struct {
	UID int `json:"uid"` // the user that the programs run as
	GID int `json:"gid"`
	// Mounts are applied in this order; a later one can cover an earlier one.
	Mounts []Mount `json:"mounts"`
	// Caches are mounted once for all sandboxes of the goal, before Mounts.
	Caches []Cache `json:"caches,omitempty"`
	// Tmp is mounted at TmpNames for the agent; each check gets a new folder in Scratch.
	Tmp      []byte `json:"tmp"`
	Scratch  []byte `json:"scratch"`
	TmpWrite bool   `json:"tmp_write"` // for the agent; a check can always write
	// Listen are "tcp ADDRESS" and "udp ADDRESS" on the goal's loopback. Their sockets are passed with
	// Hello, in this order.
	Listen []string `json:"listen,omitempty"`
	Limits Limits   `json:"limits"`
}

// Kind is what a mount shows at its target.
type Kind string

// The kinds.
const (
	MountBind    Kind = "bind" // Source and everything below it
	MountText    Kind = "text" // a read-only file that contains Text
	MountEmpty   Kind = "hide" // an empty file or folder that hides Target
	MountSymlink Kind = "link" // a symbolic link to Source, unless Target exists
)

// Mount is a part of the file system that programs see at Target.
type Mount struct {
	Kind   Kind   `json:"kind"`
	Source []byte `json:"source,omitempty"`
	Target []byte `json:"target"`
	Text   []byte `json:"text,omitempty"`
	// Optional skips the mount if Source (for MountEmpty: Target) does not exist.
	Optional bool `json:"optional,omitempty"`
	// Write lets the agent write to the mount, CheckWrite lets checks write to it.
	Write      bool `json:"write,omitempty"`
	CheckWrite bool `json:"check_write,omitempty"`
	// AgentOnly leaves the mount out of checks' sandboxes.
	AgentOnly bool `json:"agent_only,omitempty"`
	// CheckOnly leaves the mount out of the agent's sandbox.
	CheckOnly bool `json:"check_only,omitempty"`
	// Itself binds a symbolic link instead of its target. Kernels that cannot mount upon links skip
	// it.
	Itself bool `json:"itself,omitempty"`
	// Between is left out of a check that has an overlay with protected files on the folder of Target:
	// the overlay covers it.
	Between bool `json:"between,omitempty"`
	// Discard drops what a check writes there at the end of its sandbox.
	Discard bool `json:"discard,omitempty"`
	// Devices lets device files work.
	Devices bool `json:"devices,omitempty"`
	// Fresh gives each check a folder of its own instead of Source, which is empty or shows Below. What
	// a check writes there is discarded with its sandbox.
	Fresh bool   `json:"fresh,omitempty"`
	Below []byte `json:"below,omitempty"`
}

// Writable reports whether the agent's programs, or those of a check, can write the mount.
func (m Mount) Writable(check bool) bool { return check && m.CheckWrite || !check && m.Write }

// IsLeftOut reports whether the mount is not in the sandbox of the agent, or of a check.
func (m Mount) IsLeftOut(check bool) bool { return check && m.AgentOnly || !check && m.CheckOnly }

// Cache is an overlay over a folder of the user that programs can add to. Lower is never changed;
// writes go to Upper. The helper mounts the overlay at the empty folder Merged. Work is overlayfs's
// work folder, on the file system of Upper.
type Cache struct {
	Lower  []byte `json:"lower"`
	Upper  []byte `json:"upper"`
	Work   []byte `json:"work"`
	Merged []byte `json:"merged"`
}

// FileOverride is a file that a check reads from Copy, or does not find if Copy is empty.
type FileOverride struct {
	Path []byte `json:"path"`
	Copy []byte `json:"copy,omitempty"`
}

// Answer is a message from the helper to the app. Exactly one of its parts is set.
type Answer struct {
	Hello int    `json:"hello,omitempty"` // Version; the first packet
	ID    uint64 `json:"id,omitempty"`
	Pid   int    `json:"pid,omitempty"` // started
	Error *Error `json:"error,omitempty"`
	Exit  *Exit  `json:"exit,omitempty"`
	// Dialed reports that a connection is passed with the packet.
	Dialed bool `json:"dialed,omitempty"`
	// Changed reports that a Grant, Revoke, Freeze, Thaw, Seal or Unseal is done.
	Changed bool `json:"changed,omitempty"`
	// Listed reports that Programs has the command lines that were asked for.
	Listed   bool     `json:"listed,omitempty"`
	Programs [][]byte `json:"programs,omitempty"`
	// Listening has what the agent's programs listened on when they were frozen.
	Listening Listening `json:"listening,omitzero"`
	// Trace is a part of a program's trace; the last one comes before the program's exit.
	Trace *TraceBatch `json:"trace,omitempty"`
	// Attempt is something that a program tried and that is not allowed; without ID.
	Attempt *Violation `json:"attempt,omitempty"`
	// Lost is a file or folder of the machine that another process replaced, moved or removed, so that the sandbox's
	// mount over it is gone. The sandbox ends; without ID.
	Lost []byte `json:"lost,omitempty"`
}

// Violation is a call that the kernel refuses: by seccomp, or because what the program wants does not
// exist in its namespace.
type Violation struct {
	Domain  Domain `json:"domain"`
	Text    string `json:"text"`    // what the program tried, as an infinitive: "ptrace", "signal process 12"
	Program string `json:"program"` // the name that the program gives itself
	Times   int    `json:"times"`   // so far
	// Port is a port on which no program of the goal listens. If no server of the machine listens there either, this is
	// not a violation: a program waits for a server of its own.
	Port uint16 `json:"port,omitempty"`
	// Ended reports that the program was ended, for the reason in Text.
	Ended bool `json:"ended,omitempty"`
	// Connects says that this is no violation: a program of a check connects to Port, or with 0 to a Unix socket.
	Connects bool `json:"connects,omitempty"`
}

// Listening is what programs listen on.
type Listening struct {
	Ports []uint16 `json:"ports,omitempty"` // TCP
	Unix  bool     `json:"unix,omitempty"`  // any Unix socket
}

// Exit is a wait status. Code is -1 if Signal ended the program.
type Exit struct {
	Code   int `json:"code"`
	Signal int `json:"signal,omitempty"`
}

// Code is the kind of an error.
type Code string

// The codes.
const (
	NotFound       Code = "not_found"   // no such program
	Permission     Code = "permission"  // the user has no access to the program or its folder
	NoDir          Code = "no_dir"      // the folder to start in does not exist
	TooBig         Code = "too_big"     // arguments and environment exceed the kernel's limit
	NotProgram     Code = "not_program" // the file is not executable on this machine
	InvalidRequest Code = "bad"         // the request is malformed
	Ended          Code = "ended"       // signal to a program that has ended
	Unsupported    Code = "unsupported" // this helper cannot do it
	SandboxError   Code = "sandbox"     // the sandbox cannot be built here
	Busy           Code = "busy"        // a program has a file of the folder open for writing
	Failed         Code = "failed"      // any other error of the kernel
)

// Error is the reason why a request failed, for the user to read.
type Error struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
}

func (e *Error) Error() string { return e.Text }
