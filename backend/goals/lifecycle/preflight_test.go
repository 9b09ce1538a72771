package lifecycle

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/core/verify/inputs"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
)

// TestProposeWork_OfUsedFiles_LeavesOutWhatDecides: a folder without a deciding file is proposed whole. Files beside a
// deciding one are proposed one by one. If the check needs a new file beside them, nothing is proposed.
func TestProposeWork_OfUsedFiles_LeavesOutWhatDecides(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"check.py", "mod.py", "src/a/one.py", "src/a/two.py", "lib/x.py", "lib/test_x.py", "lib/deep/y.py", "out/log",
		".venv/lib/z.py", "node_modules/m/i.js", "src/__pycache__/c.pyc",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, command                   string
		decides, work, written, missing []string
		want                            string
	}{
		{"a folder", "", []string{"check.py"}, []string{"src/a/one.py", "src/a/two.py"}, nil, nil, "src/"},
		{"beside what decides", "", []string{"check.py"}, []string{"mod.py"}, nil, nil, "mod.py"},
		{
			"within a folder that decides", "",
			[]string{"lib/test_x.py"},
			[]string{"lib/x.py", "lib/deep/y.py"},
			nil, nil, "lib/deep/ lib/x.py",
		},
		{"outputs", "", []string{"check.py"}, []string{"mod.py"}, []string{"out/log"}, nil, "mod.py out/"},
		{
			"what is installed or cached", "", nil,
			[]string{".venv/lib/z.py", "node_modules/m/i.js", "src/__pycache__/c.pyc", "mod.py"},
			nil, nil, "mod.py",
		},
		{"a new file in a folder", "test -f out/new", nil, nil, nil, []string{"out/new"}, "out/"},
		{"a new file beside what decides", "test -f new", []string{"check.py"}, []string{"mod.py"}, nil, []string{"new"}, ""},
		{"a name that the check only tries", "true", nil, []string{"mod.py"}, nil, []string{"new"}, "mod.py"},
		{"a file that is gone", "", nil, []string{"gone.py"}, nil, nil, ""},
	} {
		check := TracedCheck{Dir: dir, Check: goal.Check{Command: c.command}}
		scope := inputs.Scope{Dir: check.Dir, Command: check.Check.Command}
		got := proposeWork(scope, c.decides, c.work, c.written, c.missing)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestDescribe_Observation_FillsThreeLists: the files that decide are those that a goal would protect. Each file is
// listed once.
func TestDescribe_Observation_FillsThreeLists(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"check.sh", "notes.txt", "extra.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := &goal.Observation{
		Programs: []goal.ObservedProgram{{Name: "sh"}, {Name: "cat"}},
		Files: []goal.UsedFile{
			{Path: "check.sh", Role: goal.RoleScript},
			{Path: "notes.txt", Role: goal.RoleData, Program: 1},
			{Path: "notes.txt", Role: goal.RoleData},
		},
		Missing: []goal.UsedFile{
			{Path: "maybe", Role: goal.RoleData, Program: 1},
			{Path: "settings.sh", Role: goal.RoleScript, Opened: true},
			{Path: "node_modules/x/package.json", Role: goal.RoleSettings},
		},
		Written: []string{"log"},
		States: map[string]goal.FileState{
			"check.sh":  {Exists: true, SHA256: "1"},
			"notes.txt": {Exists: true, SHA256: "2"},
		},
	}
	check := goal.Check{Type: goal.Shell, Command: "sh check.sh"}
	view, err := TracedCheck{Dir: dir, Check: check, Protect: []string{"extra.txt"}}.Describe(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, list := range []struct {
		title string
		files []string
	}{
		{"decides", pathsOf(view.Decides.Files)},
		{"missing", pathsOf(view.Missing.Files)},
		{"read", pathsOf(view.Read.Files)},
		{"written", pathsOf(view.Written.Files)},
	} {
		got = append(got, list.title+": "+strings.Join(list.files, " "))
	}
	want := []string{"decides: check.sh extra.txt", "missing: settings.sh maybe", "read: notes.txt", "written: log"}
	if !slices.Equal(got, want) || view.Incomplete != "" {
		t.Errorf("%q, want %q", got, want)
	}

	// Without an observation, files that are protected by their names are listed, and the view says why.
	view, err = TracedCheck{Dir: dir, Check: check}.Describe(t.Context(), nil)
	if err != nil || !slices.Equal(pathsOf(view.Decides.Files), []string{"check.sh"}) ||
		!strings.Contains(view.Incomplete, "could not be observed") {
		t.Errorf("%+v %v", view, err)
	}
}

// TestFindMissing_OutputOfPrograms_NamesWhatIsMissing uses messages that the programs really print.
func TestFindMissing_OutputOfPrograms_NamesWhatIsMissing(t *testing.T) {
	for output, want := range map[string]string{
		"Traceback\nModuleNotFoundError: No module named 'shop.cart'\n":                         "shop.cart",
		"/usr/bin/python3: No module named pytest\n":                                            "pytest",
		"/usr/bin/python3: can't open file '/w/later.py': [Errno 2] No such file or directory":  "/w/later.py",
		"Error: Cannot find module './cart'\nRequire stack:":                                    "./cart",
		"main.go:3:8: package shop/cart is not in std":                                          "shop/cart",
		"a.rb:1:in `require': cannot load such file -- cart (LoadError)":                        "cart",
		"Can't locate Cart.pm in @INC (you may need to install":                                 "Cart.pm",
		"make: *** No rule to make target 'cart.o', needed by 'all'.  Stop.":                    "cart.o",
		"cart.c:1:10: fatal error: cart.h: No such file or directory":                           "cart.h",
		"check.sh: 4: jq: not found\n":                                                          "jq",
		"check.sh: line 4: jq: command not found\n":                                             "jq",
		"sh: 1: jq: not found\n":                                                                "jq",
		"cat: answer.txt: No such file or directory\n":                                          "answer.txt",
		"FAILED (failures=1)\nAssertionError: 3 != 4, the name was not found in the list there": "",
	} {
		if got := findMissing(goal.Verdict{Output: []byte(output)}); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}

func pathsOf(files []api.TracedFile) (list []string) {
	for _, f := range files {
		list = append(list, f.Path)
	}
	return list
}
