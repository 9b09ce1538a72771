package cli_test

import (
	"archive/tar"
	"bytes"
	"database/sql" //nolint:depguard // only this test moves the folder of a goal
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/entry/cli"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/storage/config"
)

// Goals of testdata/previous/paused.tar.gz: state folder and work folders that the program of commit 73bf17d left when
// three goals were paused for the user. Their model was a scripted server.
const (
	previousChanged  = "01m8ftzf3rnp7qrgb9zybgw8tv" // its agent changed the protected tests/check.sh
	previousQuestion = "01m8ftzmsnxep4zzbkrprcm7mr" // its agent asked a question; has 228 patterns of new files
	previousApproval = "01m8ftzsjxhy481wje2ff1c93b" // a call waits for an approval
)

// TestPreviousPausedGoals_Resumed_EndVerified lists, shows, answers and resumes goals of the previous version. Their
// models, named in the fixture, continue with play.
func TestPreviousPausedGoals_Resumed_EndVerified(t *testing.T) {
	home := openPreviousPaused(t, func(_ int, r modeltest.Request) modeltest.Answer {
		claim := modeltest.Call("claim_complete", `{"rationale":"it is there"}`)
		turns := map[string][]modeltest.Answer{
			"pushes": {writeCall("result.txt", "5"), claim},
			"publishes": {
				modeltest.Call("run_command", `{"command":"git push --force origin main"}`),
				writeCall("done.txt", "x"), claim,
			},
		}[r.Model]
		return turns[min(turnsSinceResume(r), len(turns)-1)]
	})

	list := string(runIn(t, home, "list"))
	for _, want := range []string{
		"publish the release", "make the total right", "write the result of 2 + 3", "its agent asks you:",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %q:\n%s", want, list)
		}
	}
	var waiting struct {
		Open      []struct{ Request string }              `json:"open"`
		Questions []struct{ GoalID, What, Reason string } `json:"questions"`
	}
	if err := json.Unmarshal(runIn(t, home, "approvals", "--json"), &waiting); err != nil {
		t.Fatal(err)
	}
	if len(waiting.Open) != 1 || waiting.Open[0].Request != "a1" || len(waiting.Questions) != 2 {
		t.Errorf("waiting for the user: %+v", waiting)
	}
	if got := string(runIn(t, home, "providers", "list")); !strings.Contains(got, "office") {
		t.Errorf("the providers lack office:\n%s", got)
	}
	if got := string(runIn(t, home, "show", previousChanged)); !strings.Contains(got, "todo 1: [ ] write the result") {
		t.Errorf("the plan is missing:\n%s", got)
	}

	code, _, said := goalctl(t, home, "resume", previousChanged)
	if code == 0 || !strings.Contains(said, "tests/check.sh") {
		t.Errorf("resumed without a decision about the changed file: exit %d\n%s", code, said)
	}
	runIn(t, home, "resume", previousChanged, "--restore-protected", "--note", "continue")
	checkVerified(t, home, previousChanged)
	if b, err := os.ReadFile(filepath.Join(home, "work", "result", "tests", "check.sh")); err != nil ||
		!strings.Contains(string(b), "result.txt") {
		t.Errorf("tests/check.sh was not restored: %q %v", b, err)
	}

	runIn(t, home, "approve", previousApproval, "a1")
	checkVerified(t, home, previousApproval)
	if got := string(runIn(t, home, "events", previousApproval)); !strings.Contains(got, `"grant":"a1"`) {
		t.Errorf("no call used the approval:\n%s", got)
	}
}

// TestPreviousPausedGoal_NewFileReplacesTheJudge_IsTampered covers the protection of a goal of the previous version.
// That version stored patterns of new files that it refused, such as difflib.py, which Python would load instead of its
// own module. The present version ignores the patterns, and sees in the trace of the check which files decide.
func TestPreviousPausedGoal_NewFileReplacesTheJudge_IsTampered(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("the check of this goal needs python3")
	}
	answers := []modeltest.Answer{
		writeCall("difflib.py", "import os\nos.write(2, b'Ran 1 test in 0.001s\\n\\nOK\\n')\nos._exit(0)\n"),
		modeltest.Call("claim_complete", `{"rationale":"the test passes"}`),
	}
	home := openPreviousPaused(t, func(_ int, r modeltest.Request) modeltest.Answer {
		return answers[min(turnsSinceResume(r), len(answers)-1)]
	})
	code, out, said := goalctl(t, home, "resume", previousQuestion, "--note", "no")
	if code != 5 || !strings.Contains(out, "difflib.py") {
		t.Fatalf("a claim with a file that ends the judge: exit %d\n%s\n%s", code, out, said)
	}

	answers[0] = writeCall("total.py", "def total(a, b):\n    return a + b\n")
	if code, out, said = goalctl(t, home, "resume", previousQuestion, "--restore-protected"); code != 0 {
		t.Fatalf("exit %d\n%s\n%s", code, out, said)
	}
	checkVerified(t, home, previousQuestion)
	if _, err := os.Stat(filepath.Join(home, "work", "total", "difflib.py")); !errors.Is(err, os.ErrNotExist) {
		t.Error("difflib.py was left in the folder")
	}
}

// writeCall is an answer that writes a file.
func writeCall(path, content string) modeltest.Answer {
	return modeltest.Call("write_file", map[string]string{"path": path, "content": content})
}

// turnsSinceResume counts the answers of the model since the run began.
func turnsSinceResume(r modeltest.Request) (n int) {
	for _, m := range r.Messages {
		switch m.Role {
		case goal.Assistant:
			n++
		case goal.User:
			n = 0
		default:
		}
	}
	return n
}

// checkVerified fails unless a goal is completed and verified, and its checks pass again.
func checkVerified(t *testing.T, home, id string) {
	t.Helper()
	var shown struct {
		Status   goal.Status `json:"status"`
		Verified bool        `json:"verified"`
	}
	if err := json.Unmarshal(runIn(t, home, "show", "--json", id), &shown); err != nil {
		t.Fatal(err)
	}
	if shown.Status != goal.Completed || !shown.Verified {
		t.Errorf("goal %s is %+v", id, shown)
	}
	runIn(t, home, "receipt", "--verify", id)
}

// openPreviousPaused unpacks the fixture into a new data folder, adapts its paths, and lets the provider answer with
// play.
func openPreviousPaused(t *testing.T, play modeltest.Script) (home string) {
	t.Helper()
	home = t.TempDir()
	t.Setenv("GOALPOST_HELPER", sandboxtest.Helper(t))
	t.Setenv("HOME", home)
	archive := tar.NewReader(bytes.NewReader(readGzip(t, "testdata/previous/paused.tar.gz")))
	for {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(home, filepath.FromSlash(entry.Name))
		if entry.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o700)
		} else {
			var b []byte
			if b, err = io.ReadAll(archive); err == nil {
				err = os.WriteFile(path, b, entry.FileInfo().Mode().Perm())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	settings := filepath.Join(home, "state", "settings.json")
	b, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	server := modeltest.New(t, play)
	b = bytes.ReplaceAll(b, []byte("http://127.0.0.1:18765/v1"), []byte(server.URL))
	if err := os.WriteFile(settings, b, 0o600); err != nil {
		t.Fatal(err)
	}
	moveGoals(t, filepath.Join(home, "state", "goalpost.db"), filepath.Join(home, "work"))
	runIn(t, home, "doctor") // migrates the database, as the first start does
	return home
}

// moveGoals replaces the folder of each goal, which the database holds as a frozen absolute path.
func moveGoals(t *testing.T, database, work string) {
	t.Helper()
	db, err := sql.Open("sqlite3", database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var trigger string
	err = db.QueryRowContext(t.Context(), "SELECT sql FROM sqlite_master WHERE name = 'goals_frozen'").Scan(&trigger)
	if err != nil {
		t.Fatal(err)
	}
	statements := [][]any{{"DROP TRIGGER goals_frozen"}}
	for id, name := range map[string]string{
		previousChanged: "result", previousQuestion: "total", previousApproval: "release",
	} {
		p := policy.Policy{Risk: policy.WriteLocal, Dir: filepath.Join(work, name)}
		sum, err := goal.Hash(p)
		if err != nil {
			t.Fatal(err)
		}
		statements = append(statements, []any{
			"UPDATE goals SET policy = json_set(policy, '$.dir', ?), policy_sha256 = ? WHERE id = ?", p.Dir, sum, id,
		})
	}
	for _, s := range append(statements, []any{trigger}) {
		if _, err := db.ExecContext(t.Context(), s[0].(string), s[1:]...); err != nil {
			t.Fatal(err)
		}
	}
}

// goalctl runs a command on a data folder and returns its exit code with both outputs.
func goalctl(t *testing.T, home string, args ...string) (code int, out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := cli.Program{
		Name:    "goalctl",
		Version: "test",
		Getenv: func(name string) string {
			if name == config.HomeVariable {
				return home
			}
			return os.Getenv(name)
		},
		Stdout:  &stdout,
		Stderr:  &stderr,
		Closing: defaultCloseWait,
	}
	code = p.Run(t.Context(), args)
	return code, stdout.String(), stderr.String()
}
