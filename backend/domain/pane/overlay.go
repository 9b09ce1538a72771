package pane

// Overlay is what the app draws over a browser pane's picture, because headless Chromium draws none of it. It is
// replaced as a whole and never modified.
type Overlay struct {
	Cursor    string       `json:"cursor"`    // CSS keyword of the pointer's shape
	Zoom      int          `json:"zoom"`      // percent
	Questions []UserPrompt `json:"questions"` // oldest first; the page waits for most of them
	Downloads []Download   `json:"downloads"` // of this pane, oldest first
	Copied    Copied       `json:"copied"`
	// Fullscreen means that the page fills the pane: the toolbar gives way.
	Fullscreen bool `json:"fullscreen"`
}

// Copied is the text that the user last copied in the page.
type Copied struct {
	N    int    `json:"n"` // grows with each copy, so that the same text copied again is seen as new
	Text string `json:"text"`
}

// UserPromptKind is the kind of a prompt, which decides how it is drawn.
type UserPromptKind string

// The kinds.
const (
	Alert        UserPromptKind = "alert"
	Confirm      UserPromptKind = "confirm"
	Prompt       UserPromptKind = "prompt"
	BeforeUnload UserPromptKind = "leave"       // the page wants to keep the user from leaving
	Permission   UserPromptKind = "permission"  // Value names it: geolocation, notifications, …
	Login        UserPromptKind = "login"       // HTTP authentication; Text is the realm
	Certificate  UserPromptKind = "certificate" // Text is the error
	Files        UserPromptKind = "files"       // a file input
	SelectOption UserPromptKind = "choose"      // the options of a select element
	Autocomplete UserPromptKind = "suggest"     // suggestions for a text field
	PickValue    UserPromptKind = "pick"        // a date, time or colour; Type is the input's
	ContextMenu  UserPromptKind = "menu"        // the context menu
	// Value is the user name; Multiple means that another password is already saved for that user
	SaveLogin UserPromptKind = "save_login"
)

// UserPrompt is a question of a page, or of Chromium, to the user. Texts come from the page: one line, sanitized, to be
// drawn as text only.
type UserPrompt struct {
	ID       int            `json:"id"`
	Kind     UserPromptKind `json:"kind"`
	Origin   string         `json:"origin"` // where the question comes from: scheme, host and port
	Text     string         `json:"text"`
	Value    string         `json:"value"` // the present value
	Type     string         `json:"type"`  // pick: date, time, month, week, datetime-local, color
	Min      string         `json:"min"`
	Max      string         `json:"max"`
	Options  []Option       `json:"options"`
	Multiple bool           `json:"multiple"` // files: several may be given
	X        float64        `json:"x"`        // of the field, in CSS pixels of the viewport
	Y        float64        `json:"y"`
	Width    float64        `json:"width"`
	Height   float64        `json:"height"`
	Link     string         `json:"link"`      // menu: the address under the pointer
	Image    string         `json:"image"`     // menu: the address of the picture under the pointer
	Selected string         `json:"selected"`  // menu: the selected text
	Editable bool           `json:"editable"`  // menu: on a text field
	NoAnswer bool           `json:"no_answer"` // the page does not wait: closing it needs no answer
}

// Option is one line of a list.
type Option struct {
	Label    string `json:"label"`
	Group    string `json:"group"`
	Disabled bool   `json:"disabled"`
	Selected bool   `json:"selected"`
}

// Answer is the user's answer to a prompt.
type Answer struct {
	ID       int      `json:"id"`
	Yes      bool     `json:"yes"`
	Text     string   `json:"text"` // prompt, pick, suggest
	User     string   `json:"user"`
	Password string   `json:"password"`
	Index    int      `json:"index"` // choose: the option, counted from 0
	Files    []string `json:"files"` // paths
}

// DownloadState is the state of a download.
type DownloadState string

// The states.
const (
	Downloading DownloadState = "downloading"
	Arrived     DownloadState = "arrived" // complete, and waits for the user to say where it is saved
	Downloaded  DownloadState = "downloaded"
	Canceled    DownloadState = "canceled"
)

// Download is a file that a page sends.
type Download struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	URL      string        `json:"url"`
	Path     string        `json:"path"` // where the finished file is, or is proposed to be if it asks
	Asks     bool          `json:"asks"` // the user has to say where it is saved
	State    DownloadState `json:"state"`
	Received int64         `json:"received"` // bytes
	Total    int64         `json:"total"`    // bytes, 0 if unknown
}
