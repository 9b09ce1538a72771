package main_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// replacedWords are the words of docs/glossary.md that no declaration may contain.
var replacedWords = strings.Fields(`person operator room rooms walls walled enclosure keeper border openings
	obeyed selfrun leftovers minds veiled guest guests desk visitor visitors neighbours onlooker spectator elsewhere
	bell sentinel hearing heard told tell foresight voyage veil tape shutter lend lent loan nowhere linger`)

// declarationExceptions are the declared names that keep such a word, each with the reason.
var declarationExceptions = map[string]string{
	"askOperator":     "implements the tool ask_operator, whose name models and journals know",
	"askOperatorArgs": "implements the tool ask_operator, whose name models and journals know",
	"Linger":          "the option of sockets has this name",
}

// phraseLimits are replaced phrases and how many lines of code, comments, documents,
// labels and prompts may still contain one. Lower a limit when you replace some;
// none may rise.
var phraseLimits = []struct {
	pattern string
	limit   int
}{
	{`(the|a|its|an) (person|operator)`, 0},
	{`goes on|go on|went on`, 0},
	{`anew`, 0},
	{`else nothing`, 0},
	{`meanwhile`, 0},
	{`stands (in|on|beside|at)`, 0},
	{`voyage|enclosure|foresight|veil`, 0},
	{`is told|are told|was told|be told`, 39},
	{`hears? of`, 4},
	{`by itself`, 8},
	{`whoever`, 3},
	{`a yes|your word`, 2},
	{`rooms?`, 22}, // space in a buffer is fine
	{`(the|a|its|at) border`, 9},
	{`desk`, 15},
	{`sentinels?`, 3},
	{`keepers?`, 2},
	{`minds`, 0},
	{`whom`, 2},
	{`heard`, 17},
}

// phraseSources are where the phrases are searched; a CHANGELOG tells of the past,
// and the glossary and this file have to name what they refuse.
var phraseSources = []string{
	"*.go", "*.ts", "*.tsx", "*.md", ":!CHANGELOG.md", ":!docs/glossary.md",
	":!vocabulary_test.go",
}

// TestDeclarations_UseTheGlossary refuses replaced words in names that are declared: packages' types, functions,
// variables, constants and fields, also in tests.
func TestDeclarations_UseTheGlossary(t *testing.T) {
	files := listFiles(t, "*.go")
	if len(files) < 100 {
		t.Fatalf("git knows only %d files", len(files))
	}
	for _, file := range files {
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range declaredNames(tree) {
			if _, excepted := declarationExceptions[name.Name]; excepted {
				continue
			}
			for _, word := range splitName(name.Name) {
				if slices.Contains(replacedWords, word) {
					t.Errorf("%s: %s contains %q: see docs/glossary.md", fset.Position(name.Pos()), name.Name, word)
				}
			}
		}
	}
}

// TestText_UsesTheGlossary counts the lines that contain a replaced phrase.
func TestText_UsesTheGlossary(t *testing.T) {
	files := listFiles(t, phraseSources...)
	lines := map[string][]string{} // by pattern
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Split(string(b), "\n")
		for _, p := range phraseLimits {
			phrase := regexp.MustCompile(`(?i)\b(` + p.pattern + `)\b`)
			for i, line := range text {
				if phrase.MatchString(line) {
					lines[p.pattern] = append(lines[p.pattern], fmt.Sprintf("%s:%d", file, i+1))
				}
			}
		}
	}
	for _, p := range phraseLimits {
		found := lines[p.pattern]
		switch {
		case len(found) > p.limit:
			t.Errorf("%q is on %d lines, %d are allowed; docs/glossary.md says what to write. Among them: %s",
				p.pattern, len(found), p.limit, strings.Join(found[max(0, len(found)-8):], " "))
		case len(found) < p.limit:
			t.Errorf("%q is on %d lines only: lower its limit of %d", p.pattern, len(found), p.limit)
		}
	}
}

// replacedLabels are wordings of the window that newcomers could not read. None may come back.
const replacedLabels = `
the host verified claim
claim → 0 of 1 check
exit 1, wanted 0
not claimed yet
Where the house of a browser pane and Alt+Home lead; empty
Where words in the address of a browser pane lead, %s
Empty: nowhere
Environment variable of the key
Or the secret that is the key
Where a model is reached
how goals refer to it
the one in use
"" cannot be the name of a provider
no model is configured
give --base-url and --model; --demo runs without one
Goals, with a new one
leader: press a letter
Kept in its sandbox
inside its walls its programs keep root's rights over the
or have it work in a folder of one
Kept off the network
refused to a pane:
Wait for your word
A goal that waits here asks no model. It goes on when its
Calls that wait for you, with everything that they would do
this call of browser
in which nobody can look at what is sent
Look and answer
Why not (the agent is told)
Stopped because the agent
Stopped because the model: too long: the server answered
the agent drives this pane: take it over first
you drive, agent waits
It pauses after the step it is in
Run the gates again
critic unparsed
1 file new
It was not open yet
cut waits short
beside the panes
Looked after by
With nobody there
a cold reader of every claim that passed
when no gate decides
Every change needs a declared step, and its result is
Commands decide
its own loopback is another one
Services it may speak to
sockets; they act as you
Hosts it never contacts
whatever else it may
Protect these too
Do not protect
wait for me
what the person looks at
a strict judge says yes
this file is as it should be
Start although a check passes already. It then proves only
Start although a check cannot run yet. The agent has to
cannot run "pytset"
reach and send anywhere
check-out pages (Spend money)
Programs after the end
Memory of a goal
More toolchains
with : in between
Time for a turn
0 is the usual three
Goals at once
The desktop says when a goal needs you or is over
Terminals say what they print to assistive programs
Installed fonts, the first that is there
Faster with a real graphics card. Where there is none, or
who can read both, can read the secrets (no keyring
None. A server lends its tools to goals; a program among
works with limits
Skip, go to the workspace
Programs start through the helper
sandbox: on, with a warning
Terminals and browsers stand here side by side. The panes
Broadcast to all terminals that can be seen
Terminal on a server
how it is called here
Sessions live on in tmux
your keys and your agent are used as they are
wants to know where you are
Goalpost could not reach it
is no address, and no search page is set
New temporary page
Fill in a saved login
Show beside the workspace
Goals that live
`

// TestLabels_StayReplaced searches code, comments and documents for the old wordings.
func TestLabels_StayReplaced(t *testing.T) {
	labels := strings.Split(strings.TrimSpace(replacedLabels), "\n")
	if len(labels) < 80 {
		t.Fatalf("only %d labels", len(labels))
	}
	for _, file := range listFiles(t, phraseSources...) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, label := range labels {
			if bytes.Contains(b, []byte(label)) {
				t.Errorf("%s contains the replaced wording %q", file, label)
			}
		}
	}
}

func TestSplitName(t *testing.T) {
	for name, want := range map[string]string{
		"roomList": "room list", "GoalRoom": "goal room", "HTTPDoor2": "http door2", "x": "x", "headroom": "headroom",
	} {
		if got := strings.Join(splitName(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// declaredNames lists what a file declares at package level, with fields and methods.
func declaredNames(file *ast.File) []*ast.Ident {
	var names []*ast.Ident
	addFields := func(list *ast.FieldList) {
		for _, f := range list.List {
			names = append(names, f.Names...)
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					names = append(names, s.Names...)
				case *ast.TypeSpec:
					names = append(names, s.Name)
					switch typ := s.Type.(type) {
					case *ast.StructType:
						addFields(typ.Fields)
					case *ast.InterfaceType:
						addFields(typ.Methods)
					}
				}
			}
		}
	}
	return names
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
