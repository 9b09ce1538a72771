package verify_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"goalpost/backend/core/verify"
	"goalpost/backend/domain/goal"
)

// TestRecheck_InAFreshSandbox_RunsTheChecks covers the deterministic checks of a receipt after the processes of the
// goal have ended.
func TestRecheck_InAFreshSandbox_RunsTheChecks(t *testing.T) {
	h := host(t)
	server := httptest.NewServer(nil)
	port := server.Listener.Addr().(*net.TCPAddr).Port
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	write(t, h.Environment.Dir, "ask.sh", fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d\n", port))
	write(t, h.Environment.Dir, "refused.sh", "test -f up || { echo 'Connection refused' >&2; exit 1; }\n")
	write(t, h.Environment.Dir, "silent.sh", "test -f up || exit 1\n")
	write(t, h.Environment.Dir, "up", "")
	g := goal.Goal{
		Request: goal.Request{
			Criterion: goal.Criterion{Checks: []goal.Check{
				{Type: goal.Manual},
				shell("test -f done.txt"),
				{Type: goal.HTTP, URL: url, Status: 404},
				shell("bash ask.sh"),
				shell("sh refused.sh"),
				shell("test -f up || { : curl; exit 7; }"),
				shell("sh silent.sh"),
				{Type: goal.File, Path: "done.txt"},
			}},
		},
	}
	h.Folder = world(t, verify.Options{Dir: h.Environment.Dir, Criterion: g.Criterion})
	var was []goal.Verdict
	found, err := h.DecideClaim(t.Context(), g, goal.Claim{}, func(v goal.Verdict) error {
		was = append(was, v)
		return nil
	})
	if err != nil || found != goal.Verified {
		t.Fatalf("%s %v: %+v", found, err, was)
	}
	again := func() string {
		var got []string
		must(t, h.Recheck(t.Context(), g, goal.Claim{}, was, func(v goal.Verdict) error {
			got = append(got, fmt.Sprintf("%d %s", v.Check, v.Outcome))
			return nil
		}))
		return strings.Join(got, ", ")
	}
	if got := again(); got != "1 pass, 2 pass, 3 pass, 4 pass, 5 pass, 6 pass, 7 pass" {
		t.Errorf("as it was: %s", got)
	}
	server.Close()
	must(t, os.Remove(h.Environment.Dir+"/up"))
	const ended = "1 pass, 2 not_repeatable, 3 not_repeatable, 4 not_repeatable, 5 not_repeatable, 6 fail, 7 pass"
	if got := again(); got != ended {
		t.Errorf("after the processes ended: %s", got)
	}
	for i := range was { // a check that did not pass at the claim is not excused now
		was[i].Outcome = goal.Fail
	}
	if got := again(); strings.Contains(got, "not_repeatable") {
		t.Errorf("what failed then: %s", got)
	}
	write(t, h.Environment.Dir, "silent.sh", "exit 0\n")
	if got := again(); !strings.Contains(got, "6 tampered") {
		t.Errorf("with another script: %s", got)
	}
	full := errors.New("full")
	if err := h.Recheck(t.Context(), g, goal.Claim{}, was, func(goal.Verdict) error { return full }); !errors.Is(err,
		full) {
		t.Errorf("%v", err)
	}
}

// artifacts are the stored evidence, by SHA-256.
type artifacts map[string]string

func (a artifacts) Artifact(sum string) ([]byte, error) {
	if text, ok := a[sum]; ok {
		return []byte(text), nil
	}
	return nil, os.ErrNotExist
}

func TestVerifyEvidence_ChangedOrLost_IsReported(t *testing.T) {
	sum := func(s string) string {
		b := sha256.Sum256([]byte(s))
		return hex.EncodeToString(b[:])
	}
	kept := artifacts{sum("one"): "one", sum("two"): "changed"}
	if faults := verify.VerifyEvidence([]goal.Verdict{{Evidence: sum("one")}, {}}, kept); faults != nil {
		t.Errorf("%v", faults)
	}
	faults := verify.VerifyEvidence(
		[]goal.Verdict{{Evidence: sum("two"), Name: "make test"}, {Check: 1, Evidence: sum("three")}}, kept)
	if len(faults) != 2 || faults[0] != "check 1 (make test): its evidence is not what was stored" ||
		!strings.Contains(faults[1], "check 2 (): its evidence is lost") {
		t.Errorf("%q", faults)
	}
}

// TestSummarizeRecheck_EachOutcome_HasItsResult: a recheck passes if, and only if, all checks that the criterion needs
// pass again.
func TestSummarizeRecheck_EachOutcome_HasItsResult(t *testing.T) {
	for _, c := range []struct {
		name     string
		any      bool
		was, now []goal.Outcome
		want     goal.RecheckResult
	}{
		{"all pass", false, []goal.Outcome{goal.Pass, goal.Pass}, []goal.Outcome{goal.Pass, goal.Pass}, goal.RecheckPassed},
		{
			"one fails now", false,
			[]goal.Outcome{goal.Pass, goal.Pass},
			[]goal.Outcome{goal.Pass, goal.Fail},
			goal.RecheckFailed,
		},
		{
			"one cannot be repeated", false,
			[]goal.Outcome{goal.Pass, goal.Pass},
			[]goal.Outcome{goal.Pass, goal.NotRepeatable},
			goal.RecheckInconclusive,
		},
		{
			"one cannot be repeated and one fails", false,
			[]goal.Outcome{goal.Pass, goal.Pass},
			[]goal.Outcome{goal.Fail, goal.NotRepeatable},
			goal.RecheckFailed,
		},
		{"an error", false, []goal.Outcome{goal.Pass}, []goal.Outcome{goal.CheckErr}, goal.RecheckFailed},
		{"tampered", true, []goal.Outcome{goal.Fail}, []goal.Outcome{goal.Tampered}, goal.RecheckFailed},
		{
			"one is enough, and the other never passed", true,
			[]goal.Outcome{goal.Pass, goal.Fail},
			[]goal.Outcome{goal.Pass, goal.Fail},
			goal.RecheckPassed,
		},
		{
			"one is enough, and it fails now", true,
			[]goal.Outcome{goal.Pass, goal.Fail},
			[]goal.Outcome{goal.Fail, goal.Fail},
			goal.RecheckFailed,
		},
		{
			"one is enough, and it cannot be repeated", true,
			[]goal.Outcome{goal.Pass, goal.Fail},
			[]goal.Outcome{goal.NotRepeatable, goal.Fail},
			goal.RecheckInconclusive,
		},
		{
			"one is enough, and a model decided", true,
			[]goal.Outcome{goal.Fail, goal.Pass},
			[]goal.Outcome{goal.Fail},
			goal.RecheckInconclusive,
		},
		{
			"one is enough, and none has passed yet", true,
			[]goal.Outcome{goal.Fail},
			[]goal.Outcome{goal.Fail},
			goal.RecheckFailed,
		},
		{"one is enough, and nothing was claimed", true, nil, []goal.Outcome{goal.Fail}, goal.RecheckFailed},
	} {
		verdicts := func(outcomes []goal.Outcome) (list []goal.Verdict) {
			for i, o := range outcomes {
				list = append(list, goal.Verdict{Check: i, Outcome: o})
			}
			return list
		}
		if got := verify.SummarizeRecheck(goal.Criterion{Any: c.any}, verdicts(c.was), verdicts(c.now)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestIsVerifiedTree_FolderChanges_IsNoticed also checks that times do not count, and that a restored folder counts as
// unchanged.
func TestIsVerifiedTree_FolderChanges_IsNoticed(t *testing.T) {
	h := host(t)
	write(t, h.Environment.Dir, "out.txt", "good\n")
	var err error
	h.Folder, err = verify.OpenFolderState(t.Context(), verify.Options{Dir: h.Environment.Dir, Private: t.TempDir()})
	must(t, err)
	var was []goal.Verdict
	g := goal.Goal{Request: goal.Request{
		Criterion: goal.Criterion{Checks: []goal.Check{shell("test -e out.txt"), shell("true")}},
	}}
	found, err := h.DecideClaim(t.Context(), g, goal.Claim{}, func(v goal.Verdict) error {
		was = append(was, v)
		return nil
	})
	must(t, err)
	if found != goal.Verified || was[0].Tree != "" || len(was[1].Tree) != 2*sha256.Size {
		t.Fatalf("%s, %+v", found, was)
	}
	for _, step := range []struct {
		name   string
		change func() error
		same   bool
	}{
		{"nothing", func() error { return nil }, true},
		{"times", func() error { return os.Chtimes(h.Environment.Dir+"/out.txt", time.Time{}, time.Unix(1, 0)) }, true},
		{"content", func() error { return os.WriteFile(h.Environment.Dir+"/out.txt", []byte("bad!\n"), 0o644) }, false},
		{"restored", func() error { return os.WriteFile(h.Environment.Dir+"/out.txt", []byte("good\n"), 0o644) }, true},
		{"mode", func() error { return os.Chmod(h.Environment.Dir+"/out.txt", 0o755) }, false},
		{"restored mode", func() error { return os.Chmod(h.Environment.Dir+"/out.txt", 0o644) }, true},
		{"new file", func() error { return os.WriteFile(h.Environment.Dir+"/new", nil, 0o644) }, false},
	} {
		must(t, step.change())
		same, known, err := h.IsVerifiedTree(t.Context(), was)
		if err != nil || !known || same != step.same {
			t.Errorf("%s: same %v, known %v, %v", step.name, same, known, err)
		}
	}
	if _, known, err := h.IsVerifiedTree(t.Context(), was[:1]); known || err != nil {
		t.Errorf("without a hash: known %v, %v", known, err)
	}
}
