// Package script holds the scripts that run in pages, and knows the isolated
// worlds that they run in.
package script

import _ "embed" // for the scripts

// Snapshot defines globalThis.goalpost: it reads the page for the agent and finds elements.
//
//go:embed snapshot.js
var Snapshot string

// Extract adds searching and reading to Snapshot.
//
//go:embed extract.js
var Extract string

// Redact adds finding secrets on the screen to Snapshot.
//
//go:embed redact.js
var Redact string

// FindText adds the user's search in the page to Snapshot.
//
//go:embed findtext.js
var FindText string

// UserPrompts reports what a page asks its user with: menus, pickers, links, logins.
//
//go:embed userprompts.js
var UserPrompts string

// Zoom adds the zoom of a page to UserPrompts.
//
//go:embed zoom.js
var Zoom string

// Permissions runs in the page's own world and asks UserPrompts for permissions.
//
//go:embed permissions.js
var Permissions string
