package cli

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// readDocument returns a file of the repository.
func readDocument(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(documents, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// readSection returns a page from the heading with the anchor to the next heading of the same or a higher level;
// "" is the whole page.
func readSection(t *testing.T, name, anchor string) string {
	t.Helper()
	page := readDocument(t, name)
	if anchor == "" {
		return page
	}
	level := 0
	var section []string
	for line := range strings.Lines(page) {
		marks := len(line) - len(strings.TrimLeft(line, "#"))
		switch {
		case level == 0 && marks > 0 && hasAnchor(line, anchor):
			level = marks
		case level > 0 && marks > 0 && marks <= level:
			return strings.Join(section, "")
		}
		if level > 0 {
			section = append(section, line)
		}
	}
	if level == 0 {
		t.Fatalf("%s has no heading for #%s", name, anchor)
	}
	return strings.Join(section, "")
}

// readConstants returns the values of the string constants of a Go file that have the type; "" is no type.
func readConstants(t *testing.T, file, typeName string) (values []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(documents, file), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, declaration := range parsed.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			constant := spec.(*ast.ValueSpec)
			got := ""
			if constant.Type != nil {
				got = constant.Type.(*ast.Ident).Name
			}
			for _, value := range constant.Values {
				literal, ok := value.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING || got != typeName {
					continue
				}
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, text)
			}
		}
	}
	return values
}

var (
	tableRow  = regexp.MustCompile(`(?m)^\| ([^|]+) \|`)
	codeWords = regexp.MustCompile("`([a-z_]+)`")
)

// checkFirstColumn compares the names in the first column of a section's table with the names of the program.
func checkFirstColumn(t *testing.T, page, anchor string, want []string) {
	t.Helper()
	var got []string
	for _, row := range tableRow.FindAllStringSubmatch(readSection(t, page, anchor), -1) {
		for _, name := range codeWords.FindAllStringSubmatch(row[1], -1) {
			got = append(got, name[1])
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s#%s explains\n%q, and the program has\n%q", page, anchor, got, want)
	}
}

// TestTroubleshooting_ErrorCodes_AreThoseOfTheProgram compares the codes on the page with those of package fault, in
// both directions.
func TestTroubleshooting_ErrorCodes_AreThoseOfTheProgram(t *testing.T) {
	codes := readConstants(t, "backend/lib/fault/fault.go", "")
	if len(codes) < 6 {
		t.Fatalf("only %q were found", codes)
	}
	checkFirstColumn(t, "docs/guide/troubleshooting.md", "error-codes", codes)
}

// TestGoals_WhyAGoalStopped_IsExplained compares the page with the exits of package goal, in both directions.
func TestGoals_WhyAGoalStopped_IsExplained(t *testing.T) {
	exits := readConstants(t, "backend/domain/goal/goal.go", "Exit")
	if len(exits) < 11 {
		t.Fatalf("only %q were found", exits)
	}
	checkFirstColumn(t, "docs/how-to/goals.md", "when-it-has-stopped", exits)
}

var (
	picture = regexp.MustCompile(`!\[([^\]]*)\]\(([^)\s]+)\)`)
	shoots  = regexp.MustCompile(`#shoot\("([a-z-]+)"\)`)
)

// listPictures returns the files that make screenshots writes, from its script.
func listPictures(t *testing.T) map[string]bool {
	t.Helper()
	files := map[string]bool{}
	for _, m := range shoots.FindAllStringSubmatch(readDocument(t, "e2e/screenshots/tour.mjs"), -1) {
		for _, suffix := range []string{"-dark", "-light", "-phone-dark", "-phone-light"} {
			files[m[1]+suffix+".webp"] = true
		}
	}
	if len(files) < 80 {
		t.Fatalf("only %d pictures were found in the script", len(files))
	}
	return files
}

// TestDocuments_Pictures_AreTakenFromTheProgram finds each picture of a document among those that make screenshots
// writes, so that none is drawn by hand, missing or outdated.
func TestDocuments_Pictures_AreTakenFromTheProgram(t *testing.T) {
	taken := listPictures(t)
	folder := filepath.Join(documents, "docs", "screenshots")
	perPage := map[string]int{}
	for name, page := range userPages(t) {
		for _, m := range picture.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
			perPage[filepath.Base(name)]++
			file := filepath.Join(filepath.Dir(name), m[2])
			if filepath.Dir(file) != folder || !taken[filepath.Base(file)] {
				t.Errorf("%s shows %s, which make screenshots does not write", name, m[2])
			}
			if m[1] == "" {
				t.Errorf("%s: %s has no text for those who cannot see it", name, m[2])
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if !bytes.HasPrefix(b, []byte("RIFF")) || !bytes.Equal(b[8:12], []byte("WEBP")) {
				t.Errorf("%s: %s is not a WebP picture", name, m[2])
			}
		}
	}
	if perPage["README.md"] != 3 {
		t.Errorf("README.md should show three pictures, not %d", perPage["README.md"])
	}
	for _, page := range []string{"start.md", "first-goal.md", "undo.md", "approvals.md", "connect-a-model.md"} {
		if perPage[page] == 0 {
			t.Errorf("%s has no picture", page)
		}
	}
	stored, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range stored {
		if !taken[file.Name()] {
			t.Errorf("docs/screenshots/%s is left from a screen that is no longer taken: remove it", file.Name())
		}
	}
}

// TestReadme_SaysWhatItIs_InTwoSentences also checks that the README installs the program in one line and names two
// commands.
func TestReadme_SaysWhatItIs_InTwoSentences(t *testing.T) {
	readme := readDocument(t, "README.md")
	intro, _, found := strings.Cut(strings.TrimPrefix(readme, "# Goalpost\n"), "![")
	if sentences := strings.Count(strings.ReplaceAll(intro, "\n", " "), ". "); !found || sentences != 2 {
		t.Errorf("README.md says what it is in %d sentences:\n%s", sentences, intro)
	}
	if install := readSection(t, "README.md", "install"); !strings.Contains(install, "`sudo apt install ./goalpost_") {
		t.Errorf("README.md does not install in one line:\n%s", install)
	}
	block := fence.FindStringSubmatch(readSection(t, "README.md", "two-commands"))
	if block == nil || strings.Count(block[1], "\n") != 2 {
		t.Errorf("README.md should show two commands: %q", block)
	}
	limits := readSection(t, "README.md", "what-works-today-and-what-does-not-yet")
	if !strings.Contains(limits, "**Not yet**") {
		t.Error("README.md does not say what Goalpost does not do yet")
	}
}

// TestComparison_IsDated: the page needs a date, because other tools change.
func TestComparison_IsDated(t *testing.T) {
	if !regexp.MustCompile(`this page is of 20\d\d-\d\d-\d\d`).MatchString(readDocument(t, "docs/guide/comparison.md")) {
		t.Error("docs/guide/comparison.md does not say of which day it is")
	}
}

// newcomersQuestions are questions of the first days, with the place of the answer and words in it.
var newcomersQuestions = []struct{ question, page, anchor, answer string }{
	{
		question: "How do I install it, update it and remove it?",
		page:     "docs/how-to/packages.md",
		anchor:   "install",
		answer:   "sudo apt install ./goalpost_VERSION_amd64.deb",
	},
	{
		question: "How do I connect my model?",
		page:     "docs/how-to/connect-a-model.md",
		answer:   "paste its key",
	},
	{
		question: "How do I start my first goal?",
		page:     "docs/guide/first-goal.md",
		answer:   "**Choose a folder.**",
	},
	{
		question: "Which check should I choose?",
		page:     "docs/guide/checks.md",
		answer:   "| command | that a program ends with the exit code",
	},
	{
		question: "How do I let it use the network?",
		page:     "docs/guide/permissions.md",
		anchor:   "how-do-i-let-it-use-the-network",
		answer:   "--allow-host",
	},
	{
		question: "Where is my data?",
		page:     "docs/guide/faq.md",
		anchor:   "where-is-my-data",
		answer:   "~/.local/state/goalpost",
	},
	{
		question: "Why was my goal paused?",
		page:     "docs/how-to/goals.md",
		anchor:   "when-it-has-stopped",
		answer:   "`limit_reached`",
	},
	{
		question: "How do I get my files back?",
		page:     "docs/guide/undo.md",
		answer:   "goalctl undo ID",
	},
	{
		question: "What does it cost, and how do I limit that?",
		page:     "docs/guide/first-goal.md",
		anchor:   "how-much-does-it-cost",
		answer:   "--max-usd",
	},
	{
		question: "What leaves my computer?",
		page:     "docs/guide/faq.md",
		anchor:   "what-leaves-my-computer",
		answer:   "no telemetry",
	},
	{
		question: "Can I trust \"done\"?",
		page:     "docs/guide/checks.md",
		anchor:   "what-done-is-worth",
		answer:   "| strong |",
	},
	{
		question: "Something does not work. What now?",
		page:     "docs/guide/troubleshooting.md",
		anchor:   "common-problems",
		answer:   "goalctl doctor",
	},
}

// countClicks returns how many links it takes to each page from the first one, through links of the documents.
func countClicks(t *testing.T, first string) map[string]int {
	t.Helper()
	clicks := map[string]int{first: 0}
	for queue := []string{first}; len(queue) > 0; queue = queue[1:] {
		page := queue[0]
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(readDocument(t, page), ""), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, ":") || !strings.HasSuffix(target, ".md") {
				continue
			}
			target = filepath.Join(filepath.Dir(page), target)
			if _, seen := clicks[target]; !seen {
				clicks[target] = clicks[page] + 1
				queue = append(queue, target)
			}
		}
	}
	return clicks
}

// TestDocuments_NewcomersQuestions_AreTwoClicksAway follows the links from the first page to each answer.
func TestDocuments_NewcomersQuestions_AreTwoClicksAway(t *testing.T) {
	clicks := countClicks(t, "docs/index.md")
	for _, q := range newcomersQuestions {
		n, reached := clicks[q.page]
		switch {
		case !reached:
			t.Errorf("%s: no link leads to %s, but to %q", q.question, q.page, slices.Sorted(maps.Keys(clicks)))
		case n > 2:
			t.Errorf("%s: %s is %d clicks away", q.question, q.page, n)
		}
		if section := readSection(t, q.page, q.anchor); !strings.Contains(section, q.answer) {
			t.Errorf("%s: %s#%s does not say %q", q.question, q.page, q.anchor, q.answer)
		}
		t.Logf("%d: %s %s#%s", n, q.question, q.page, q.anchor)
	}
}
