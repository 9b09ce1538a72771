package library

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestList_BuiltIn_CanBeUsed(t *testing.T) {
	t.Parallel()
	list, err := Open(t.TempDir(), "").List(Personas, "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		if !e.IsUsable() || e.Description == "" || e.Persona().Prompt == "" {
			t.Errorf("%s: %s", e.Name, e.Problem)
		}
		names = append(names, e.Name)
	}
	if got := strings.Join(names, " "); got != "architect designer engineer maintainer researcher tester writer" {
		t.Errorf("the roster is %s", got)
	}
}

// TestInfer_Objective_ChoosesByItsFirstWord: the earliest listed words decide, of two at one place the longer ones.
func TestInfer_Objective_ChoosesByItsFirstWord(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	write(t, filepath.Join(state, "personas/lawyer.md"), "---\nname: lawyer\nwhen: [contract]\n---\nYou are a lawyer.\n")
	l := Open(state, "")
	for objective, want := range map[string]string{
		"Fix the failing test":                      "engineer",
		"Compare three libraries and fix the docs":  "researcher",
		"find\nout, why it is slow":                 "researcher",
		"Design the start page":                     "designer",
		"Redesigned pages must load":                "engineer",
		"Update dependencies":                       "maintainer",
		"Update the parser":                         "engineer",
		"Plan the migration to Postgres":            "architect",
		"all tests pass":                            "engineer",
		"check the CONTRACT, then fix what it says": "lawyer",
		"": "engineer",
	} {
		got, err := l.Infer(objective, "")
		if err != nil || got.Name != want {
			t.Errorf("%q: %s %v, want %s", objective, got.Name, err, want)
		}
	}
}

// TestFind_ProjectEntry_CountsOnceItsContentIsTrusted: an agent that changes the file of a persona, or another file
// of a skill, ends the trust.
func TestFind_ProjectEntry_CountsOnceItsContentIsTrusted(t *testing.T) {
	t.Parallel()
	dir, l := t.TempDir(), Open(t.TempDir(), "")
	write(t, filepath.Join(dir, ".goalpost/personas/engineer.md"), "---\nname: engineer\n---\nDo what the page says.\n")
	write(t, filepath.Join(dir, ".claude/skills/deploy/SKILL.md"), "---\nname: deploy\ndescription: d\n---\nSteps.\n")
	write(t, filepath.Join(dir, ".claude/skills/deploy/scripts/run.sh"), "echo 1\n")
	if e, err := l.Find(Personas, "engineer", dir); err != nil || e.Owner != OwnerBuiltIn {
		t.Errorf("an entry that is not trusted replaces the built-in one: %v %v", e.Owner, err)
	}
	if _, err := l.Find(Skills, "deploy", dir); err == nil || !strings.Contains(err.Error(), "not trusted") {
		t.Errorf("a skill that is not trusted: %v", err)
	}
	if _, err := l.LoadSkill("deploy", "", dir); err == nil {
		t.Error("a skill that is not trusted was loaded")
	}
	for kind, change := range map[Kind]string{
		Personas: ".goalpost/personas/engineer.md", Skills: ".claude/skills/deploy/scripts/run.sh",
	} {
		list, err := l.List(kind, dir)
		if err != nil {
			t.Fatal(err)
		}
		e := list[slices.IndexFunc(list, func(e Entry) bool { return e.Owner == OwnerProject })]
		if err := l.Trust(e); err != nil {
			t.Fatal(err)
		}
		if e, err := l.Find(kind, e.Name, dir); err != nil || e.Owner != OwnerProject {
			t.Errorf("%s: trusted, but %v %v", kind, e.Owner, err)
		}
		write(t, filepath.Join(dir, change), "---\nname: engineer\n---\nDo more.\n")
		if e, err := l.Find(kind, e.Name, dir); err == nil && e.Owner == OwnerProject {
			t.Errorf("%s: changed and still trusted", kind)
		}
	}
}

// TestList_ProjectLinks_LeadNowhere: a project cannot show files of the user.
func TestList_ProjectLinks_LeadNowhere(t *testing.T) {
	t.Parallel()
	dir, outside, l := t.TempDir(), t.TempDir(), Open(t.TempDir(), "")
	write(t, filepath.Join(outside, "key.md"), "---\nname: key\n---\nsecret\n")
	write(t, filepath.Join(dir, ".goalpost/personas/x.md"), "---\nname: x\n---\nx\n")
	for _, err := range []error{
		os.Symlink(filepath.Join(outside, "key.md"), filepath.Join(dir, ".goalpost/personas/key.md")),
		os.Symlink(outside, filepath.Join(dir, ".claude")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(outside, "agents", "y.md"), "---\nname: y\n---\nsecret\n")
	list, err := l.List(Personas, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if strings.Contains(e.Text, "secret") || e.Owner == OwnerProject && e.Problem == "" && e.Name != "x" {
			t.Errorf("%s is read: %q", e.Path, e.Text)
		}
	}
}

// TestParse_ClaudeFiles_AreReadAsTheyAre: with that program's tools, models and unquoted colons.
func TestParse_ClaudeFiles_AreReadAsTheyAre(t *testing.T) {
	t.Parallel()
	home, l := t.TempDir(), (*Library)(nil)
	l = Open(t.TempDir(), home)
	write(t, filepath.Join(home, ".claude/agents/reviewer.md"), "---\nname: code-reviewer\n"+
		"description: Use this when: code was written. Examples: user: hi\ntools: Read, Grep, Bash(git:*), mcp__db__query\n"+
		"model: sonnet\ncolor: red\n---\n\nYou review code.\n")
	write(t, filepath.Join(home, ".claude/skills/pdf/SKILL.md"), "---\nname: pdf\ndescription: Reads PDFs.\n"+
		"allowed-tools: Bash\nlicense: MIT\n---\nSee reference.md.\n")
	write(t, filepath.Join(home, ".claude/skills/pdf/reference.md"), "the reference")
	e, err := l.Find(Personas, "code-reviewer", "")
	if err != nil {
		t.Fatal(err)
	}
	p := e.Persona()
	if got := strings.Join(p.Tools, " "); got != "read_file search_files run_command db__query" || p.Model != "" ||
		p.Prompt != "You review code." || !strings.HasPrefix(e.Description, "Use this when: code") ||
		!slices.Contains(e.Notes, "the field color has no effect here") {
		t.Errorf("%+v %+v", e, p)
	}
	s, err := l.LoadSkill("pdf", "", "")
	if err != nil || !strings.Contains(s.Text, "See reference.md") || !slices.Equal(s.Files, []string{"reference.md"}) {
		t.Errorf("%+v %v", s, err)
	}
	if s, err = l.LoadSkill("pdf", "reference.md", ""); err != nil || s.Text != "the reference" {
		t.Errorf("%+v %v", s, err)
	}
	for _, file := range []string{"../../agents/reviewer.md", "/etc/passwd", "none.md"} {
		if _, err := l.LoadSkill("pdf", file, ""); err == nil {
			t.Errorf("%s was loaded", file)
		}
	}
}

func TestParse_InvalidFile_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"You work.":                               "front matter",
		"---\nname: x\nYou work.":                 "no end",
		"---\nname: x\ncolour: red\n---\nYou.":    `unknown field "colour"`,
		"---\nname: x\n---\n":                     "no text",
		"---\nname: X y\n---\nYou.":               "valid name",
		"---\nname: [\n---\nYou.":                 "valid YAML",
		"---\nlimits: {turns: 3}\n---\nYou.":      `no limit "turns"`,
		"---\nlimits: {wall-clock: 3}\n---\nYou.": "with its unit",
		"---\nlimits: 3\n---\nYou.":               "fields with values",
	} {
		e := Entry{Kind: Personas, Name: "x"}
		e.parse(content, false)
		if !strings.Contains(e.Problem, want) {
			t.Errorf("%q: %q, want %q", content, e.Problem, want)
		}
	}
	e := Entry{Kind: Personas, Name: "x"}
	e.parse("---\r\nlimits:\r\n  wall-clock: 45m\r\n  max-iterations: 20\r\neffort: high\r\n---\r\nYou.\r\n", false)
	if p := e.Persona(); e.Problem != "" || p.Limits.WallClock() != 45*time.Minute || p.Limits.Iterations != 20 ||
		p.Effort != "high" {
		t.Errorf("%+v", e)
	}
}
