package tasks_test

import (
	"fmt"
	"strings"
)

// all lists the tasks: forms, tables, long pages, frames, shadow roots, the mouse, pickers, overlays, popups, files,
// dialogs, addresses and waiting.
var all = []task{
	{"form", "Ann|ann@example.org|true", func(a *agent) {
		a.open("form")
		a.write(`"Name"`, "Ann")
		a.write(`"Mail"`, "ann@example.org")
		a.do("browser_check", args{"target": a.ref(`"I agree"`)})
		a.click(`button "Send"`)
	}},
	{"validation", "10115", func(a *agent) {
		a.open("validation")
		a.write(`"Postcode"`, "Berlin")
		said := a.click(`button "Save"`)
		a.write(`"Postcode"`, a.read(said, `such as (\d+)`))
		a.click(`button "Save"`)
	}},
	{"wizard", "Oslo by fast", func(a *agent) {
		a.open("wizard")
		a.write(`"City"`, "Oslo")
		a.click(`button "Next"`)
		a.look()
		a.do("browser_check", args{"target": a.ref(`"Fast"`)})
		a.click(`button "Next"`)
		a.look()
		a.click(`button "Order"`)
	}},
	{"choices", "Norway:Red,Blue", func(a *agent) {
		a.open("choices")
		a.do("browser_select", args{"target": a.ref(`"Country"`), "options": []string{"Norway"}})
		a.do("browser_select", args{"target": a.ref(`"Colours"`), "options": []string{"Red", "Blue"}})
		a.click(`button "Save"`)
	}},
	{"boxes", "false,post,true", func(a *agent) {
		a.open("boxes")
		a.do("browser_check", args{"target": a.ref(`"Advertising"`), "off": true})
		a.do("browser_check", args{"target": a.ref(`"By post"`)})
		a.do("browser_check", args{"target": a.ref(`"Night mode"`)})
		a.click(`button "Save"`)
	}},
	{"slider", "70", func(a *agent) {
		a.open("slider")
		a.write(`"Volume"`, "70")
		a.click(`button "Save"`)
	}},
	{"editor", "Dear Ann, come soon", func(a *agent) {
		a.open("editor")
		a.do("browser_type", args{"target": a.ref(`"Letter"`), "text": " Ann, come soon"})
		a.click(`button "Post"`)
	}},
	{"edit", "new value", func(a *agent) {
		a.open("edit")
		a.do("browser_click", args{"target": a.ref(`old value`), "double": true})
		a.look()
		a.do("browser_type", args{"target": a.ref(`"New value"`), "text": "new value", "submit": true})
	}},
	{"keys", "Cake", func(a *agent) {
		a.open("keys")
		a.do("browser_press", args{"target": a.ref(`"Dishes"`), "keys": "ArrowDown ArrowDown ArrowDown Enter"})
	}},
	{"login", "CODE", func(a *agent) {
		a.open("login")
		a.write(`"User"`, "ann")
		a.write(`"Password"`, "wrong")
		a.click(`button "Log in"`)
		a.do("browser_wait", args{"text": "Wrong name or password"})
		a.write(`"Password"`, "let me in")
		a.click(`button "Log in"`)
		a.do("browser_wait", args{"url": "members", "text": "Member"})
		a.look()
		a.click(`"Confirm membership"`)
	}},

	// Tables and long pages.
	{"table", "CODE", func(a *agent) {
		a.open("table")
		tables := a.do("browser_read", args{"tables": true})
		a.write(`"Price of Widget 7"`, a.read(tables, `Widget 7 *\| *(\d+)`))
		a.click(`button "Check"`)
	}},
	{"sort", "Dora", func(a *agent) {
		a.open("sort")
		a.click(`button "Tons"`)
		a.look()
		a.click(`button "Choose"`) // in the first row
	}},
	{"redrawn", "Beta", func(a *agent) {
		a.open("redrawn")
		for _, name := range []string{"Alpha", "Gamma", "Delta"} {
			a.click(`button "Delete ` + name + `"`) // the list is drawn again each time, so its refs change
		}
	}},
	{"endless", "87", func(a *agent) {
		a.open("endless")
		for range 20 {
			found := a.try("browser_find", args{"text": "Item 87", "role": "button"})
			if ref := refIn(found.Text, "Item 87"); found.OK && ref != "" {
				a.do("browser_click", args{"target": ref})
				return
			}
			a.do("browser_scroll", args{"down": 1000000})
		}
	}},
	{"big", "417", func(a *agent) {
		a.open("big")
		found := a.do("browser_find", args{"text": "button 417", "role": "button"})
		a.do("browser_click", args{"target": refIn(found, "button 417")})
	}},
	{"bigpages", "CODE", func(a *agent) {
		a.open("bigpages")
		field, button := a.ref(`"Number of the last section"`), a.ref(`button "Check"`)
		found := a.do("browser_find", args{"text": "Last section", "role": "heading"})
		a.do("browser_scroll", args{"target": refIn(found, "Last section")})
		a.look() // the snapshot begins with what is in view
		a.do("browser_type", args{"target": field, "text": a.read(a.seen, `number is (\d+)`)})
		a.do("browser_click", args{"target": button})
	}},
	{"terms", "read", func(a *agent) {
		a.open("terms")
		a.do("browser_scroll", args{"target": a.ref(`"Terms"`), "down": 1000000})
		a.click(`button "Accept"`)
	}},

	// Frames and shadow roots.
	{"frame", "within", func(a *agent) { solveInside(a, "frame") }},
	{"nested", "within", func(a *agent) { solveInside(a, "nested") }},
	{"foreign", "within", func(a *agent) { solveInside(a, "foreign") }},
	{"shadow", "opened", func(a *agent) {
		a.open("shadow")
		a.click(`button "Open the box"`)
	}},
	{"closed", "sesame", func(a *agent) {
		a.open("closed")
		a.write(`"Key"`, "sesame")
		a.click(`button "Unlock"`)
	}},

	// The mouse.
	{"dragdrop", "Third,First,Second", func(a *agent) {
		a.open("dragdrop")
		a.do("browser_drag", args{"from": a.named("Third"), "to": a.named("First")})
		a.look()
		a.click(`button "Done sorting"`)
	}},
	{"knob", "reached", func(a *agent) {
		a.open("knob")
		a.do("browser_drag", args{"from": a.named("Knob"), "to": a.named("Goal")})
	}},
	{"canvas", "hit", func(a *agent) {
		a.open("canvas")
		right, down := 0, 0
		_, _ = fmt.Sscan(a.read(a.seen, `middle (\d+) to the right`)+" "+a.read(a.seen, `and (\d+) below`), &right, &down)
		x, y := a.place(args{"role": "canvas"})
		a.do("browser_click_at", args{"x": x + right, "y": y + down})
	}},
	{"drawing", "drawn", func(a *agent) {
		a.open("drawing")
		x, y := a.place(args{"role": "canvas"})
		at := func(right, down int) string { return fmt.Sprintf("at=%d,%d", x+right, y+down) }
		a.do("browser_drag", args{"from": at(40, 40), "to": at(240, 160)})
	}},
	{"hover", "archived", func(a *agent) {
		a.open("hover")
		a.do("browser_hover", args{"target": a.ref(`"More"`)})
		a.look()
		a.click(`"Archive"`)
	}},
	{"context", "renamed", func(a *agent) {
		a.open("context")
		a.do("browser_click", args{"target": a.named("notes.txt"), "button": "right"})
		a.look()
		a.click(`"Rename"`)
	}},

	// Pickers.
	{"date", "2025-03-14 13:45", func(a *agent) {
		a.open("date")
		a.write(`"Arrival"`, "2025-03-14")
		a.write(`"At"`, "13:45")
		a.click(`button "Book"`)
	}},
	{"calendar", "2025-3-17", func(a *agent) {
		a.open("calendar")
		a.click(`"Day"`)
		a.look()
		for !strings.Contains(a.seen, "March 2025") {
			a.click(`"Later month"`)
			a.look()
		}
		a.click(`"17 March 2025"`)
		a.look()
		a.click(`button "Reserve"`)
	}},
	{"autocomplete", "Bern", func(a *agent) {
		a.open("autocomplete")
		a.do("browser_type", args{"target": a.ref(`"Town"`), "text": "ber"})
		a.do("browser_wait", args{"text": "Bergen"})
		a.look()
		a.click(`option "Bern"`)
	}},

	// Overlays and popups.
	{"modal", "through", func(a *agent) {
		a.open("modal")
		covered := a.try("browser_click", args{"target": "Buy now"})
		if covered.OK || !strings.Contains(covered.Text, "Newsletter") {
			a.Fatalf("what covers the button is not named: %s", covered.Text)
		}
		a.click(`button "No, thanks"`)
		a.look()
		a.click(`button "Buy now"`)
	}},
	{"banner", "accepted first: true", func(a *agent) {
		a.open("banner")
		if covered := a.try("browser_click", args{"target": a.ref(`button "Continue"`)}); covered.OK {
			a.Fatal("a covered button was clicked")
		}
		a.click(`button "Only what is needed"`)
		a.click(`button "Continue"`)
	}},
	{"tabs", "CODE", func(a *agent) {
		a.open("tabs")
		a.click(`tab "Advanced"`)
		a.look()
		a.click(`"Secrets"`)
		a.look()
		a.write(`"Code"`, number.FindString(a.seen))
		a.click(`button "Check"`)
	}},

	// Files.
	{"download", "CODE", func(a *agent) {
		a.open("download")
		a.click(`"Get the report"`)
		list := a.do("browser_download", args{"wait_seconds": 20})
		report := a.do("read_file", args{"path": a.read(list, `(\S*report\S*\.txt)`)})
		a.write(`"Number in the report"`, number.FindString(report))
		a.click(`button "Check"`)
	}},
	{"upload", "letter.txt:hello there", func(a *agent) {
		a.do("write_file", args{"path": "letter.txt", "content": "hello there\n"})
		a.open("upload")
		a.do("browser_upload", args{"target": a.ref(`"Your file"`), "files": []string{"letter.txt"}})
		a.click(`button "Send the file"`)
	}},
	{"chooser", "one.txt+two.txt", func(a *agent) {
		for _, name := range []string{"one.txt", "two.txt"} {
			a.do("write_file", args{"path": name, "content": name})
		}
		a.open("chooser")
		a.click(`"Choose files…"`)
		a.do("browser_upload", args{"files": []string{"two.txt", "one.txt"}})
	}},

	// Dialogs.
	{"alert", "CODE", func(a *agent) {
		a.open("alert")
		said := a.click(`button "Show"`)
		a.do("browser_dialog", args{"accept": true})
		a.look()
		a.write(`textbox "Number"`, a.read(said, `number is (\d+)`))
		a.click(`button "Check"`)
	}},
	{"confirm", "kept", func(a *agent) {
		a.open("confirm")
		a.click(`button "Clean up"`)
		a.do("browser_dialog", args{"accept": false})
	}},
	{"prompt", "Cleo", func(a *agent) {
		a.open("prompt")
		a.click(`button "Rename"`)
		a.do("browser_dialog", args{"accept": true, "text": "Cleo"})
	}},

	// Addresses and waiting.
	{"routes", "2", func(a *agent) {
		a.open("routes")
		a.click(`link "Products"`)
		a.look()
		a.click(`link "Product 3"`)
		a.do("browser_wait", args{"url": "/products/3"})
		a.do("browser_history", args{"go": "back"})
		a.look()
		a.click(`link "Product 2"`)
		a.look()
		a.click(`button "Take product 2"`)
	}},
	{"newtab", "CODE", func(a *agent) {
		a.open("newtab")
		a.click(`link "Show the code"`)
		tabs := a.do("list_panes", args{"kind": "browser"})
		shown := a.read(tabs, `(b\d+).*code`)
		code := number.FindString(a.do("browser_read", args{"pane": shown}))
		a.do("close_pane", args{"pane": shown})
		a.write(`"Code"`, code)
		a.click(`button "Check"`)
	}},
	{"slow", "CODE", func(a *agent) {
		a.open("slow")
		a.do("browser_wait", args{"text": "Ready", "seconds": 30})
		a.look()
		a.click(`button "Take it"`)
	}},
	{"spinner", "CODE", func(a *agent) {
		a.open("spinner")
		a.click(`button "Calculate"`)
		a.do("browser_wait", args{"gone": "Working", "text": "The result is", "seconds": 30})
		a.look()
		a.write(`textbox "Result"`, number.FindString(a.seen))
		a.click(`button "Check"`)
	}},
}

// solveInside fills in the form of a frame.
func solveInside(a *agent, page string) {
	a.Helper()
	a.open(page)
	a.write(`"Word"`, "within")
	a.click(`button "Send inside"`)
}

// named returns the ref of an element in the snapshot, or the words if it has none.
func (a *agent) named(words string) string {
	a.Helper()
	if ref := refIn(a.seen, words); ref != "" {
		return ref
	}
	return words
}
