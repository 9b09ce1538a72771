// Package script holds the scripts that run in pages, and knows the isolated
// worlds that they run in. The scripts are built from frontend/injected.
package script

import _ "embed" // for the scripts

// Page defines globalThis.goalpost: it reads the page for the agent, finds elements and
// secrets, and searches for the user.
//
//go:embed page.js
var Page string

// UserPrompts defines globalThis.goalpostPrompts: it reports menus, pickers, links and logins
// of a page, and zooms it.
//
//go:embed userprompts.js
var UserPrompts string

// DevTools connects Chromium's developer tools to Go.
//
//go:embed devtools.js
var DevTools string

// Permissions runs in the page's own world and asks UserPrompts for permissions.
//
//go:embed permissions.js
var Permissions string
