package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/goalsandbox"
)

// TestRerun_ChangedJudges_AreAsAtTheStart: a script that pre-flight did not reach is not protected. The verdict is
// tampered only if the pass depends on its change, and says how the check ends with the original script.
func TestRerun_ChangedJudges_AreAsAtTheStart(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	for _, c := range []struct {
		name, deep, work string
		noRerun          bool
		outcome          goal.Outcome
		detail, rerun    string
	}{
		{
			"it hides that the work is wrong", "exit 0\n", "bad", false, goal.Tampered,
			"it does not pass with deep.sh as at the start: exited with 1", "it does not pass with deep.sh as at the start",
		},
		{
			"it was not needed", "grep -q good work # once\n", "good", false, goal.Pass, "exit 0",
			"it also passes with deep.sh as at the start",
		},
		{
			"it may have been needed", "grep -q good work # once\n", "good", true, goal.Tampered,
			"deep.sh (changed, script)", "",
		},
	} {
		in := policy.Policy{Risk: policy.WriteLocal}
		in.Dir = t.TempDir()
		writeIn := func(name, content string) {
			must(t, os.WriteFile(filepath.Join(in.Dir, name), []byte(content), 0o644))
		}
		writeIn("check.sh", "[ -f work ] || exit 1\nsh deep.sh\n")
		writeIn("deep.sh", "grep -q good work\n")
		must(t, p.app.OpenTrialSandbox(t.Context(), in, func(w *goalsandbox.TrialSandbox) error {
			h := verify.CheckRunner{
				Environment: check.Environment{Launcher: w.Inside, Env: w.CheckEnv, Dir: w.Dir, Sandboxed: true},
			}
			check := goal.Check{Type: goal.Shell, Command: "sh check.sh", TimeoutMS: late.Milliseconds(), NoRerun: c.noRerun}
			criterion := goal.Criterion{Checks: []goal.Check{check}}
			before := h.Preflight(t.Context(), check)
			var err error
			h.Folder, err = verify.OpenFolderState(t.Context(), verify.Options{
				Dir: h.Environment.Dir, Private: t.TempDir(), Criterion: criterion,
				Observations: []*goal.Observation{before.Observation},
			})
			must(t, err)
			for name, content := range map[string]string{"deep.sh": c.deep, "work": c.work} {
				must(t, os.WriteFile(filepath.Join(h.Environment.Dir, name), []byte(content), 0o644))
			}
			var v goal.Verdict
			_, err = h.DecideClaim(
				t.Context(),
				goal.Goal{Request: goal.Request{Criterion: criterion}},
				goal.Claim{},
				func(is goal.Verdict) error {
					v = is
					return nil
				},
			)
			must(t, err)
			rerun := ""
			if len(v.Reruns) > 0 {
				rerun = v.Reruns[0].Describe()
			}
			if v.Outcome != c.outcome || !strings.Contains(v.Detail, c.detail) || rerun != c.rerun ||
				c.outcome == goal.Pass && !v.Assurance.AtLeast(goal.Tested) {
				t.Errorf("%s: %s, %q, %+v, %+v", c.name, v.Outcome, v.Detail, v.Proof, v.Reruns)
			}
			text, err := os.ReadFile(filepath.Join(h.Environment.Dir, "deep.sh"))
			must(t, err)
			if string(text) != c.deep {
				t.Errorf("%s: the folder holds %q: a second run changes nothing in it", c.name, text)
			}
			return nil
		}))
	}
}
