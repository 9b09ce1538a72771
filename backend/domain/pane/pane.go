// Package pane has the types that terminals, browsers, the loopback stream and the page share about what is on the
// screen.
package pane

// Kind is what a pane shows.
type Kind string

// The kinds.
const (
	Terminal Kind = "terminal"
	Browser  Kind = "browser"
	TextFile Kind = "file"
)

// Info is one pane as lists and tabs show it.
type Info struct {
	ID     string `json:"id"`
	Kind   Kind   `json:"kind"`
	Title  string `json:"title"`
	GoalID string `json:"goal_id"` // the goal that leases it, "" for the user
	Shared bool   `json:"shared"`  // it is the user's own, and shared with that goal
	Dir    string `json:"dir"`     // terminal: where it was opened
	Cwd    string `json:"cwd"`     // terminal: the present folder, as its shell reports it
	// Of a terminal on another machine: the name of its server, its tmux session ("" without one), and what ssh asks
	// now; Secret: the answer must not be shown. AskAgain: ssh refused the saved answer.
	Server   string `json:"server"`
	Session  string `json:"session"`
	Ask      string `json:"ask"`
	Secret   bool   `json:"secret"`
	AskAgain bool   `json:"ask_again"`
	Running  bool   `json:"running"` // terminal: the program is running; browser: the page exists
	Exit     int    `json:"exit"`    // terminal: exit code once it has ended
	Path     string `json:"path"`    // file: the text file that it shows
	URL      string `json:"url"`
	Loading  bool   `json:"loading"`
	CanBack  bool   `json:"can_back"`
	CanFwd   bool   `json:"can_forward"`
	Problem  string `json:"problem"` // an error, for an overlay: "the page crashed"
	Notice   string `json:"notice"`  // a note beside the page: "the browser was started again"
	Driver   Driver `json:"driver"`  // browser: who may act on the page
	Profile  string `json:"profile"` // browser: where logins are stored, "" = nowhere
	Asleep   bool   `json:"asleep"`  // browser: the page is loaded when it is shown
	Pinned   bool   `json:"pinned"`  // browser: the user keeps its tab first and narrow
	Icon     string `json:"icon"`    // browser: of the page, as the address of a PNG in itself, "" without one
	// TerminalProfile is how a terminal was started, "" as any other.
	TerminalProfile string `json:"terminal_profile"`
	// Inspects is the pane whose page these developer tools inspect, "" for other panes.
	Inspects string `json:"inspects"`
	// Acting describes the agent's last action, shown at X, Y (CSS pixels of the page).
	Acting string  `json:"acting"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
}

// Driver is who may act on a browser pane: one at a time.
type Driver string

// The drivers. A terminal has no driver, and neither does a goal's page while no run of the goal is active: the user
// may act on that page, and no agent waits for it.
const (
	Nobody      Driver = ""
	DriverUser  Driver = "user"
	DriverAgent Driver = "agent"
)

// ViewerUpdate is one update for a viewer of a browser pane; exactly one of the three is not nil.
type ViewerUpdate struct {
	Frame   *Frame
	Info    *Info
	Overlay *Overlay
}

// Frame is one picture of a browser pane, as JPEG. A newer one replaces it.
type Frame struct {
	N             uint32 // counts up by one for each frame captured
	Width, Height int    // CSS pixels that the picture covers
	JPEG          []byte // read-only
}

// InputKind is the kind of the user's input to a pane.
type InputKind string

// The inputs.
const (
	MouseMove InputKind = "move"
	MouseDown InputKind = "down"
	MouseUp   InputKind = "up"
	Wheel     InputKind = "wheel"
	KeyDown   InputKind = "keydown"
	KeyUp     InputKind = "keyup"
	Text      InputKind = "text"    // a finished string: paste, IME commit, dead keys
	Compose   InputKind = "compose" // a string that an input method is still writing
	Touch     InputKind = "touch"   // Text says start, move, end or cancel; Points are the fingers that are down
)

// MouseButton is the button of an input with the mouse.
type MouseButton string

// The buttons.
const (
	LeftButton   MouseButton = "left"
	MiddleButton MouseButton = "middle"
	RightButton  MouseButton = "right"
	NoButton     MouseButton = "none"
)

// Input is one input of the user to a browser pane. Coordinates are CSS pixels of the page's viewport. Modifiers: 1
// Alt, 2 Ctrl, 4 Meta, 8 Shift.
type Input struct {
	Kind      InputKind   `json:"kind"`
	X         float64     `json:"x"`
	Y         float64     `json:"y"`
	Button    MouseButton `json:"button"`
	Buttons   int         `json:"buttons"` // mask of held buttons, as in the DOM
	Clicks    int         `json:"clicks"`
	DX        float64     `json:"dx"`
	DY        float64     `json:"dy"`
	Key       string      `json:"key"`  // DOM key
	Code      string      `json:"code"` // DOM code
	KeyCode   int         `json:"key_code"`
	Text      string      `json:"text"`
	Modifiers int         `json:"modifiers"`
	Repeat    bool        `json:"repeat"`
	Points    []Point     `json:"points"`
}

// Point is a finger on the page, in CSS pixels of the viewport.
type Point struct {
	ID int     `json:"id"`
	X  float64 `json:"x"`
	Y  float64 `json:"y"`
}
