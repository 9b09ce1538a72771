package shell

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

func TestIsIncomplete_OpenQuoteOrBlock_IsTrue(t *testing.T) {
	for line, want := range map[string]bool{
		"echo 'a": true, "if true": true, "cat <<E\na\n": true, "echo )": false, "echo a": false, "": false,
	} {
		if _, err := Parse(line); IsIncomplete(err) != want {
			t.Errorf("%q: %v, want incomplete %v", line, err, want)
		}
	}
}

// TestWords_AreTheArgumentsOfTheProgram compares with what a real shell hands to a program.
func TestWords_AreTheArgumentsOfTheProgram(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	for _, args := range []string{
		`a b`, `'a b' "c d"`, `a\ b`, `a\\b`, `"a\b"`, `"a\\b"`, `"a\"b"`, `"\$x"`, `'a\b'`, `$'a\tb\x41'`, `'it'\''s'`,
		`--file="a b"`, `a""b`, `''`, "a\\\nb", "\"a\\\nb\"", `\'`, `ä"ö"`,
	} {
		out, err := exec.CommandContext(t.Context(), bash, "-c", `printf '%s\0' `+args).Output() //nolint:gosec // ours
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		got, err := Words("printf " + args)
		if err != nil || len(got) == 0 || !slices.Equal(got[1:], want) {
			t.Errorf("%s: %q, %v, want %q", args, got, err, want)
		}
	}
}

func TestWords_NestedCommandsAndUnknownWords(t *testing.T) {
	for line, want := range map[string]string{
		`a "$x" b$y c`:               "a c",
		`f() { /bin/x "$@"; }; f`:    "/bin/x f",
		`echo $(cat 'a b') | sort`:   "echo cat a b sort",
		`if test -f a; then rm a;fi`: "test -f a rm a",
	} {
		if got, err := Words(line); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v, want %q", line, got, err, want)
		}
	}
	if _, err := Words("echo )"); err == nil {
		t.Error("a line that is wrong has words")
	}
}

func TestLiteral_UnknownPart_IsReplaced(t *testing.T) {
	f, err := Parse(`rm "$HOME/a"`)
	if err != nil {
		t.Fatal(err)
	}
	call := f.Stmts[0].Cmd.(*syntax.CallExpr)
	if got := Literal(call.Args[1], func(syntax.WordPart) string { return "~" }); got != "~/a" {
		t.Errorf("%q, want ~/a", got)
	}
}

func TestJoin_IsReadBack(t *testing.T) {
	for _, argv := range [][]string{
		{"go", "test", "./...", "-run=^Test$"},
		{"sh", "-c", `echo "it's" $HOME`},
		{"a", "", " ", "\n", `\`, "*", "~", "ä"},
		{"A=1", "B=2"},
	} {
		got, err := Words(Join(argv))
		if err != nil || !slices.Equal(got, argv) {
			t.Errorf("%q was read back from %s as %q (%v)", argv, Join(argv), got, err)
		}
	}
	if got := Join([]string{"go", "test", "./a", "b c"}); got != "go test ./a 'b c'" {
		t.Errorf("%s: words that need no quotes have some", got)
	}
}

func TestSimpleCommand_OneCommand_HasItsWords(t *testing.T) {
	words, err := SimpleCommand(`claude --say 'two words' "three" four\ 4`)
	if want := []string{"claude", "--say", "two words", "three", "four 4"}; err != nil || !slices.Equal(words, want) {
		t.Errorf("%q, %v", words, err)
	}
	for _, line := range []string{
		"", "a | b", "a; b", "a && b", "a > f", "a &", "! a", "A=b c", "a $B", "a $(b)", "(a)", "a '",
	} {
		if words, err := SimpleCommand(line); err == nil {
			t.Errorf("%s: %q", line, words)
		}
	}
}
