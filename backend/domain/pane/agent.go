package pane

import "time"

// The types for what an agent sees of a page and does to it. Every text of a page is hostile: it is sanitized and
// truncated where it is read, and marked as data by the code that hands it to a model.

// ActionResult is the result of an action.
type ActionResult struct {
	URL, Title string
	// Changed describes in at most 1 KB what changed on the page: lines as in a snapshot, dialogs, a new address.
	Changed string
	// Point is where the agent acted on the page, nil if nowhere in particular.
	Point *ActionPoint
}

// ActionPoint is where and when an action touched a page.
type ActionPoint struct {
	Words string  // what was touched, as users are shown it; from the page
	X, Y  float64 // CSS pixels of the viewport
	At    time.Time
}

// SnapshotOptions selects a part of a page.
type SnapshotOptions struct {
	From int  // the line to continue from, as the last answer named it; 0 takes a new snapshot
	Diff bool // only what changed since the last snapshot
}

// Snapshot is a page as text. Text has one line for each element that can be read or used, visible ones first: a ref,
// a role, and then in quotes, sanitized, the text of the page. At most about 17 KB.
type Snapshot struct {
	Text      string
	URL       string
	Title     string
	Next      int  // where the rest begins, 0 if this is the end
	Total     int  // lines of the whole
	Truncated bool // elements were left out, and Text says so
}

// FindOptions says what to look for on a page: everything that is not empty must match.
type FindOptions struct {
	Text, Role, CSS string
	Attributes      []string // attributes to report of each match
}

// PageText is a part of the page's text, as Markdown.
type PageText struct {
	Text  string
	Next  int // where the rest begins, 0 if this is the end
	Total int // characters of the whole
}

// ReadOptions says what to read: an element, or the main content if Target is "".
type ReadOptions struct {
	Target string
	Tables bool // only the tables
	Whole  bool // menus and footers, too
	From   int  // as the last PageText named it
}

// ActionPreview is what acting on an element would trigger, as far as the element shows.
type ActionPreview struct {
	Link   string      `json:"link"`   // address that it leads to, "" if it is not a link
	Method string      `json:"method"` // of the form that it submits, "" if it submits none
	Action string      `json:"action"` // address that the form is submitted to
	Fields []FormField `json:"fields"` // the first fields of the form
	Left   int         `json:"left"`   // number of fields that were left out
	// Acts means that a script of the page may react in any way. It is false only for fields that are filled in and for
	// links that leave the page.
	Acts    bool   `json:"acts"`
	Payment bool   `json:"payment"` // the page asks for a card, or the field is one
	Element string `json:"element"` // its role, and in quotes its sanitized name; at most about 100 characters
	Origin  string `json:"origin"`  // of the frame that the element is in; "" or "null" if unknown
}

// FormField is one field of a form; passwords and card numbers are masked.
type FormField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`  // at most 2,000 characters
	Hidden bool   `json:"hidden"` // not visible on the page
}

// ClickOptions says how the mouse is pressed.
type ClickOptions struct {
	Button string // left if "", right, middle
	Double bool
}

// WaitCondition is what to wait for: everything that is not empty must hold.
type WaitCondition struct {
	Text   string // the page shows it, ignoring case
	Gone   string // the page no longer shows it
	URL    string // the address contains it
	Target string // an element, named as for a click, exists and is visible
}

// ScreenshotOptions says what to take a picture of: the viewport, or one of these.
type ScreenshotOptions struct {
	Full   bool   // the whole page
	Target string // one element
	Marked bool   // the viewport, with a frame and the ref around every element that can be used
}

// Request is a resource that a page fetched.
type Request struct {
	Method string
	URL    string
	Kind   string // Document, XHR, Fetch, Image, …
	Status int    // 0 without an answer
	Error  string // why there is no answer
	ID     string
}

// Cookie is one cookie of a page, without its value.
type Cookie struct {
	Name, Domain, Path string
	Size               int   // of the value, in bytes
	Expires            int64 // seconds since 1970, 0 for a session cookie
	Secure, HTTPOnly   bool
	SameSite           string
}

// File is a file to upload to a page.
type File struct {
	Name string
	Data []byte
}

// LoginForm has the refs of the fields of a login; one of them may be "" where a page asks for one after the other.
type LoginForm struct {
	User     string `json:"user"`
	Password string `json:"password"`
}
