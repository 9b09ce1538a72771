package main_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// replacedWords are the words of docs/glossary.md that no declared name and no file name may contain, in the singular.
// Words that have another meaning in a browser, a shell or Go (part, cast, hand, guard, set) are not among them.
var replacedWords = strings.Fields(`person operator room walled enclose enclosure keeper border law
	obeyed selfrun veiled guest desk visitor onlooker spectator elsewhere bell sentinel hearing heard told tell
	foresight foresee voyage veil tape shutter reel lend lent loan linger walker opinion unheard upon`)

// nameExceptions are the declared names that keep such a word, each with the reason.
var nameExceptions = map[string]string{
	"askOperator":     "implements the tool ask_operator, whose name models and journals know",
	"askOperatorArgs": "implements the tool ask_operator, whose name models and journals know",
	"ask_operator":    "the file of the tool ask_operator",
	"goalpostTell":    "the binding that the scripts of pages call; its name is a part of the protocol with Go",
	"useBell":         "the bell of a terminal",
	"bellMs":          "the bell of a terminal",
}

// replacedPhrase is a phrase that no comment, document, label or prompt may contain. Lines that match one of the
// exceptions keep it.
type replacedPhrase struct {
	pattern    string // whole words, in upper or lower case
	exceptions []phraseException
}

// phraseException names lines that keep a phrase.
type phraseException struct {
	file   string // a pattern of path.Match, or "" for all files
	line   string // a regular expression, or "" for all lines
	reason string
}

// replacedPhrases are the phrases of docs/glossary.md that a text must not contain.
var replacedPhrases = []replacedPhrase{
	{pattern: `(the|a|its|an) (person|operator)`},
	{pattern: `goes on|go on|went on`},
	{pattern: `anew|else nothing|meanwhile`},
	{pattern: `stands (in|on|beside|at)`},
	{pattern: `voyage|enclosure|foresight|veil|minds|shutter`},
	{pattern: `is told|are told|was told|be told`},
	{pattern: `hears? of|heard`},
	{pattern: `by itself`},
	{pattern: `whoever|whom`},
	{pattern: `a yes|your word`, exceptions: []phraseException{
		{file: "backend/verify/check/*.go", reason: "the question to a judge"},
	}},
	{pattern: `rooms?`, exceptions: []phraseException{
		{line: `"rooms"|state/rooms|Rooms are closed`, reason: "the folder of sandboxes keeps its stored name"},
		{line: `make room`, reason: "space on a disk: the usual words"},
		{line: `left out to save room`, reason: "models find this text in stored conversations"},
	}},
	{pattern: `walls|walled`, exceptions: []phraseException{
		{file: "backend/sandbox/wire/wire.go", reason: "the protocol with the helper"},
	}},
	{pattern: `(the|a|its|at) border`, exceptions: []phraseException{
		{file: "e2e/keyboard.test.mjs", reason: "the border of a field"},
	}},
	{pattern: `desks?`, exceptions: []phraseException{
		{file: "backend/tools/browser_test.go", reason: "the title of a test's page"},
	}},
	{pattern: `sentinels?|keepers?`},
	{pattern: `guests?`},
	{pattern: `(the|a) law`},
	{pattern: `lend|lent|loan`, exceptions: []phraseException{
		{
			line:   "\"lent|\"lent\"|`json:\"lent|\\blent\\??:|, lent,|l\\.lent|\"lent\":true",
			reason: "a column and a field of stored events",
		},
		{line: `lent page`, reason: "a source in the stored network log"},
	}},
	{pattern: `onlookers?|spectators?|visitors`},
	{pattern: `(the|a|its) bell`, exceptions: []phraseException{
		{file: "frontend/src/features/terminal/*", reason: "the bell of a terminal"},
	}},
}

// textFiles are the files whose text is searched. A journal in the tests of transcripts has texts of models, and the
// glossary and this file have to name what they refuse.
var textFiles = []string{
	"*.go", "*.ts", "*.tsx", "*.mjs", "*.css", "*.html", "*.md", "*.sh", "*.txtar", "Makefile",
	":!docs/glossary.md", ":!vocabulary_test.go",
}

// TestDeclarations_UseTheGlossary refuses replaced words in the names of everything that Go files declare, also inside
// functions and in tests.
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
			if word := replacedWordIn(name.Name); word != "" {
				t.Errorf("%s: %s contains %q: see docs/glossary.md", fset.Position(name.Pos()), name.Name, word)
			}
		}
	}
}

// scriptDeclaration matches a declared name of TypeScript or JavaScript.
var scriptDeclaration = regexp.MustCompile(`\b(?:const|let|var|function|class|interface|type|enum) ([A-Za-z_$][\w$]*)`)

// TestScriptDeclarations_UseTheGlossary does the same for TypeScript and JavaScript.
func TestScriptDeclarations_UseTheGlossary(t *testing.T) {
	for _, file := range listFiles(t, "*.ts", "*.tsx", "*.mjs", ":!backend/browser/internal/script/*") {
		for _, found := range scriptDeclaration.FindAllStringSubmatch(readText(t, file), -1) {
			if word := replacedWordIn(found[1]); word != "" {
				t.Errorf("%s: %s contains %q: see docs/glossary.md", file, found[1], word)
			}
		}
	}
}

// TestFileNames_UseTheGlossary does the same for the names of files and folders.
func TestFileNames_UseTheGlossary(t *testing.T) {
	for _, file := range listFiles(t, ".") {
		base := path.Base(file)
		name, _, _ := strings.Cut(base, ".")
		if word := replacedWordIn(name); word != "" {
			t.Errorf("%s contains %q: see docs/glossary.md", file, word)
		}
	}
}

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

// replacedWordIn returns the replaced word in a name, in singular or plural, "" if there is none or an exception.
func replacedWordIn(name string) string {
	if _, isException := nameExceptions[name]; isException {
		return ""
	}
	for _, word := range splitName(name) {
		if slices.Contains(replacedWords, word) || slices.Contains(replacedWords, strings.TrimSuffix(word, "s")) {
			return word
		}
	}
	return ""
}

// TestText_UsesTheGlossary refuses replaced phrases in code, comments, documents, labels and prompts.
func TestText_UsesTheGlossary(t *testing.T) {
	phrases := compilePhrases(t)
	for _, file := range listFiles(t, textFiles...) {
		for i, line := range strings.Split(readText(t, file), "\n") {
			if found := findPhrase(phrases, file, line); found != "" {
				t.Errorf("%s:%d contains %q; docs/glossary.md says what to write", file, i+1, found)
			}
		}
	}
	for _, p := range phrases {
		for _, e := range p.exceptions {
			if !e.used {
				t.Errorf("the exception %q %q for %s is not needed", e.file, e.line, p.phrase)
			}
		}
	}
}

// TestPhrases_OldSentences_AreFound shows that the phrases find what they are for.
func TestPhrases_OldSentences_AreFound(t *testing.T) {
	phrases := compilePhrases(t)
	for line, want := range map[string]string{
		"// The person is asked.":                          "The person",
		"// the guests behind the walls":                   "walls",
		"The agent is told why.":                           "is told",
		`fmt.Errorf("listening for the bell: %w", err)`:    "the bell",
		"It goes on by itself.":                            "goes on",
		"// A user reads the receipt and reopens the goal": "",
	} {
		if got := findPhrase(phrases, "x.go", line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

type compiledPhrase struct {
	phrase     *regexp.Regexp
	exceptions []*compiledException
}

type compiledException struct {
	phraseException
	text *regexp.Regexp
	used bool
}

func compilePhrases(t *testing.T) (list []compiledPhrase) {
	t.Helper()
	for _, p := range replacedPhrases {
		c := compiledPhrase{phrase: regexp.MustCompile(`(?i)\b(` + p.pattern + `)\b`)}
		for _, e := range p.exceptions {
			if e.reason == "" {
				t.Errorf("an exception for %s has no reason", p.pattern)
			}
			c.exceptions = append(c.exceptions, &compiledException{e, regexp.MustCompile(e.line), false})
		}
		list = append(list, c)
	}
	return list
}

// findPhrase returns the first replaced phrase of a line, "" if there is none.
func findPhrase(phrases []compiledPhrase, file, line string) string {
	for _, p := range phrases {
		found := p.phrase.FindString(line)
		if found == "" {
			continue
		}
		isAllowed := false
		for _, e := range p.exceptions {
			if isIn, _ := path.Match(e.file, file); (e.file == "" || isIn) && e.text.MatchString(line) {
				e.used, isAllowed = true, true
				break
			}
		}
		if !isAllowed {
			return found
		}
	}
	return ""
}

func readText(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// labelFiles are where the old wordings are searched.
var labelFiles = []string{
	"*.go", "*.ts", "*.tsx", "*.md", ":!CHANGELOG.md", ":!docs/glossary.md", ":!vocabulary_test.go",
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
	for _, file := range listFiles(t, labelFiles...) {
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

func TestSplitName_CamelCase_IsSplitIntoWords(t *testing.T) {
	for name, want := range map[string]string{
		"roomList": "room list", "GoalRoom": "goal room", "HTTPDoor2": "http door2", "x": "x", "headroom": "headroom",
	} {
		if got := strings.Join(splitName(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// declaredNames lists the names that a file declares: at package level, fields, methods, parameters and in functions.
func declaredNames(file *ast.File) (names []*ast.Ident) {
	add := func(list ...ast.Expr) {
		for _, e := range list {
			if name, isName := e.(*ast.Ident); isName {
				names = append(names, name)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			names = append(names, n.Name)
		case *ast.Field:
			names = append(names, n.Names...)
		case *ast.ValueSpec:
			names = append(names, n.Names...)
		case *ast.TypeSpec:
			names = append(names, n.Name)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key, n.Value)
			}
		}
		return true
	})
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
