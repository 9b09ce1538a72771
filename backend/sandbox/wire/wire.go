// Package wire is what the app and goalpost-helper say to each other over one
// SOCK_SEQPACKET socket: a packet is one message, descriptors travel beside it
// (SCM_RIGHTS).
//
// A packet begins with one byte. 'j': the rest is the message as JSON. 'm': the
// message is the content of the memfd that is the packet's first descriptor,
// which is how argument lists that exceed a packet travel. Text that the kernel
// takes as bytes (arguments, environment, folder) is []byte, base64 in JSON,
// because it need not be UTF-8.
//
// A helper without a sandbox speaks first (Answer with Hello); one with a sandbox waits
// for Setup and then says Hello, or an error that names the step. It answers each
// start with a pid or an error and, in its own time, with an exit. A signal is
// answered only when it fails. End of file from the app ends everything the
// helper started.
package wire

// Version is said in Hello; the app refuses another one.
const Version = 6

// Socket is the helper's descriptor of the socket.
const Socket = 3

// MaxFiles is how many descriptors one start may carry; the kernel's own bound
// is 253 a packet, one of which may be the memfd.
const MaxFiles = 128

// Op is what a request asks for.
type Op string

// The requests.
const (
	Configure Op = "setup" // builds the walls; the first, and once
	Start     Op = "start"
	Signal    Op = "signal"
	Dial      Op = "dial" // a connection to the goal's own loopback
	Grant     Op = "widen"
	Revoke    Op = "narrow" // takes back what the widening with this ID opened
)

// Request is app to helper. ID names the program in every later message; the
// app counts it up and never uses it twice.
type Request struct {
	ID uint64 `json:"id"`
	Op Op     `json:"op"`

	// Start.
	Argv [][]byte `json:"argv,omitempty"`
	Env  [][]byte `json:"env,omitempty"`
	Dir  []byte   `json:"dir,omitempty"` // absolute
	// Files[i] is where descriptor i of the program comes from: an index into
	// the descriptors that travel with the packet (the memfd not counted), or
	// -1 for /dev/null. Descriptors 0 to 2 are /dev/null when not named.
	Files []int `json:"files,omitempty"`
	TTY   bool  `json:"tty,omitempty"` // descriptor 0 becomes the controlling terminal

	// Of a start inside a sandbox. A helper without a sandbox answers Unsupported: a
	// program never runs with less than was asked for.
	// the helper opens the terminal itself, in its own devpts; the answer carries its master
	Size   *Size          `json:"size,omitempty"`
	Domain Domain         `json:"domain,omitempty"` // which walls the program runs in; "" is none
	Held   []FileOverride `json:"held,omitempty"`   // of a check

	// Signal, and of Narrow: 0 leaves the programs as they are.
	Signal int `json:"signal,omitempty"`

	// Widen: what the agent's sandbox gets besides its walls, and every check's from now
	// on; or an address as in Walls.Listen, whose socket travels with the answer.
	Mounts []Mount `json:"mounts,omitempty"`
	Listen string  `json:"listen,omitempty"`

	// Setup.
	Spec *Spec `json:"walls,omitempty"`

	// Dial: network and address, as in "tcp" and "127.0.0.1:8080". The answer
	// carries the connection.
	Network string `json:"network,omitempty"`
	Address string `json:"address,omitempty"`
}

// Size of a terminal in character cells.
type Size struct {
	Cols uint16 `json:"cols"`
	Rows uint16 `json:"rows"`
}

// Domain names the walls around a program; agent and check never share a sandbox.
type Domain string

// The domains.
const (
	DomainAgent Domain = "agent"
	DomainCheck Domain = "check"
)

// Limits of the programs inside a sandbox; 0 is no limit.
type Limits struct {
	Processes int   `json:"processes,omitempty"` // of one domain together
	Memory    int64 `json:"memory,omitempty"`    // bytes of data of each process
	FileSize  int64 `json:"file_size,omitempty"` // bytes
	Nice      int   `json:"nice,omitempty"`
	// Of all programs of the goal: bytes of memory, bytes of what is in /tmp. The
	// helper looks at them, and ends programs.
	Together int64 `json:"together,omitempty"`
	Tmp      int64 `json:"tmp,omitempty"`
}

// TmpNames are where the goal's /tmp is.
var TmpNames = []string{"/tmp", "/var/tmp"}

// Spec is what the programs of a goal find: everything that is not named here
// is not there. Paths are bytes, like arguments.
type Spec struct {
	UID int `json:"uid"` // whom the programs run as
	GID int `json:"gid"`
	// Mounts in their order; a later one lies upon an earlier one.
	Mounts []Mount `json:"mounts"`
	// Caches are mounted once for all domains, before the mounts.
	Caches []Cache `json:"caches,omitempty"`
	// Tmp has the TmpNames for the agent; each check gets a fresh folder in Scratch.
	Tmp      []byte `json:"tmp"`
	Scratch  []byte `json:"scratch"`
	TmpWrite bool   `json:"tmp_write"` // of the agent; a check may always
	// Listen are "tcp ADDRESS" and "udp ADDRESS" on the goal's loopback; Hello
	// carries the sockets in this order.
	Listen []string `json:"listen,omitempty"`
	Limits Limits   `json:"limits"`
}

// Kind is what a mount puts at its target.
type Kind string

// The kinds.
const (
	MountBind    Kind = "bind" // Source, with everything below it
	MountText    Kind = "text" // a read-only file with Text in it
	MountEmpty   Kind = "hide" // an empty file or folder in place of what is there
	MountSymlink Kind = "link" // a symbolic link to Source; nothing if something is there
)

// Mount is one thing that the programs find at Target.
type Mount struct {
	Kind   Kind   `json:"kind"`
	Source []byte `json:"source,omitempty"`
	Target []byte `json:"target"`
	Text   []byte `json:"text,omitempty"`
	// Optional is left out when Source (or, to hide, Target) is not there.
	Optional bool `json:"optional,omitempty"`
	// Write and CheckWrite say who may change it: agent, check.
	Write      bool `json:"write,omitempty"`
	CheckWrite bool `json:"check_write,omitempty"`
	// AgentOnly: a check's sandbox has it not.
	AgentOnly bool `json:"agent_only,omitempty"`
	// CheckOnly: the agent's sandbox has it not.
	CheckOnly bool `json:"check_only,omitempty"`
	// Itself binds a link and not what it leads to; what the kernel does not hold so is
	// left as it is.
	Itself bool `json:"itself,omitempty"`
	// Between is left out of a check whose held files are in a layer upon the folder
	// that Target is in: the layer is above all of it.
	Between bool `json:"between,omitempty"`
	// Gone: the goal's init saw it and it was removed; a check's sandbox covers it when it is back.
	Gone bool `json:"gone,omitempty"`
	// Discard: what a check writes there goes with its sandbox.
	Discard bool `json:"discard,omitempty"`
	// Devices: device files below it work.
	Devices bool `json:"devices,omitempty"`
	// Fresh: each check finds a folder of its own here instead of Source: empty, or
	// with what is in Below. What a check writes there goes with its sandbox.
	Fresh bool   `json:"fresh,omitempty"`
	Below []byte `json:"below,omitempty"`
}

// Writable reports whether the agent's programs, or those of a check, may change it.
func (m Mount) Writable(check bool) bool { return check && m.CheckWrite || !check && m.Write }

// IsLeftOut reports whether the agent's sandbox, or that of a check, has it not.
func (m Mount) IsLeftOut(check bool) bool { return check && m.AgentOnly || !check && m.CheckOnly }

// Cache is a folder of the user that programs may fill: Lower is never
// changed, what they write is in Upper. Merged is the empty folder where both
// appear to the helper, Work one beside Upper.
type Cache struct {
	Lower  []byte `json:"lower"`
	Upper  []byte `json:"upper"`
	Work   []byte `json:"work"`
	Merged []byte `json:"merged"`
}

// FileOverride is a file that a check reads from Copy.
type FileOverride struct {
	Path []byte `json:"path"`
	Copy []byte `json:"copy"`
}

// Answer is helper to app. Exactly one of its parts is set.
type Answer struct {
	Hello int    `json:"hello,omitempty"` // Version; the first packet
	ID    uint64 `json:"id,omitempty"`
	Pid   int    `json:"pid,omitempty"` // started
	Error *Error `json:"error,omitempty"`
	Exit  *Exit  `json:"exit,omitempty"`
	// Dialed: a connection travels with the packet.
	Dialed bool `json:"dialed,omitempty"`
	// Changed: the walls are as a Widen or Narrow wanted them.
	Changed bool `json:"changed,omitempty"`
	// Attempt: a program tried what it may not; without ID.
	Attempt *Violation `json:"attempt,omitempty"`
}

// Violation is a call that the kernel refused a program, or will: seccomp, or a
// namespace in which what it wants is not there.
type Violation struct {
	Domain  Domain `json:"domain"`
	Text    string `json:"text"`    // what it tried, as an infinitive: "ptrace", "signal process 12"
	Program string `json:"program"` // its name, as it calls itself
	Times   int    `json:"times"`   // so far
	// Port is one where nobody of the goal listens. Unless a server of the machine
	// does, nothing was attempted: a program waits for its own.
	Port uint16 `json:"port,omitempty"`
	// Ended: the program was ended, and Text says why.
	Ended bool `json:"ended,omitempty"`
}

// Exit is a wait status: Code is -1 when Signal ended the program.
type Exit struct {
	Code   int `json:"code"`
	Signal int `json:"signal,omitempty"`
}

// Code says which kind of thing went wrong.
type Code string

// The codes.
const (
	NotFound       Code = "not_found"   // no such program
	Permission     Code = "permission"  // the program or its folder may not be used
	NoDir          Code = "no_dir"      // the folder to start in is not there
	TooBig         Code = "too_big"     // arguments and environment exceed what the kernel takes
	NotProgram     Code = "not_program" // the file is no executable of this machine
	InvalidRequest Code = "bad"         // the request makes no sense
	Ended          Code = "ended"       // signal to a program that has ended
	Unsupported    Code = "unsupported" // asks for something this helper cannot do
	SandboxError   Code = "walled"      // the kernel refuses to build the walls
	Failed         Code = "failed"      // anything else the kernel said
)

// Error is why a request failed, in words for the user.
type Error struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
}

func (e *Error) Error() string { return e.Text }
