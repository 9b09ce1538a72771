package main_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// testFunction matches the declaration of a test. The group is its name without "Test".
var testFunction = regexp.MustCompile(`(?m)^func Test([A-Z]\w*)\(`)

// TestTestNames_ManyWords_HaveParts refuses names of tests that are sentences.
func TestTestNames_ManyWords_HaveParts(t *testing.T) {
	for name, want := range map[string]bool{
		"Click": false, "ParseCookies": false, "Click_EveryTarget_IsHit": false, "HostilePageText": true,
	} {
		if got := lacksParts(name); got != want {
			t.Errorf("Test%s lacks parts: %v, want %v", name, got, want)
		}
	}
	for _, file := range listFiles(t, "*_test.go") {
		for _, found := range testFunction.FindAllStringSubmatch(readText(t, file), -1) {
			if lacksParts(found[1]) {
				t.Errorf("%s: Test%s has more than two words: name it TestSubject_Condition_Result", file, found[1])
			}
		}
	}
}

// lacksParts reports whether a test's name, without "Test", has more than two words and no underscore.
func lacksParts(name string) bool {
	return !strings.Contains(name, "_") && len(splitName(name)) > 2
}

func readText(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSplitName_CamelCase_IsSplitIntoWords(t *testing.T) {
	for name, want := range map[string]string{
		"paneList": "pane list", "GoalPane": "goal pane", "HTTPDoor2": "http door2", "x": "x", "headroom": "headroom",
	} {
		if got := strings.Join(splitName(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

var namePart = regexp.MustCompile(`[A-Z]+[0-9]*($|[A-Z])|[A-Z]?[a-z0-9]+`)

// splitName splits a name in camel case into its words, in lower case.
func splitName(name string) []string {
	var words []string
	for name != "" {
		at := namePart.FindStringIndex(name)
		if at == nil {
			return words
		}
		end := at[1]
		part := name[at[0]:end]
		if len(part) > 1 && part == strings.ToUpper(part) && end < len(name) {
			end-- // the last capital begins the next word
			part = part[:len(part)-1]
		}
		words = append(words, strings.ToLower(part))
		name = name[end:]
	}
	return words
}

// listFiles lists the files of the repository that match.
func listFiles(t *testing.T, patterns ...string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", append([]string{"ls-files", "--"}, patterns...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
