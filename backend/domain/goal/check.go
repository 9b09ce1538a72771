package goal

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"goalpost/backend/lib/text"
)

// CheckType says who decides a check, and how.
type CheckType string

// The check types. A deterministic check is decided by a program, a judgement by a model or a user.
const (
	Shell         CheckType = "shell"
	HTTP          CheckType = "http"
	File          CheckType = "file"
	JSONPredicate CheckType = "json_predicate"
	Visual        CheckType = "visual"
	ModelQuestion CheckType = "model_question"
	Manual        CheckType = "manual"
)

// IsDeterministic reports whether a program decides.
func (c CheckType) IsDeterministic() bool {
	return c == Shell || c == HTTP || c == File || c == JSONPredicate
}

// Source says where the response of a json_predicate comes from.
type Source string

// The sources.
const (
	FromClaim   Source = "claim" // the result that claim_complete gave
	FromFile    Source = "file"
	FromCommand Source = "command"
	FromURL     Source = "url"
)

// Threshold says how sure a judge must be.
type Threshold string

// The thresholds. RequireHighConfidence asks twice, independently; both answers must be yes.
const (
	RequireYes            Threshold = "yes"
	RequireHighConfidence Threshold = "high_confidence"
)

// RunOutsideWarning explains the risk of a check that runs on the host.
const RunOutsideWarning = "A check runs outside the sandbox (where: host). Code that the agent wrote then runs with " +
	"your own rights: your files, your network, your logins."

// Check is one typed test that the host runs. Fields of other check types are empty.
type Check struct {
	Type      CheckType `json:"type"`
	TimeoutMS int64     `json:"timeout_ms,omitempty"` // 0 means 120 s

	Command  string `json:"command,omitempty"`   // shell: run by sh -c; json_predicate from a command
	ExitCode int    `json:"exit_code,omitempty"` // shell: the wanted exit code
	Dir      string `json:"dir,omitempty"`       // shell: relative to the goal's folder
	// shell: "" is the goal's sandbox, "host" this machine, "ssh:NAME" a server of the user. Only a user sets it.
	Where string `json:"where,omitempty"`
	// shell: a doubted pass does not run again with the files of the start.
	NoRerun bool `json:"no_rerun,omitempty"`

	URL          string `json:"url,omitempty"`           // http, visual; json_predicate from a URL
	Method       string `json:"method,omitempty"`        // http: "" is GET
	Status       int    `json:"status,omitempty"`        // http: 0 is 200
	BodyContains string `json:"body_contains,omitempty"` // http
	Predicate    string `json:"predicate,omitempty"`     // http: an expression over response, as Expr

	Path    string `json:"path,omitempty"`     // file: relative to the goal's folder; json_predicate from a file
	Absent  bool   `json:"absent,omitempty"`   // file: it must not exist
	MinSize int64  `json:"min_size,omitempty"` // file: bytes
	SHA256  string `json:"sha256,omitempty"`   // file: hex
	Matches string `json:"matches,omitempty"`  // file: a regular expression (RE2) that the text has to match

	Expr string `json:"expr,omitempty"` // json_predicate: JavaScript over response
	From Source `json:"from,omitempty"` // json_predicate: "" is claim

	Question  string    `json:"question,omitempty"`  // model_question, visual
	Threshold Threshold `json:"threshold,omitempty"` // model_question: "" is yes
	// visual: the pane whose page is checked. Without a pane and a URL, it is the goal's newest page.
	Pane  string `json:"pane,omitempty"`
	Whole bool   `json:"whole,omitempty"` // visual: the whole page, and not only its first screen

	Note string `json:"note,omitempty"` // manual: what the user has to check
	Wait bool   `json:"wait,omitempty"` // manual: the goal pauses until the user accepts
}

// DefaultCheckTimeout applies to checks without a timeout.
const DefaultCheckTimeout = 120 * time.Second

// Timeout returns how long the host waits for the check.
func (c Check) Timeout() time.Duration {
	if c.TimeoutMS <= 0 {
		return DefaultCheckTimeout
	}
	return time.Duration(c.TimeoutMS) * time.Millisecond
}

// WantStatus returns the HTTP status that an http check expects.
func (c Check) WantStatus() int { return cmp.Or(c.Status, 200) }

// Name returns the short form for lists.
func (c Check) Name() string {
	switch c.Type {
	case Shell:
		return strings.TrimSpace(c.Command)
	case HTTP:
		return strings.TrimSpace(c.Method + " " + c.URL)
	case File:
		return c.Path
	case JSONPredicate:
		return c.Expr
	case Visual, ModelQuestion:
		return c.Question
	case Manual:
		return cmp.Or(c.Note, "a user's word")
	}
	return string(c.Type)
}

// Describe returns a sentence for the model, the critic, the user and the receipt.
func (c Check) Describe() string {
	switch c.Type {
	case Shell:
		return c.describeShell()
	case HTTP:
		return c.describeHTTP()
	case File:
		return c.describeFile()
	case JSONPredicate:
		return fmt.Sprintf("the expression `%s` is true of %s", c.Expr, c.describeSource())
	case Visual:
		return fmt.Sprintf("a vision model that looks at %s says PASS to %q", c.describePage(), c.Question)
	case ModelQuestion:
		s := fmt.Sprintf("a strict judge that sees the evidence answers YES to %q", c.Question)
		if c.Threshold == RequireHighConfidence {
			s += ", twice and independently"
		}
		return s
	case Manual:
		if c.Wait {
			return fmt.Sprintf("the user accepts the result (%s)", c.Name())
		}
		return fmt.Sprintf("the agent's claim is accepted unchecked, and the goal is marked as not verified by the host (%s)",
			c.Name())
	}
	return string(c.Type)
}

func (c Check) describeShell() string {
	s := fmt.Sprintf("the command `%s` exits with %d", c.Command, c.ExitCode)
	if c.Dir != "" {
		s += " in " + c.Dir
	}
	if server, ok := c.Server(); ok {
		s += " on the server " + server
	} else if c.Where != "" {
		s += " on " + c.Where
	}
	return s
}

func (c Check) describeHTTP() string {
	s := fmt.Sprintf("%s %s answers %d", cmp.Or(c.Method, "GET"), c.URL, c.WantStatus())
	if c.BodyContains != "" {
		s += fmt.Sprintf(" with %q in its body", c.BodyContains)
	}
	if c.Predicate != "" {
		s += fmt.Sprintf(" and `%s` is true of it", c.Predicate)
	}
	return s
}

func (c Check) describeFile() string {
	if c.Absent {
		return fmt.Sprintf("the file %s does not exist", c.Path)
	}
	s := fmt.Sprintf("the file %s exists", c.Path)
	if c.MinSize > 0 {
		s += ", has at least " + FormatCount(c.MinSize, "byte")
	}
	if c.SHA256 != "" {
		s += ", has the SHA-256 " + c.SHA256
	}
	if c.Matches != "" {
		s += fmt.Sprintf(", matches `%s`", c.Matches)
	}
	return s
}

func (c Check) describeSource() string {
	switch c.From {
	case FromFile:
		return "the JSON in " + c.Path
	case FromCommand:
		return fmt.Sprintf("the JSON that `%s` prints", c.Command)
	case FromURL:
		return "what " + c.URL + " answers"
	case FromClaim:
	}
	return "the result given to claim_complete"
}

func (c Check) describePage() string {
	page := "the page of the goal's newest browser pane"
	switch {
	case c.URL != "":
		page = c.URL
	case c.Pane != "":
		page = "the page of pane " + c.Pane
	}
	if c.Whole {
		return "the whole height of " + page
	}
	return page
}

// problem returns what is wrong with a check and what to do, "" and "" if nothing is.
func (c Check) problem() (reason, hint string) {
	for _, s := range []string{
		c.Command, c.URL, c.Path, c.Expr, c.Predicate, c.Question, c.Note, c.Dir, c.BodyContains,
		c.Matches,
	} {
		if strings.ContainsRune(s, 0) {
			return "contains a NUL byte", "remove it"
		}
	}
	if c.TimeoutMS < 0 {
		return fmt.Sprintf("has a timeout of %d ms", c.TimeoutMS),
			"leave it out for the default of two minutes, or use more than 0"
	}
	switch c.Type {
	case Shell:
		return c.shellProblem()
	case HTTP:
		if c.Status != 0 && (c.Status < 100 || c.Status > 599) {
			return fmt.Sprintf("expects the status %d, which is not an HTTP status", c.Status), "use 100 to 599"
		}
		if c.Method != "" && strings.ToUpper(c.Method) != c.Method {
			return fmt.Sprintf("has the method %q", c.Method), "write it in capitals, such as POST"
		}
		return urlProblem(c.URL)
	case File:
		return c.fileProblem()
	case JSONPredicate:
		return c.predicateProblem()
	case Visual:
		return c.visualProblem()
	case ModelQuestion:
		if c.Threshold != "" && c.Threshold != RequireYes && c.Threshold != RequireHighConfidence {
			return fmt.Sprintf("has the unknown threshold %q", c.Threshold), "use yes or high_confidence"
		}
		return c.questionProblem()
	case Manual:
		return "", ""
	}
	return fmt.Sprintf("has the unknown type %q", c.Type),
		"use one of shell, http, file, json_predicate, visual, model_question, manual"
}

func (c Check) shellProblem() (reason, hint string) {
	if strings.TrimSpace(c.Command) == "" {
		return "has no command", "write the command whose exit code decides"
	}
	if c.ExitCode < 0 || c.ExitCode > 255 {
		return fmt.Sprintf("expects the exit code %d, which is out of range", c.ExitCode), "use 0 to 255"
	}
	if server, remote := c.Server(); c.Where != "" && c.Where != "host" && (!remote || server == "") {
		return fmt.Sprintf("cannot run on %q", c.Where),
			"leave it empty for the goal's sandbox, or use host, or ssh:NAME for one of your servers"
	}
	if _, remote := c.Server(); remote && c.Dir != "" {
		return "names a folder of the goal, but runs on a server",
			"leave the folder out: the command runs in the server's own folder"
	}
	return "", ""
}

// Server returns the name of the user's server that the command runs on, if it runs on one.
func (c Check) Server() (name string, ok bool) { return strings.CutPrefix(c.Where, "ssh:") }

// RunsCommand reports whether the check runs a program.
func (c Check) RunsCommand() bool {
	return c.Type == Shell || c.Type == JSONPredicate && c.From == FromCommand
}

func (c Check) fileProblem() (reason, hint string) {
	switch {
	case c.Path == "":
		return "has no path", "name the file, relative to the goal's folder"
	case !isLocalPath(c.Path):
		return fmt.Sprintf("looks at %q, which is not inside the goal's folder", c.Path),
			"name a path relative to the goal's folder"
	case c.Absent && (c.MinSize > 0 || c.SHA256 != "" || c.Matches != ""):
		return "requires a file to be absent and to have content", "choose one of them"
	case c.MinSize < 0:
		return fmt.Sprintf("requires at least %d bytes", c.MinSize), "use 0 or more"
	case c.SHA256 != "" && !sha256Pattern.MatchString(c.SHA256):
		return "has an invalid SHA-256", "write 64 hexadecimal digits in lower case"
	}
	if _, err := regexp.Compile(c.Matches); err != nil {
		return "has an invalid pattern: " + err.Error(), "correct the regular expression (RE2 syntax)"
	}
	return "", ""
}

func (c Check) predicateProblem() (reason, hint string) {
	if strings.TrimSpace(c.Expr) == "" {
		return "has no expression", "write an expression over response, such as response.status === 200"
	}
	switch c.From {
	case "", FromClaim:
	case FromFile:
		if c.Path == "" || !isLocalPath(c.Path) {
			return "reads a file that is not inside the goal's folder", "name a path relative to the goal's folder"
		}
	case FromCommand:
		if strings.TrimSpace(c.Command) == "" {
			return "has no command", "write the command that prints the JSON"
		}
	case FromURL:
		return urlProblem(c.URL)
	default:
		return fmt.Sprintf("has the unknown source %q", c.From), "use claim, file, command or url"
	}
	return "", ""
}

func (c Check) visualProblem() (reason, hint string) {
	if c.URL != "" {
		if reason, hint := urlProblem(c.URL); reason != "" {
			return reason, hint
		}
	}
	return c.questionProblem()
}

func (c Check) questionProblem() (reason, hint string) {
	if strings.TrimSpace(c.Question) == "" {
		return "has no question", "ask a question that can be answered with yes or no"
	}
	return "", ""
}

var sha256Pattern = text.NewPattern(`^[0-9a-f]{64}$`)

func urlProblem(s string) (reason, hint string) {
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Sprintf("has the invalid address %q", s),
			"use a full http or https address, such as http://127.0.0.1:8080/"
	}
	return "", ""
}

// isLocalPath reports whether a slash-separated path stays inside the folder to which it is relative.
func isLocalPath(p string) bool {
	clean := path.Clean(p)
	return p != "" && !path.IsAbs(p) && clean != ".." && !strings.HasPrefix(clean, "../")
}
