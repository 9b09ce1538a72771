package trust_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"goalpost/backend/host/sandbox/sandboxtest"
)

var (
	all         = flag.Bool("all", false, "play all cases, and not only the fast ones")
	write       = flag.Bool("write", false, "write dist/trust.md and testdata/known.txt")
	user        = flag.Int("user", 0, "with -all as root: play all cases again as the user with this id")
	resultsPath = flag.String("results", "", "write the results to this file, for the process that started this one")
)

// playedAtOnce is how many cases run at the same time. It is low, because compilers and test runners use all
// processors.
const playedAtOnce = 2

// TestTrust plays the cases. It fails for cases that cannot be played. It also fails for those that end in an
// unexpected way and are not in testdata/known.txt, unless it writes that list.
func TestTrust(t *testing.T) {
	if !*all {
		t.Setenv("HOME", t.TempDir()) // otherwise shells would run the startup files of the user
	}
	cases, err := readScenarios()
	if err != nil {
		t.Fatal(err)
	}
	known := readKnown(t)
	results := make([]result, len(cases))
	t.Run("cases", func(t *testing.T) {
		s := openStage(t)
		slots := make(chan struct{}, playedAtOnce)
		for i, c := range cases {
			if !*all && !c.isFast() {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				r, err := s.play(t.Context(), c)
				if err != nil {
					r.Failed = err.Error()
					t.Error(err)
				}
				results[i] = r
				switch {
				case r.NotRun != "":
					t.Skip("not run: no " + r.NotRun)
				case r.Why != "" && !*write && !slices.Contains(known, c.name):
					t.Errorf("%s, %s: %s\n%s", r.Outcome, r.level(), r.Why, marshal(r))
				default:
					t.Logf("%s, %s (%s %s, %s) %s", r.Outcome, r.level(), r.Status, r.Exit, r.Took, r.Why)
				}
				if r.Why == "" && r.Failed == "" && slices.Contains(known, c.name) {
					t.Logf("it ends as expected now: take it out of testdata/known.txt, or run make trust")
				}
			})
		}
	})
	results = slices.DeleteFunc(results, func(r result) bool { return r.Name == "" })
	if *resultsPath != "" {
		if err := os.WriteFile(*resultsPath, []byte(marshal(results)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !*write {
		return
	}
	if !*all {
		t.Fatal("-write needs -all")
	}
	runs := []run{{User: userName(os.Getuid()), Results: results}}
	if *user != 0 && os.Getuid() == 0 {
		runs = append(runs, run{User: userName(*user), Results: playAs(t, *user)})
	}
	writeKnown(t, runs)
	const dist = "../../../dist"
	if err := os.MkdirAll(dist, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dist, "trust.md"), []byte(formatReport(runs)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCases_AreEnoughAndStrict checks that there are enough cases of every class, and that few honest ones are expected
// to be stopped.
func TestCases_AreEnoughAndStrict(t *testing.T) {
	cases, err := readScenarios()
	if err != nil {
		t.Fatal(err)
	}
	attempts, honest, expectedStops := 0, 0, 0
	classes, names := map[string]int{}, map[string]bool{}
	tried := map[string]map[string]int{} // by rule, with "honest" behind it, and class
	known := readKnown(t)
	for _, c := range cases {
		if isKnown := slices.Contains(known, c.name); c.attack && isKnown && c.comment["remains"] == "" {
			t.Errorf("%s is in testdata/known.txt, and does not say why it remains", c.name)
		}
		if names[c.name] && c.attack {
			t.Errorf("%s is there twice", c.name)
		}
		names[c.name] = true
		key := c.comment["rule"]
		if !c.attack {
			key += " honest"
		}
		if tried[key] == nil {
			tried[key] = map[string]int{}
		}
		tried[key][c.class]++
		if c.attack {
			attempts++
			classes[c.class]++
			continue
		}
		honest++
		if c.expect == stopped {
			expectedStops++
		}
	}
	if attempts < 120 || honest < 40 {
		t.Errorf("there are %d attempts and %d honest changes; 120 and 40 are wanted", attempts, honest)
	}
	if expectedStops > 2 {
		t.Errorf("%d honest changes are expected to be stopped; at most 2 may be", expectedStops)
	}
	for _, rule := range strings.Fields("1 2 3 4 5 6 7 rerun") {
		for _, key := range []string{rule, rule + " honest"} {
			if len(tried[key]) < 3 {
				t.Errorf("rule %s is tried in the classes %v; three are wanted", key, tried[key])
			}
		}
	}
	for _, class := range strings.Fields("sh make just python python-m pytest unittest tox node node-test jest vitest " +
		"mocha npm go cargo java perl ruby curl jq sqlite3 git json http file question visual manual") {
		if classes[class] == 0 {
			t.Errorf("no attempt is of the class %s", class)
		}
	}
}

// readKnown lists the cases that are known to end in an unexpected way.
func readKnown(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/known.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(b))
}

func writeKnown(t *testing.T, runs []run) {
	t.Helper()
	var names []string
	for _, r := range runs {
		for _, c := range r.Results {
			if c.Why != "" {
				names = append(names, c.Name+"\n")
			}
		}
	}
	slices.Sort(names)
	text := strings.Join(slices.Compact(names), "")
	if err := os.WriteFile("testdata/known.txt", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// playAs plays all cases as another user, in a process and a folder of that user.
func playAs(t *testing.T, id int) []result {
	t.Helper()
	dir, err := os.MkdirTemp("", "u-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program, helper := filepath.Join(dir, "trust.test"), filepath.Join(dir, "goalpost-helper")
	copyFile(t, "/proc/self/exe", program)
	copyFile(t, sandboxtest.Helper(t), helper)
	if err := os.CopyFS(filepath.Join(dir, "work", "testdata"), os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, id, id)
	})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "results.json")
	again := exec.CommandContext(t.Context(), program, "-test.run=^TestTrust$", "-test.timeout=60m", "-all",
		"-results="+out)
	again.Dir = filepath.Join(dir, "work")
	again.Env = append(os.Environ(), sandboxtest.Ready+"="+helper, "TMPDIR="+dir, "HOME="+dir, runnersVariable+"="+runners,
		"GOCACHE="+dir+"/go-build", "GOPATH="+dir+"/go", "GOFLAGS=")
	again.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}}
	var text bytes.Buffer
	again.Stdout, again.Stderr = &text, &text
	if err := again.Run(); err != nil {
		t.Logf("as user %d: %v\n%s", id, err, text.Bytes()) // the results tell which cases failed
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatalf("as user %d there are no results: %v\n%s", id, err, text.Bytes())
	}
	var results []result
	if err := json.Unmarshal(b, &results); err != nil {
		t.Fatal(err)
	}
	return results
}

func copyFile(t *testing.T, source, dest string) {
	t.Helper()
	in, err := os.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(dest, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err2 := out.Close(); err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
}
