package shellline_test

import (
	"slices"
	"strings"
	"testing"

	"goalpost/backend/core/verify/shellline"
)

func TestWords_EachLine_IsSplit(t *testing.T) {
	for _, c := range []struct{ line, all, examined, started string }{
		{"sh check.sh --out=log", "sh check.sh log", "", "check.sh"},
		{"./a.sh | grep -q ok", "./a.sh grep ok", "./a.sh", ""},
		{"set -o pipefail; ./a.sh | tee log", "set pipefail ./a.sh tee log", "", "./a.sh"},
		{`test "$(sh app.sh)" = good`, "test = good sh app.sh", "sh app.sh", ""},
		{"sh -c 'sh check.sh x'", "sh sh check.sh x", "", "check.sh"},
		{"env A=1 timeout -k 5 10 ./tool", "env A=1 timeout 5 10 ./tool", "", "./tool"},
		{". ./env.sh && python3 -B judge.py", ". ./env.sh python3 judge.py", "", "./env.sh judge.py"},
		{`sh "$DIR/check.sh"`, "sh", "", ""}, // nobody can tell which
		{"(((", "", "", ""},
	} {
		for name, pair := range map[string][2]string{
			"all":      {strings.Join(shellline.AllWords(c.line), " "), c.all},
			"examined": {strings.Join(shellline.ExaminedWords(c.line), " "), c.examined},
			"started":  {strings.Join(shellline.StartedFiles(c.line), " "), c.started},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s, %s: %q, want %q", c.line, name, pair[0], pair[1])
			}
		}
	}
}

func TestArguments_OfAProgram_AreListed(t *testing.T) {
	got := shellline.Arguments("cd x && timeout 5 make -C sub test; gmake all", "make", "gmake")
	if len(got) != 2 || !slices.Equal(got[0], []string{"-C", "sub", "test"}) || !slices.Equal(got[1], []string{"all"}) {
		t.Errorf("%q", got)
	}
}

func TestAddGoTestVerbose_GoTest_GetsTheFlag(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./...":              "go test -v ./...",
		"cd a && go test 2>&1":       "cd a && go test -v 2>&1",
		"go test -json ./...":        "go test -json ./...",
		"go test -v=true .":          "go test -v=true .",
		"go test -c ./a":             "go test -c ./a",
		"go test ./... | tee log":    "go test ./... | tee log",
		"go test ./... > log":        "go test ./... > log",
		`test "$(go test .)" = x`:    `test "$(go test .)" = x`,
		"go vet ./... && go test .":  "go vet ./... && go test -v .",
		"echo 'go test'; test -f go": "echo 'go test'; test -f go",
		"go test a && go test b":     "go test -v a && go test -v b",
	} {
		if got := shellline.AddGoTestVerbose(line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// TestExamines_EachLine_SaysWhoseOutputCounts: the output of a command counts if a later one reads it. With pipefail, a
// command whose output is only passed on decides itself.
func TestExamines_EachLine_SaysWhoseOutputCounts(t *testing.T) {
	for line, want := range map[string][2]bool{ // app is examined, judge is fed
		"app > out; judge out":                {true, false},
		"app > out; judge other":              {false, false},
		"app | judge -":                       {true, true},
		"set -o pipefail; app | judge":        {true, true},
		"set -o pipefail; app | tee log":      {false, false},
		"set -o pipefail; app | sort | judge": {true, true},
		"judge <(app)":                        {true, true},
		"judge < out":                         {false, true},
		"echo 42 | judge out":                 {false, false},
		`judge <<< "$(app)"`:                  {true, true},
		"app && judge":                        {false, false},
		"env A=1 timeout 5 app x | judge":     {false, true}, // app with other arguments
		"app > /dev/null; judge /dev/null":    {false, false},
	} {
		judge := []string{"judge"}
		if _, after, ok := strings.Cut(line, "judge "); ok {
			if word := strings.Fields(after)[0]; !strings.ContainsAny(word, "<") {
				judge = append(judge, word)
			} else if strings.HasPrefix(word, "<(") {
				judge = append(judge, "/dev/fd/63")
			}
		}
		got := [2]bool{shellline.Examines(line, []string{"app"}), shellline.Feeds(line, judge)}
		if got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

func TestInlineScripts_OfShells_AreListed(t *testing.T) {
	got := shellline.InlineScripts(`bash -euc 'a | b' && sh check.sh -c no && env X=1 sh -c "c; d"`)
	if !slices.Equal(got, []string{"a | b", "c; d"}) {
		t.Errorf("%q", got)
	}
}
