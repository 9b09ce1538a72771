package policy

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed rules.json
var defaultRulesJSON []byte

// Rule is a rule as data. It denies or always asks. Load tests its examples.
type Rule struct {
	Name   string `json:"name"`
	Answer Answer `json:"answer"` // deny or ask
	Why    string `json:"why"`
	// Program, Sub, Words and Any match a command: its base name, its subcommand (see hasSubcommand), words that its
	// arguments contain in this order, and one argument that matches a pattern of Any. "a|b" matches either, * matches
	// anything, and a single letter with a dash also matches among combined flags (-fu).
	Program []string `json:"program,omitempty"`
	Sub     []string `json:"sub,omitempty"` // one of these
	Words   []string `json:"words,omitempty"`
	Any     []string `json:"any,omitempty"`
	// None lists patterns. An option before any -- that matches one of them excludes the command.
	None []string `json:"none,omitempty"`
	// Unconfined rules apply only in an unconfined pane, where only this question protects the machine.
	Unconfined bool `json:"unconfined,omitempty"`
	// Unsandboxed rules also apply in a goal without a sandbox.
	Unsandboxed bool `json:"unsandboxed,omitempty"`
	// Path lists patterns of written paths; ** matches any folders, ~ the user's home.
	Path []string `json:"path,omitempty"`
	// Match and Not are examples: command lines with single spaces, or paths with the home folder /home/anna.
	Match []string `json:"match"`
	Not   []string `json:"not"`
}

// exampleHome is the home folder of the examples.
const exampleHome = "/home/anna"

// DefaultRules returns the rules of rules.json for a user's home folder. No goal may write to the program's own
// folders.
func DefaultRules(home string, dirs ...string) (RuleSet, error) {
	rules, err := parseDefaultRules()
	if err != nil {
		return RuleSet{}, err
	}
	l := newRuleSet(rules, home)
	if len(dirs) == 0 {
		return l, nil
	}
	r := Rule{Name: "own folders", Answer: Deny, Why: "it belongs to this program"}
	for _, dir := range dirs {
		r.Path = append(r.Path, path.Clean(dir), path.Clean(dir)+"/**")
	}
	l.rules = append(l.rules, r)
	return l, nil
}

// parseDefaultRules parses rules.json once, without its examples, which a test tries. Nobody changes what it returns.
var parseDefaultRules = sync.OnceValues(func() ([]Rule, error) { return parseRules(defaultRulesJSON) })

// Load parses rules and refuses all of them if one fails its examples.
func Load(b []byte, home string) (RuleSet, error) {
	rules, err := parseRules(b)
	if err != nil {
		return RuleSet{}, err
	}
	if err := validateRules(rules); err != nil {
		return RuleSet{}, err
	}
	return newRuleSet(rules, home), nil
}

// parseRules returns the rules with ~ still in their paths.
func parseRules(b []byte) ([]Rule, error) {
	var rules []Rule
	if err := json.Unmarshal(b, &rules); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	return rules, nil
}

func validateRules(rules []Rule) error {
	var errs []error
	for _, r := range rules {
		if err := r.validateExamples(); err != nil {
			errs = append(errs, fmt.Errorf("rule %q: %w", r.Name, err))
		}
	}
	return errors.Join(errs...)
}

// newRuleSet returns a new set for one home folder.
func newRuleSet(rules []Rule, home string) RuleSet {
	l := RuleSet{rules: make([]Rule, 0, len(rules)+1)}
	for _, r := range rules {
		l.rules = append(l.rules, r.expandHome(home))
	}
	return l
}

// expandHome replaces ~. Without a home, any folder may be the home.
func (r Rule) expandHome(home string) Rule {
	at := make([]string, len(r.Path))
	for i, p := range r.Path {
		if rest, ok := strings.CutPrefix(p, "~"); ok {
			if p = path.Clean(home) + rest; home == "" {
				p = "/**" + rest
			}
		}
		at[i] = p
	}
	r.Path = at
	return r
}

func (r Rule) validateExamples() error {
	switch {
	case r.Answer != Deny && r.Answer != Ask:
		return fmt.Errorf("a rule's answer is deny or ask, not %q", r.Answer)
	case r.Name == "" || r.Why == "":
		return errors.New("it has no name or no reason")
	case (len(r.Program) > 0) == (len(r.Path) > 0):
		return errors.New("it must name either programs or paths")
	case len(r.Match) == 0 || len(r.Not) == 0:
		return errors.New("it needs an example that matches and one that does not")
	}
	r = r.expandHome(exampleHome)
	for _, p := range slices.Concat(r.Program, r.Sub, r.Words, r.Any, r.None, r.Path) {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("the pattern %q: %w", p, err)
		}
	}
	for _, e := range r.Match {
		if !r.evalExample(e) {
			return fmt.Errorf("it should match %q and does not", e)
		}
	}
	for _, e := range r.Not {
		if r.evalExample(e) {
			return fmt.Errorf("it should not match %q and does", e)
		}
	}
	return nil
}

func (r Rule) evalExample(e string) bool {
	if len(r.Path) > 0 {
		return r.matchesWrites(e)
	}
	return r.matchesCommand(strings.Split(e, " "))
}

// asCheck applies the rule to a call. A rule with the answer ask asks at every risk level.
func (r Rule) asCheck(c Call, p Policy) (checkResult, error) {
	if r.Unconfined && c.Effect.Pane == "" || r.Unsandboxed && c.Effect.Pane == "" && !p.Unconfined {
		return passRule()
	}
	for _, argv := range c.Effect.Commands {
		if r.matchesCommand(argv) {
			return checkResult{answer: r.Answer, reason: fmt.Sprintf("%s: %s", r.Name, r.Why)}, nil
		}
	}
	for _, file := range append(append([]string{}, c.Effect.Paths...), c.Effect.Deletes...) {
		if r.matchesWrites(file) {
			return checkResult{answer: r.Answer, reason: fmt.Sprintf("%s (%s): %s", r.Name, file, r.Why)}, nil
		}
	}
	return passRule()
}

func (r Rule) matchesWrites(file string) bool {
	parts := strings.Split(path.Clean(file), "/")
	return slices.ContainsFunc(r.Path, func(p string) bool { return globPath(strings.Split(p, "/"), parts) })
}

// matchesCommand reports whether the rule applies to a program with its arguments.
func (r Rule) matchesCommand(argv []string) bool {
	if len(argv) == 0 || !matchesAlternative(strings.Join(r.Program, "|"), path.Base(argv[0])) {
		return false
	}
	args := argv[1:]
	if r.isExcepted(args) {
		return false
	}
	if len(r.Sub) > 0 && !slices.ContainsFunc(r.Sub, func(names string) bool { return hasSubcommand(names, args) }) {
		return false
	}
	for _, w := range r.Words {
		i := slices.IndexFunc(args, func(a string) bool { return matchesAlternative(w, a) })
		if i < 0 {
			return false
		}
		args = args[i+1:]
	}
	return len(r.Any) == 0 || slices.ContainsFunc(argv[1:], func(a string) bool {
		return slices.ContainsFunc(r.Any, func(p string) bool { return matchesAlternative(p, a) || hasShortFlag(p, a) })
	})
}

func (r Rule) isExcepted(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "-") && slices.ContainsFunc(r.None, func(p string) bool {
			return matchesAlternative(p, a)
		})
	})
}

// Rules lists the rules, for documents and screens.
func (rs RuleSet) Rules() []Rule { return append([]Rule{}, rs.rules...) }

// RuleSet holds the rules of rules.json, which apply to every goal. The zero RuleSet has none of them.
type RuleSet struct{ rules []Rule }
