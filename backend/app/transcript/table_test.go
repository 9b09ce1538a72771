package transcript_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const root = "../../.."

// readPart returns a document's text from a heading on.
func readPart(t *testing.T, document, heading string) string {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(doc), heading)
	if !found {
		t.Fatalf("%s has no %q", document, heading)
	}
	return part
}

// checkNames fails unless every test, transcript, script and task page that is named in a text exists.
func checkNames(t *testing.T, text string) {
	t.Helper()
	var sources strings.Builder
	err := filepath.WalkDir(filepath.Join(root, "backend"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		sources.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range regexp.MustCompile("`(cli/[a-z_]+|e2e/[a-z/.]+|task/[a-z]+)`").FindAllStringSubmatch(text, -1) {
		file := filepath.Join(root, n[1])
		if name, ok := strings.CutPrefix(n[1], "cli/"); ok {
			file = filepath.Join(root, "backend/entry/cli/testdata/script", name+".txtar")
		}
		if name, ok := strings.CutPrefix(n[1], "task/"); ok { // TestTasks_Pages_AreUsedOnce checks that each page has a task
			file = filepath.Join(root, "backend/panes/browser/fixtures/tasks", name+".html")
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("there is no script or page %s", n[1])
		}
	}
	for _, n := range regexp.MustCompile("`(Test[A-Za-z0-9_]+)/([^`]+)`").FindAllStringSubmatch(text, -1) {
		_, source, found := strings.Cut(sources.String(), "func "+n[1]+"(t *testing.T)")
		if !found {
			t.Errorf("there is no test %s", n[1])
		}
		// The cases are in the test, or in a table of its package.
		if !strings.Contains(source, strconv.Quote(n[2])) && !strings.Contains(sources.String(), strconv.Quote(n[2])+": ") {
			t.Errorf("there is no case %q of %s", n[2], n[1])
		}
	}
	for _, n := range regexp.MustCompile("`([A-Za-z0-9_]{8,})`").FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(n[1], "Test") {
			if !strings.Contains(sources.String(), "func "+n[1]+"(t *testing.T)") {
				t.Errorf("there is no test %s", n[1])
			}
			continue
		}
		if _, err := os.Stat(filepath.Join("testdata", n[1]+".txtar")); err != nil {
			t.Errorf("there is no transcript %s", n[1])
		}
	}
}

// TestTestingPage_TestNames_Exist covers the tests that docs/testing.md names for the promises of verification and for
// sentences of the contract.
func TestTestingPage_TestNames_Exist(t *testing.T) {
	table := readPart(t, "docs/testing.md", "## What verification promises, by its tests")
	if n := strings.Count(table, "`"); n < 100 {
		t.Fatalf("the table names %d tests", n/2)
	}
	checkNames(t, table)
}

// TestFindings_EveryRow_NamesExistingTests also checks that docs/findings.md has every finding of the reviews.
func TestFindings_EveryRow_NamesExistingTests(t *testing.T) {
	wanted := []string{"W8b"}
	for prefix, n := range map[string]int{"W": 10, "F": 13, "T": 5, "B": 12} {
		for i := range n {
			wanted = append(wanted, fmt.Sprint(prefix, i+1))
		}
	}
	rows := map[string]string{}
	for line := range strings.Lines(readPart(t, "docs/findings.md", "## Models")) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 4 {
			continue
		}
		rows[strings.TrimSpace(cells[0])] = cells[3]
		checkNames(t, cells[3])
	}
	for _, finding := range wanted {
		if !strings.Contains(rows[finding], "`") {
			t.Errorf("no test shows what is done about %s", finding)
		}
	}
	for i := range 13 { // transcripts cover the agent as a whole
		finding := fmt.Sprint("F", i+1)
		if !regexp.MustCompile("`[a-z0-9]+_[a-z0-9_]+`").MatchString(rows[finding]) {
			t.Errorf("no transcript shows what is done about %s", finding)
		}
	}
}

// TestFindings_EveryShape_HasAFixture: each shape of a request or reply in the review of the models has a fixture. The
// four providers that require their reasoning have a conversation of two turns each.
func TestFindings_EveryShape_HasAFixture(t *testing.T) {
	_, part, found := strings.Cut(readPart(t, "docs/findings.md", "## Models"), "## Shapes of the models' review")
	if !found {
		t.Fatal("docs/findings.md has no shapes")
	}
	part, _, _ = strings.Cut(part, "\n## ")
	checkNames(t, part)
	if n := strings.Count(part, "`Test"); n < 80 {
		t.Errorf("the shapes name %d fixtures", n)
	}
	for _, provider := range []string{"Gemini", "DeepSeek", "Kimi", "OpenRouter"} {
		if !strings.Contains(part, "`TestReasoning_ServerEnforcesIt_GoesBack/"+provider+"`") {
			t.Errorf("no conversation with %s is named", provider)
		}
	}
}
