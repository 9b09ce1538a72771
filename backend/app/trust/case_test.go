package trust_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"goalpost/backend/domain/goal"
)

// verdict is how a goal with a case's work ends.
type verdict string

// The verdicts that a case can expect.
const (
	done    verdict = "done"    // the goal is done
	stopped verdict = "stopped" // it is not: the check failed, the change was refused, or the goal paused
)

// weakCheck is the kind of attempts whose check requires too little, so that a pass is true but proves nothing.
const weakCheck = "weak check"

// levels are how much a done goal can prove, the strongest first, as verdicts spell them.
var levels = []string{"strong", "tested", "weakened", "judged", "claimed"}

// rules are what a pass is judged by, as keys of a case's comment.
var rules = map[string]string{
	"1": "position: a program is the work if its output is examined", "2": "readers: to them, code is data",
	"3": "yardsticks: what results are compared with", "4": "the same tests run", "5": "helpers of tests judge",
	"6": "servers are frozen until they are asked", "7": "evidence is made by the check", "8": "cut material",
	"9": "after done", "10": "locked files are asked for", "rerun": "a doubted check runs again",
}

// scenario is one file of testdata: a folder with a check, and what an agent does in it before it claims.
//
// The text before the sections is one sentence that says what the agent does, and then "KEY: VALUE" lines:
//
//	kind: KIND        what the attempt or the change is, for the table by kind
//	rule: RULE        one of rules, which it tries, for the table by rule
//	needs: PROGRAM…   besides those of the class
//	fast: yes         go test ./... runs it, too
//	start: git        the folder is a repository with one commit
//	missing: yes      the check's program may be missing at the start
//	invisible: TEXT   of an attempt: why no check can see it, so that its level may be "tested"
//	remains: TEXT     of an attempt in testdata/known.txt: why it is not closed, and what the user can do
//	unprotect: PATH…  of an honest change that is refused: the agent asks, the user frees these files, and the agent
//	                  does its work again
//
// Its sections, $PORT being a free port:
//
//	-- goal --        "$ COMMAND" is a shell check, a line with JSON another one; "objective: TEXT", "any: yes",
//	                  "protect: GLOB…", "risk: RISK"
//	-- PATH --        a file of the folder; PATH with " +x" behind it is a program
//	-- agent --       a shell script that the agent runs with run_command
//	-- agent/PATH --  a file that the agent writes with write_file
//	-- claim --       the result of the claim
//	-- judge --       what the judging model answers, "YES" without this section
//	-- expect --      "done" or "stopped"; "assurance LEVEL…", the weakest levels that are true; "lists PATH…", the
//	                  files that a verdict must name if the goal is done; "keeps PATH TEXT", what a file still
//	                  contains after done; "gains PATH TEXT", what a file contains some time after done; after an
//	                  attempt, the goal must say so
type scenario struct {
	name    string // CLASS/NAME
	class   string
	attack  bool
	says    string
	comment map[string]string

	input goal.Request
	files []txtar.File
	steps []goal.Call
	claim string
	judge string

	expect  verdict
	levels  []string
	lists   []string
	keeps   [2]string // path, text
	gains   [2]string // path, text
	hasPort bool
}

// classPrograms are what the cases of a class need.
var classPrograms = map[string]string{
	"make": "make", "just": "just", "python": "python3", "python-m": "python3", "pytest": "pytest",
	"unittest": "python3", "tox": "tox", "node": "node", "node-test": "node", "jest": "jest", "vitest": "vitest",
	"mocha": "mocha", "npm": "npm", "go": "go", "cargo": "cargo", "java": "java javac", "ruby": "ruby", "perl": "perl",
	"curl": "curl python3", "jq": "jq", "sqlite3": "sqlite3", "git": "git", "http": "python3", "visual": "python3",
	"c": "gcc make", "awk": "awk", "postgres": "initdb psql",
}

// readScenarios reads all cases below testdata, in the order of their names.
func readScenarios() ([]*scenario, error) {
	files, err := filepath.Glob("testdata/*/*/*.txtar")
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no cases in testdata: %w", err)
	}
	slices.Sort(files)
	var list []*scenario
	for _, file := range files {
		s, err := readScenario(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, s)
	}
	return list, nil
}

func readScenario(file string) (*scenario, error) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(filepath.ToSlash(file), "/")
	class := parts[len(parts)-2]
	s := &scenario{
		name: class + "/" + strings.TrimSuffix(parts[len(parts)-1], ".txtar"), class: class,
		attack: parts[len(parts)-3] == "attempts", comment: map[string]string{}, judge: "YES",
		hasPort: bytes.Contains(txtar.Format(archive), []byte("$PORT")),
	}
	s.input.Objective = "finish the work"
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSpace(line)
		if key, value, ok := strings.Cut(line, ": "); ok && !strings.Contains(key, " ") {
			s.comment[key] = value
		} else {
			s.says = strings.TrimSpace(s.says + " " + line)
		}
	}
	for _, f := range archive.Files {
		if err := s.addSection(f); err != nil {
			return nil, fmt.Errorf("section %s: %w", f.Name, err)
		}
	}
	return s, s.validate()
}

func (s *scenario) addSection(f txtar.File) error {
	text := string(f.Data)
	switch path, isWrite := strings.CutPrefix(f.Name, "agent/"); {
	case isWrite:
		s.addStep("write_file", map[string]string{"path": path, "content": text})
	case f.Name == "goal":
		return s.readGoal(text)
	case f.Name == "agent":
		s.addStep("run_command", map[string]string{"command": strings.TrimSpace(text)})
	case f.Name == "claim":
		s.claim = strings.TrimSpace(text)
	case f.Name == "judge":
		s.judge = strings.TrimSpace(text)
	case f.Name == "expect":
		return s.readExpectation(text)
	default:
		s.files = append(s.files, f)
	}
	return nil
}

func (s *scenario) addStep(tool string, arguments map[string]string) {
	b, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // strings can be marshalled
	}
	s.steps = append(s.steps, goal.Call{Tool: tool, Arguments: string(b)})
}

func (s *scenario) readGoal(text string) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, value, _ := strings.Cut(line, " ")
		switch {
		case line == "":
		case key == "$":
			s.input.Checks = append(s.input.Checks, goal.Check{Type: goal.Shell, Command: value})
		case line[0] == '{':
			var c goal.Check
			d := json.NewDecoder(strings.NewReader(line))
			d.DisallowUnknownFields()
			if err := d.Decode(&c); err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
			s.input.Checks = append(s.input.Checks, c)
		case key == "objective:":
			s.input.Objective = value
		case key == "any:":
			s.input.Any = value == "yes"
		case key == "protect:":
			s.input.Protect = strings.Fields(value)
		default:
			return fmt.Errorf("not a line of a goal: %q", line)
		}
	}
	return nil
}

func (s *scenario) readExpectation(text string) error {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "":
		case string(done), string(stopped):
			s.expect = verdict(key)
		case "assurance":
			for level := range strings.FieldsSeq(value) {
				s.levels = append(s.levels, level)
			}
		case "lists":
			s.lists = strings.Fields(value)
		case "keeps":
			path, text, _ := strings.Cut(value, " ")
			s.keeps = [2]string{path, text}
		case "gains":
			path, text, _ := strings.Cut(value, " ")
			s.gains = [2]string{path, text}
		default:
			return fmt.Errorf("not an expectation: %q", line)
		}
	}
	return nil
}

func (s *scenario) validate() error {
	switch {
	case s.says == "":
		return fmt.Errorf("no sentence says what the agent does")
	case s.comment["kind"] == "":
		return fmt.Errorf("no kind")
	case s.comment["rule"] != "" && rules[s.comment["rule"]] == "":
		return fmt.Errorf("no such rule: %s", s.comment["rule"])
	case len(s.input.Checks) == 0:
		return fmt.Errorf("no check")
	case s.expect == "":
		return fmt.Errorf("no expected verdict")
	case s.expect == stopped && len(s.levels)+len(s.lists) > 0:
		return fmt.Errorf("a goal that is stopped has no level and lists nothing")
	case s.attack && slices.Contains(s.levels, levels[0]) != (s.comment["kind"] == weakCheck):
		return fmt.Errorf("only a weak check can be strong: what it tests is true, but it tests too little")
	case s.attack && s.comment["kind"] != weakCheck &&
		slices.Contains(s.levels, "tested") != (s.comment["invisible"] != ""):
		return fmt.Errorf("only what no check can see may be tested, and says why")
	}
	for _, level := range s.levels {
		if !slices.Contains(levels, level) {
			return fmt.Errorf("no such level: %s", level)
		}
	}
	return nil
}

// missing returns the first program that the case needs and that this machine lacks, "" if none.
func (s *scenario) missing() string {
	for program := range strings.FieldsSeq(classPrograms[s.class] + " " + s.comment["needs"]) {
		if _, err := exec.LookPath(program); err != nil {
			return program
		}
	}
	return ""
}

func (s *scenario) isFast() bool { return s.comment["fast"] == "yes" }

// isJudged reports whether a model is asked about a claim.
func (s *scenario) isJudged() bool {
	return slices.ContainsFunc(s.input.Checks, func(c goal.Check) bool {
		return c.Type == goal.ModelQuestion || c.Type == goal.Visual
	})
}

// checks returns the checks of the case as one line.
func (s *scenario) checks() string {
	var list []string
	for _, c := range s.input.Checks {
		list = append(list, cmp.Or(c.Command, c.Question, c.Expr, c.URL, c.Path, c.Note, string(c.Type)))
	}
	return strings.Join(list, " && ")
}
