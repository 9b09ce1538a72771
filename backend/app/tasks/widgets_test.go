package tasks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// widgets are tasks with controls that pages draw themselves: elements that have only listeners, icons, shapes,
// sortable lists, delayed menus. The agent names them by refs and texts; only canvases need coordinates.
var widgets = []task{
	{"spansteps", "3", func(a *agent) {
		a.open("spansteps")
		for range 4 {
			a.do("browser_click", args{"target": a.ref(`clickable "+"`)})
		}
		a.contains(a.do("browser_click", args{"target": a.ref(`clickable "-"`)}), `"3"`)
		a.click(`button "Done"`)
	}},
	{"spannav", "3", func(a *agent) {
		a.open("spannav")
		a.do("browser_click", args{"target": "Next"}) // the listener is on the whole page
		a.do("browser_click", args{"target": "Next"})
	}},
	{"delegated", "Beta", func(a *agent) {
		a.open("delegated")
		a.click(`clickable "Beta"`)
	}},
	{"mailactions", "forward", func(a *agent) {
		a.open("mailactions")
		a.nested(`clickable "Forward"`)
		a.click(`clickable "Forward"`)
	}},
	{"mailrows", "trash Bob", func(a *agent) {
		a.open("mailrows")
		rows := regexp.MustCompile(`(e\d+) clickable .*class="trash"`).FindAllStringSubmatch(a.seen, -1)
		a.do("browser_click", args{"target": rows[1][1]})
	}},
	{"sortable", "Beta,Gamma,Alpha,Delta", func(a *agent) {
		a.open("sortable")
		said := a.do("browser_drag", args{"from": a.ref(`"Alpha"`), "to": a.ref(`"Gamma"`)})
		a.contains(said, "order now: ")
		a.click(`button "Save"`)
	}},
	{"swapped", "Banana,Cherry,Apple", func(a *agent) {
		a.open("swapped")
		a.contains(a.click(`button "Rotate"`), `order now: "Banana" | "Cherry" | "Apple"`)
		a.contains(a.do("browser_snapshot", args{"diff": true}), "a new order")
		a.click(`button "Save"`)
	}},
	{"submenu", "archive", func(a *agent) {
		a.open("submenu")
		a.seen = a.do("browser_hover", args{"target": "File"})
		a.click(`"Archive"`)
	}},
	{"suggestions", "Bern", func(a *agent) {
		a.open("suggestions")
		a.seen = a.do("browser_type", args{"target": a.ref(`"Town"`), "text": "ber"})
		a.click(`clickable "Bern"`)
	}},
	{"colors", "#00d", func(a *agent) {
		a.open("colors")
		a.click(`blue`)
	}},
	{"shapes", "polygon green", func(a *agent) {
		a.open("shapes")
		a.click(`triangle green`)
	}},
	{"pie", "orange", func(a *agent) {
		a.open("pie")
		a.click(`path orange`)
	}},
	{"foldertree", "Documents/Letter", func(a *agent) {
		a.open("foldertree")
		a.contains(a.click(`"Documents"`), `"Letter"`)
		a.look()
		a.nested(`"Letter"`)
		a.do("browser_click", args{"target": "Letter"})
	}},
	{"ariatree", "Pear", func(a *agent) {
		a.open("ariatree")
		a.click(`treeitem "Fruit"`)
		a.look()
		a.ref(`treeitem "Fruit" expanded`)
		a.nested(`treeitem "Pear"`)
		a.click(`treeitem "Pear"`)
	}},
	{"richtext", "tomorrow", func(a *agent) {
		a.open("richtext")
		found := a.do("browser_find", args{"text": "tomorrow"})
		a.contains(found, `i "tomorrow"`)
		said := a.do("browser_click", args{"target": "tomorrow", "double": true})
		a.contains(said, `selected: "tomorrow`)
		a.click(`class="tool-bold"`)
		a.click(`button "Save"`)
	}},
	{"datepicker", "4/17", func(a *agent) {
		a.open("datepicker")
		a.do("browser_click", args{"target": a.ref(`"Day"`)})
		a.look()
		a.contains(a.click(`clickable "Next"`), "Month 4")
		a.look()
		a.click(`clickable "17"`)
		a.click(`button "Book"`)
	}},
	{"clobbered", "7", func(a *agent) {
		a.open("clobbered")
		a.ref(`textbox "Amount"`)
		a.write(`"Amount"`, "7")
		a.contains(a.do("browser_read", args{}), "Amount")
		a.click(`button "Send"`)
	}},
	{"sliderhandle", "30%", func(a *agent) {
		a.open("sliderhandle")
		a.do("browser_press", args{"target": a.ref(`class="slider-handle"`), "keys": "ArrowRight ArrowRight"})
		a.look()
		a.ref(`position=30%`)
		a.click(`button "Save"`)
	}},
	{"coverpopup", "paid", func(a *agent) {
		a.open("coverpopup")
		if r := a.try("browser_click", args{"target": a.ref(`"Order now"`)}); r.OK || !strings.Contains(r.Text, "covered") {
			a.Fatalf("a covered button: %s", r.Text)
		}
		a.click(`class="close"`)
		a.click(`"Order now"`)
	}},
	{"lockedfield", "abc", func(a *agent) {
		a.open("lockedfield")
		field := args{"target": a.ref(`"Code"`), "text": "abc"}
		if r := a.try("browser_type", field); r.OK || !strings.Contains(r.Text, "nothing was typed") {
			a.Fatalf("typing into a field that locks itself: %s", r.Text)
		}
		a.click(`button "Unlock"`)
		a.do("browser_type", field)
		a.click(`button "Save"`)
	}},
	{"dragbox", "delivered", func(a *agent) {
		a.open("dragbox")
		a.contains(a.do("browser_drag", args{"from": a.ref(`"Parcel"`), "to": a.ref(`"Target"`)}), `moved: `)
	}},
	{"drawpad", "1", func(a *agent) {
		a.open("drawpad")
		x, y := a.place(args{"role": "canvas"})
		said := a.do("browser_drag", args{"from": point(x+40, y+40), "to": point(x+200, y+150)})
		a.contains(said, "drawn on: canvas")
		a.click(`button "Save"`)
	}},
	{"tablinks", "reset", func(a *agent) {
		a.open("tablinks")
		a.once("Advanced")
		a.seen = a.click(`tab "Advanced"`)
		a.click(`button "Reset"`)
	}},
	{"menubuttons", "saved", func(a *agent) {
		a.open("menubuttons")
		a.once("Save")
		a.click(`menuitem "Save"`)
	}},
	{"labelled", "Eve", func(a *agent) {
		a.open("labelled")
		a.once("Nickname")
		a.write(`"Nickname"`, "Eve")
		a.click(`button "Save"`)
	}},
	{"iconbar", "trash", func(a *agent) {
		a.open("iconbar")
		a.click(`icon="icon-trash"`)
	}},
	{"pager", "third", func(a *agent) {
		a.open("pager")
		a.ref(`link "2" current=page`)
		if strings.Contains(a.seen, "->") {
			a.Fatalf("links to the page itself have addresses:\n%s", a.seen)
		}
		a.click(`link "3"`)
	}},
	{"manylines", "CODE", func(a *agent) {
		a.open("manylines")
		said := a.click(`button "List"`)
		a.do("browser_type", args{"target": a.ref(`"Code of`), "text": a.read(said, `Entry 30 has (\d+)`)})
		a.click(`button "Check"`)
	}},
	{"accordion", "confirmed", func(a *agent) {
		a.open("accordion")
		a.contains(a.do("browser_click", args{"target": "Details"}), `"Confirm"`)
		a.do("browser_click", args{"target": "Confirm"})
	}},
	{"pickone", "Medium", func(a *agent) {
		a.open("pickone")
		a.contains(a.click(`"Medium"`), `"chosen"`)
		a.click(`button "Save"`)
	}},
	{"scrollbox", "true", func(a *agent) {
		a.open("scrollbox")
		said := a.do("browser_scroll", args{"target": a.ref(`"Notes"`), "down": 300})
		a.contains(said, "scrolled inside")
		a.click(`button "Done"`)
	}},
	{"selecttext", "sesame", func(a *agent) {
		a.open("selecttext")
		a.contains(a.do("browser_click", args{"target": "sesame", "double": true}), `selected: "sesame"`)
		a.click(`button "Send"`)
	}},
	{"colorgrid", "red 1,0", func(a *agent) {
		a.open("colorgrid")
		a.click(`red`)
	}},
	{"rating", "4", func(a *agent) {
		a.open("rating")
		stars := regexp.MustCompile(`(e\d+) \w+ .*class="star"`).FindAllStringSubmatch(a.seen, -1)
		if len(stars) != 5 {
			a.Fatalf("%d stars in\n%s", len(stars), a.seen)
		}
		a.do("browser_click", args{"target": stars[3][1]})
	}},
	{"reorder", "One,Three,Two", func(a *agent) {
		a.open("reorder")
		ups := regexp.MustCompile(`(e\d+) clickable "up"`).FindAllStringSubmatch(a.seen, -1)
		a.contains(a.do("browser_click", args{"target": ups[2][1]}), "order now")
		a.click(`button "Save"`)
	}},
	{"resizable", "wide", func(a *agent) {
		a.open("resizable")
		a.contains(a.do("browser_drag", args{"from": a.ref(`class="grip-east"`), "to": a.ref(`"Mark"`)}), "moved: ")
	}},
}

func init() { all = append(all, widgets...) }

// widgetKinds returns the kinds of pages on which agents have failed, with patterns that the source of each such page
// must and must not match.
func widgetKinds() map[string]struct {
	pages    []string
	has, not string
} {
	type kind = struct {
		pages    []string
		has, not string
	}
	return map[string]kind{
		"spans as buttons": {[]string{"spansteps", "spannav", "datepicker", "reorder"}, `<span`, `role="button"`},
		"delegated listeners": {
			[]string{"delegated", "spannav", "foldertree", "mailrows"}, `addEventListener|\.target`, ``,
		},
		"sortable lists":          {[]string{"sortable", "reorder", "swapped"}, `\.(after|before|append|prepend)\(`, ``},
		"submenus":                {[]string{"submenu", "hover"}, `onmouseenter|:hover`, ``},
		"autocomplete with delay": {[]string{"suggestions", "autocomplete"}, `setTimeout`, `<datalist`},
		"colour pickers":          {[]string{"colors", "colorgrid"}, `style\.background`, `type="color"`},
		"SVG shapes":              {[]string{"shapes", "pie"}, `<svg`, ``},
		"trees":                   {[]string{"foldertree", "ariatree"}, `<ul`, ``},
		"contenteditable":         {[]string{"richtext", "editor"}, `contenteditable="true"`, `<textarea`},
		"calendars":               {[]string{"datepicker", "calendar"}, `(?i)month`, `type="date"`},
	}
}

// TestWidgets_EveryKind_HasPages checks that each kind has at least two pages, and that there are at least thirty
// widgets.
func TestWidgets_EveryKind_HasPages(t *testing.T) {
	if len(widgets) < 30 {
		t.Errorf("%d widgets", len(widgets))
	}
	for kind, k := range widgetKinds() {
		if len(k.pages) < 2 {
			t.Errorf("%s: %d pages", kind, len(k.pages))
		}
		for _, name := range k.pages {
			source, err := os.ReadFile(filepath.Join(pages, name+".html"))
			if err != nil {
				t.Fatal(err)
			}
			if !regexp.MustCompile(k.has).Match(source) || k.not != "" && regexp.MustCompile(k.not).Match(source) {
				t.Errorf("%s is not of the kind %q", name, kind)
			}
			if !slices.ContainsFunc(all, func(one task) bool { return one.name == name }) {
				t.Errorf("no task uses %s", name)
			}
		}
	}
}

// contains fails unless a tool's answer contains a text.
func (a *agent) contains(answer, text string) {
	a.Helper()
	if !strings.Contains(answer, text) {
		a.Fatalf("no %q in\n%s\nthe last snapshot:\n%s", text, answer, a.seen)
	}
}

// nested fails unless a line with these words is nested in another one.
func (a *agent) nested(words string) {
	a.Helper()
	for line := range strings.Lines(a.seen) {
		if strings.Contains(line, words) && strings.HasPrefix(line, " ") {
			return
		}
	}
	a.Fatalf("%q is not nested in\n%s", words, a.seen)
}

// once fails unless the snapshot contains the words exactly once.
func (a *agent) once(words string) {
	a.Helper()
	if n := strings.Count(a.seen, words); n != 1 {
		a.Fatalf("%q is there %d times:\n%s", words, n, a.seen)
	}
}

func point(x, y int) string { return fmt.Sprintf("at=%d,%d", x, y) }
