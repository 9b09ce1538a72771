// Package pane holds the words that terminals, browsers, the loopback stream
// and the page share about what is on the screen.
package pane

// Kind says what a pane shows.
type Kind string

// The kinds.
const (
	Terminal Kind = "terminal"
	Browser  Kind = "browser"
)

// Info is one pane as lists and tabs show it.
type Info struct {
	ID      string `json:"id"`
	Kind    Kind   `json:"kind"`
	Title   string `json:"title"`
	GoalID  string `json:"goal_id"` // the goal that leases it, "" for the person
	Dir     string `json:"dir"`     // terminal: where it was opened
	Running bool   `json:"running"` // terminal: the program lives; browser: the page lives
	Exit    int    `json:"exit"`    // terminal: exit code once it has ended
	URL     string `json:"url"`
	Loading bool   `json:"loading"`
	CanBack bool   `json:"can_back"`
	CanFwd  bool   `json:"can_forward"`
	Problem string `json:"problem"` // what went wrong, for an overlay: "the page crashed"
	// Acting is the agent's last action in words, shown at X, Y (CSS pixels of the page).
	Acting string  `json:"acting"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
}

// Frame is one picture of a browser pane. JPEG, newest wins.
type Frame struct {
	N             uint32 // counts up by one for each frame captured
	Width, Height int    // CSS pixels that the picture covers
	JPEG          []byte // read-only
}

// InputKind says what the person did to a pane.
type InputKind string

// The inputs.
const (
	MouseMove InputKind = "move"
	MouseDown InputKind = "down"
	MouseUp   InputKind = "up"
	Wheel     InputKind = "wheel"
	KeyDown   InputKind = "keydown"
	KeyUp     InputKind = "keyup"
	Text      InputKind = "text" // a finished string: paste, IME commit, dead keys
)

// Input is one act of the person on a browser pane. Coordinates are CSS pixels
// of the page's viewport. Modifiers: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift.
type Input struct {
	Kind      InputKind `json:"kind"`
	X         float64   `json:"x"`
	Y         float64   `json:"y"`
	Button    string    `json:"button"`  // left, middle, right, none
	Buttons   int       `json:"buttons"` // mask of held buttons, as in the DOM
	Clicks    int       `json:"clicks"`
	DX        float64   `json:"dx"`
	DY        float64   `json:"dy"`
	Key       string    `json:"key"`  // DOM key
	Code      string    `json:"code"` // DOM code
	KeyCode   int       `json:"key_code"`
	Text      string    `json:"text"`
	Modifiers int       `json:"modifiers"`
	Repeat    bool      `json:"repeat"`
}
