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
// The helper speaks first (Answer with Hello), then answers each start with a
// pid or an error and, in its own time, with an exit. A signal is answered only
// when it fails. End of file from the app ends everything the helper started.
package wire

// Version is said in Hello; the app refuses another one.
const Version = 1

// Socket is the helper's descriptor of the socket.
const Socket = 3

// MaxFiles is how many descriptors one start may carry; the kernel's own bound
// is 253 a packet, one of which may be the memfd.
const MaxFiles = 128

// Op is what a request asks for.
type Op string

// The requests.
const (
	Start  Op = "start"
	Signal Op = "signal"
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

	// Reserved for the goal's sandbox. A helper that cannot honour them answers
	// Unsupported: a program never runs with less than was asked for.
	Size   *Size   `json:"size,omitempty"`   // the helper opens the terminal itself, in its own devpts
	Domain Domain  `json:"domain,omitempty"` // which walls the program runs in; "" is none
	Limits *Limits `json:"limits,omitempty"`

	// Signal.
	Signal int `json:"signal,omitempty"`
}

// Size of a terminal in character cells.
type Size struct {
	Cols uint16 `json:"cols"`
	Rows uint16 `json:"rows"`
}

// Domain names the walls around a program; agent and check never share a room.
type Domain string

// The domains.
const (
	Agent Domain = "agent"
	Check Domain = "check"
)

// Limits of one program; 0 is no limit.
type Limits struct {
	Processes int   `json:"processes,omitempty"`
	Memory    int64 `json:"memory,omitempty"`    // bytes
	FileSize  int64 `json:"file_size,omitempty"` // bytes
	Nice      int   `json:"nice,omitempty"`
}

// Answer is helper to app. Exactly one of its parts is set.
type Answer struct {
	Hello int    `json:"hello,omitempty"` // Version; the first packet
	ID    uint64 `json:"id,omitempty"`
	Pid   int    `json:"pid,omitempty"` // started
	Error *Error `json:"error,omitempty"`
	Exit  *Exit  `json:"exit,omitempty"`
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
	NotFound    Code = "not_found"   // no such program
	Permission  Code = "permission"  // the program or its folder may not be used
	NoDir       Code = "no_dir"      // the folder to start in is not there
	TooBig      Code = "too_big"     // arguments and environment exceed what the kernel takes
	NotProgram  Code = "not_program" // the file is no executable of this machine
	Bad         Code = "bad"         // the request makes no sense
	Ended       Code = "ended"       // signal to a program that has ended
	Unsupported Code = "unsupported" // asks for something this helper cannot do
	Failed      Code = "failed"      // anything else the kernel said
)

// Error is why a request failed, in words for the person.
type Error struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
}

func (e *Error) Error() string { return e.Text }
