package cli

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var updateDocuments = flag.Bool("update", false, "write docs/guide/commands.md")

const documents = "../../.."

func newDocumentedRoot() *cobra.Command {
	root := Program{Name: "goalctl"}.root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// TestCommandsPage_IsCurrent compares docs/guide/commands.md with the commands and their flags.
func TestCommandsPage_IsCurrent(t *testing.T) {
	page := filepath.Join(documents, "docs", "guide", "commands.md")
	var want bytes.Buffer
	want.WriteString("# Commands\n\n" +
		"Generated from the commands: `go test ./backend/entry/cli -run CommandsPage -update`.\n\n" +
		"`goalctl` has no window; `goalpost` is the same program with one. `goalctl help exit-codes` lists the exit codes.\n")
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if sub.Hidden || sub.Name() == "help" || sub.Parent().Name() == "completion" {
				continue
			}
			writeCommand(&want, sub)
			add(sub)
		}
	}
	add(newDocumentedRoot())
	if *updateDocuments {
		if err := os.WriteFile(page, want.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/guide/commands.md is stale (%v): "+
			"write it with `go test ./backend/entry/cli -run CommandsPage -update`", err)
	}
}

func writeCommand(w *bytes.Buffer, c *cobra.Command) {
	description := c.Long
	if description == "" {
		description = c.Short + "."
	}
	fmt.Fprintf(w, "\n## %s\n\n%s\n\n```\n%s\n", c.CommandPath(), escapeMarkdown(description), c.UseLine())
	if c.Example != "" {
		fmt.Fprintf(w, "\n%s\n", trimLines(c.Example))
	}
	w.WriteString("```\n")
	if !c.HasAvailableLocalFlags() {
		return
	}
	w.WriteString("\n| flag | meaning | default |\n|---|---|---|\n")
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		fallback := ""
		switch f.DefValue {
		case "", "false", "[]", "0", "0s":
		default:
			fallback = "`" + f.DefValue + "`"
		}
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", strings.TrimSpace("--"+f.Name+" "+kind), escapeMarkdown(usage), fallback)
	})
}

func escapeMarkdown(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "{{", "&#123;&#123;").Replace(s)
}

func trimLines(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// userPages are the documents that show commands to users.
func userPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"README.md", "docs/index.md", "docs/guide/*.md", "docs/how-to/*.md"} {
		names, err := filepath.Glob(filepath.Join(documents, pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			if base := filepath.Base(name); strings.HasPrefix(base, "add-") || strings.HasPrefix(base, "change-") {
				continue // a page for contributors
			}
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			pages[name] = string(b)
		}
	}
	return pages
}

var (
	fence      = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```")
	inlineCode = regexp.MustCompile("`([^`\n]+)`")
	flagName   = regexp.MustCompile(`^--([a-z][a-z0-9-]*)`)
)

// readCode returns the code of a page. Each command in a block is a piece of its own.
func readCode(page string) (pieces []string) {
	page = fence.ReplaceAllStringFunc(page, func(block string) string {
		body := strings.ReplaceAll(fence.FindStringSubmatch(block)[1], "\\\n", " ")
		pieces = append(pieces, strings.Split(strings.ReplaceAll(body, " && ", "\n"), "\n")...)
		return ""
	})
	for _, m := range inlineCode.FindAllStringSubmatch(page, -1) {
		pieces = append(pieces, m[1])
	}
	return pieces
}

// otherFlags are flags of other programs that the pages name.
var otherFlags = map[string]bool{
	"no-same-permissions": true, // tar
	"no-sandbox":          true, // Chromium
	"force":               true, // git push
}

// TestDocuments_CommandsAndFlags_Exist checks each command of the pages and its flags, without running it.
func TestDocuments_CommandsAndFlags_Exist(t *testing.T) {
	root := newDocumentedRoot()
	known := map[string]bool{}
	var collect func(c *cobra.Command)
	collect = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		for _, sub := range c.Commands() {
			collect(sub)
		}
	}
	collect(root)
	commands := 0
	for name, page := range userPages(t) {
		for _, piece := range readCode(page) {
			words := strings.Fields(piece)
			for len(words) > 0 && strings.Contains(words[0], "=") && words[0] == strings.ToUpper(words[0]) {
				words = words[1:] // skips an environment variable
			}
			switch {
			case len(words) == 0:
			case filepath.Base(words[0]) == "goalctl" || filepath.Base(words[0]) == "goalpost":
				commands++
				if fault := checkCommand(root, words[1:]); fault != "" {
					t.Errorf("%s: `%s`: %s", name, piece, fault)
				}
			default:
				if m := flagName.FindStringSubmatch(words[0]); m != nil && !known[m[1]] && !otherFlags[m[1]] {
					t.Errorf("%s: no command has the flag --%s", name, m[1])
				}
			}
		}
	}
	if commands < 100 {
		t.Errorf("only %d commands were found in the pages", commands)
	}
}

// checkCommand describes an error in the words of a command line, "" if there is none.
func checkCommand(root *cobra.Command, words []string) string {
	c := root
	for len(words) > 0 {
		first := strings.SplitN(words[0], "|", 2)[0] // for list|add|test, only the first is checked
		sub, _, err := c.Find([]string{first})
		if err != nil || sub == c {
			break
		}
		c, words = sub, words[1:]
	}
	if c == root && len(words) > 0 && unicode.IsLower(rune(words[0][0])) {
		return "there is no such command"
	}
	for _, w := range words {
		if w == "--" {
			break
		}
		m := flagName.FindStringSubmatch(w)
		if m != nil && c.Flags().Lookup(m[1]) == nil && c.InheritedFlags().Lookup(m[1]) == nil && !otherFlags[m[1]] {
			return c.CommandPath() + " has no flag --" + m[1]
		}
	}
	return ""
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
)

// TestDocuments_LinkTargets_Exist checks that the target of each link inside the repository exists, with its anchor.
func TestDocuments_LinkTargets_Exist(t *testing.T) {
	var pages []string
	for _, dir := range []string{"docs", "."} {
		err := filepath.WalkDir(filepath.Join(documents, dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".vitepress" || dir == "." && path != documents):
				return fs.SkipDir
			case strings.HasSuffix(path, ".md"):
				pages = append(pages, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	links := 0
	for _, name := range pages {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := inlineCode.ReplaceAllString(fence.ReplaceAllString(string(b), ""), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			links++
			path := name
			if target != "" {
				path = filepath.Join(filepath.Dir(name), target)
			}
			linked, err := os.ReadFile(path)
			if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
				continue
			}
			if err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
				continue
			}
			if anchor != "" && !hasAnchor(string(linked), anchor) {
				t.Errorf("%s links to %s: there is no such heading", name, m[1])
			}
		}
	}
	if links < 60 {
		t.Errorf("only %d links were found", links)
	}
}

func hasAnchor(page, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, m[1])
		if slug == anchor {
			return true
		}
	}
	return false
}
