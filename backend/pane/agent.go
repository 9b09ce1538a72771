package pane

// The words for what an agent sees of a page and does to it. Every text of a
// page is hostile: cleaned and bounded where it is read, and marked as data by
// whoever hands it to a model.

// ActionResult is what came of an action.
type ActionResult struct {
	URL, Title string
	// Changed says in at most 1 KB what is different on the page now: lines as
	// in a snapshot, dialogs, a new address.
	Changed string
}

// SnapshotOptions says which part of a page to tell of.
type SnapshotOptions struct {
	From int  // the line to continue from, as the last answer named it; 0 looks again
	Diff bool // only what is different since the last time
}

// Snapshot is a page in words. Text has one line for each thing that can be read
// or used, what is visible first: a ref, a role, and then in quotes, cleaned,
// what the page says. At most about 17 KB.
type Snapshot struct {
	Text      string
	URL       string
	Title     string
	Next      int  // where the rest begins, 0 if this is the end
	Total     int  // lines of the whole
	Truncated bool // things were left out, and Text says so
}

// FindOptions says what to look for on a page: everything that is not empty must fit.
type FindOptions struct {
	Text, Role, CSS string
	Attributes      []string // to be told of each
}

// PageText is a part of what a page says, as Markdown.
type PageText struct {
	Text  string
	Next  int // where the rest begins, 0 if this is the end
	Total int // characters of the whole
}

// ReadOptions says what to read: an element, or what the page is about if Target is "".
type ReadOptions struct {
	Target string
	Tables bool // only the tables
	Whole  bool // menus and footers, too
	From   int  // as the last Reading named it
}

// ActionPreview is what acting on an element would set off, as far as the element says.
type ActionPreview struct {
	Link   string      `json:"link"`   // address that it leads to, "" if it is no link
	Method string      `json:"method"` // of the form that it sends, "" if it sends none
	Action string      `json:"action"` // address that the form is sent to
	Fields []FormField `json:"fields"` // those that are seen first
	Left   int         `json:"left"`   // fields that were too many to be told
	// Acts: a script of the page may do anything, as it may at everything but a
	// field that is filled in and a link that leaves the page.
	Acts    bool   `json:"acts"`
	Payment bool   `json:"payment"` // the page asks for a card, or the field is one
	Element string `json:"element"` // its role and, in quotes, cleaned, what the page calls it; at most about 100 characters
	Origin  string `json:"origin"`  // of the frame that the element is in; "" or "null" where none can be told
}

// FormField is one field of a form; passwords and cards come masked.
type FormField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`  // at most 2,000 characters
	Hidden bool   `json:"hidden"` // nobody who looks at the page sees it
}

// ClickOptions is how the mouse is pressed.
type ClickOptions struct {
	Button string // left if "", right, middle
	Double bool
}

// WaitCondition is what to wait for: everything that is not empty must hold.
type WaitCondition struct {
	Text   string // the page shows it, whatever the case
	Gone   string // the page shows it no more
	URL    string // the address contains it
	Target string // an element, named as for a click, is there and visible
}

// ScreenshotOptions says what to take a picture of: the viewport, or one of these.
type ScreenshotOptions struct {
	Full   bool   // the whole page
	Target string // one element
	Marked bool   // the viewport, with a frame and its ref around everything that can be used
}

// Request is something that a page fetched.
type Request struct {
	Method string
	URL    string
	Kind   string // Document, XHR, Fetch, Image, …
	Status int    // 0 while there is no answer
	Error  string // why there is none
	ID     string
}

// Cookie is one cookie of a page, without its value.
type Cookie struct {
	Name, Domain, Path string
	Size               int   // of the value, in bytes
	Expires            int64 // seconds since 1970, 0 with the browser
	Secure, HTTPOnly   bool
	SameSite           string
}

// File is a file that is given to a page.
type File struct {
	Name string
	Data []byte
}

// LoginForm are the refs of the fields for a login; one of them may be "" where a
// page asks for one after the other.
type LoginForm struct {
	User     string `json:"user"`
	Password string `json:"password"`
}
