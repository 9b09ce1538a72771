package verify_test

import (
	"os"
	"strings"
	"testing"

	"goalpost/backend/core/verify"
	"goalpost/backend/domain/goal"
)

// TestCriterion_Runs_FindsFlakyChecks: a command has to pass as often in a row as the criterion wants. The state of the
// flaky check is outside of the goal's folder, as a clock or a port would be.
func TestCriterion_Runs_FindsFlakyChecks(t *testing.T) {
	for _, c := range []struct {
		name, command string
		runs          int
		outcome       goal.Outcome
		detail        string
		starts        int
	}{
		{"once", "fails from the third run on", 0, goal.Pass, "exit 0", 1},
		{"twice", "fails from the third run on", 2, goal.Pass, "passed 2 times in a row", 2},
		{"three times", "fails from the third run on", 3, goal.CheckErr, "flaky: it passed, but not in run 3", 3},
		{"always fails", "exited with 1", 3, goal.Fail, "exited with 1", 0},
		{"changes the folder", "mkdir made && echo made it", 2, goal.CheckErr, "the folder changed in between", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := host(t)
			var err error
			h.Folder, err = verify.OpenFolderState(t.Context(), verify.Options{Dir: h.Environment.Dir, Private: t.TempDir()})
			must(t, err)
			counter := t.TempDir() + "/n"
			command := strings.Replace(c.command, "fails from the third run on",
				"echo x >> "+counter+"; echo run $(wc -l < "+counter+"); test $(wc -l < "+counter+") -lt 3", 1)
			var v goal.Verdict
			g := goal.Goal{Request: goal.Request{Criterion: goal.Criterion{Checks: []goal.Check{shell(command)}, Runs: c.runs}}}
			_, err = h.DecideClaim(t.Context(), g, goal.Claim{}, func(is goal.Verdict) error {
				v = is
				return nil
			})
			must(t, err)
			if v.Outcome != c.outcome || !strings.Contains(v.Detail, c.detail) {
				t.Errorf("%s: %s", v.Outcome, v.Detail)
			}
			if n, err := os.ReadFile(counter); c.starts > 0 && (err != nil || strings.Count(string(n), "x") != c.starts) {
				t.Errorf("it ran %q times, %v", n, err)
			}
			if c.runs == 3 && c.outcome == goal.CheckErr &&
				(!strings.Contains(v.Tail, "run 2") || !strings.Contains(v.Tail, "run 3") ||
					!strings.Contains(v.Detail, "the files are the same")) {
				t.Errorf("both outputs are wanted: %s\n%s", v.Detail, v.Tail)
			}
		})
	}
}
