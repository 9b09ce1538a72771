package library

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"goalpost/backend/domain/goal"
)

// DefaultPersona is the persona of a goal whose objective says nothing else.
const DefaultPersona = "engineer"

// Persona is a way of working, and the options of a goal that it sets where the user set none.
type Persona struct {
	Name   string
	Prompt string
	Tools  []string // the only tools, empty for all
	Model  string   // as in a request
	Effort string
	Limits goal.Limits // 0 is what the goal has without it
	When   []string    // words of an objective for which it is chosen
}

// Persona returns the persona of an entry of that kind.
func (e Entry) Persona() Persona { return e.persona }

// claudeModels are Claude Code's words for its own models.
var claudeModels = []string{"inherit", "sonnet", "opus", "haiku"}

// claudeTools maps Claude Code's tools to those with the same use. Tools of every run are not among them.
var claudeTools = map[string][]string{
	"Read":      {"read_file"},
	"Write":     {"write_file"},
	"Edit":      {"edit_file"},
	"MultiEdit": {"edit_file"},
	"Bash":      {"run_command"},
	"Glob":      {"list_files"},
	"LS":        {"list_files"},
	"Grep":      {"search_files"},
	"WebFetch":  {"fetch_url"},
	"WebSearch": {"web_search"},
	"Task":      {"start_goal", "goal_status", "wait_for_goal"},
	"TodoWrite": {},
}

func (e *Entry) parsePersona(d document) error {
	p := Persona{
		Name:   e.Name,
		Prompt: d.body,
		Model:  d.string("model"),
		Effort: d.string("effort"),
		When:   d.list("when"),
		Tools:  d.list("tools"),
	}
	if d.isClaude {
		if slices.Contains(claudeModels, p.Model) {
			p.Model = ""
		}
		p.Tools = translateTools(p.Tools)
	}
	limits, err := parseLimits(d)
	if err == nil {
		err = d.refuseUnread()
	}
	if err == nil && p.Prompt == "" {
		err = errors.New("it has no text below its front matter, which tells the agent how to work")
	}
	p.Limits = limits
	e.persona = p
	return err
}

// translateTools replaces Claude Code's names by those of tools here. Tools of MCP servers keep their server and name.
func translateTools(names []string) []string {
	var list []string
	for _, name := range names {
		name, _, _ = strings.Cut(name, "(") // Bash(git:*): here the policy decides about calls
		same, isKnown := claudeTools[name]
		if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
			same, isKnown = []string{rest}, true
		}
		if !isKnown {
			same = []string{name} // the start of a goal says that there is no such tool
		}
		for _, one := range same {
			if !slices.Contains(list, one) {
				list = append(list, one)
			}
		}
	}
	return list
}

// parseLimits reads the limits of a persona, under the names that run uses for them.
func parseLimits(d document) (l goal.Limits, err error) {
	d.read["limits"] = true
	fields, ok := d.fields["limits"].(map[string]any)
	if !ok {
		if d.fields["limits"] != nil && !d.isClaude {
			return l, errors.New("its limits are not written as fields with values, such as max-iterations: 50")
		}
		return l, nil
	}
	flags := l.Flags(goal.DefaultLimits())
	for name, value := range fields {
		i := slices.IndexFunc(flags, func(f goal.Flag) bool { return f.Name == name })
		if i < 0 {
			return l, fmt.Errorf("there is no limit %q; use wall-clock, max-usd, max-iterations, max-claims or max-tokens",
				name)
		}
		if err := flags[i].Set(fmt.Sprint(value)); err != nil {
			return l, fmt.Errorf("the limit %s: %w", name, err)
		}
	}
	return l, nil
}

// builtIns are the files that come with the program.
//
//go:embed builtin
var builtIns embed.FS

// builtIn returns the entries of a kind that come with the program.
func builtIn(kind Kind) []Entry {
	var list []Entry
	dir := "builtin/" + string(kind) + "s"
	files, err := builtIns.ReadDir(dir)
	if err != nil {
		return nil // there are none of that kind
	}
	for _, f := range files {
		b, err := builtIns.ReadFile(path.Join(dir, f.Name()))
		if err != nil {
			continue
		}
		e := Entry{Kind: kind, Name: strings.TrimSuffix(f.Name(), ".md"), Owner: OwnerBuiltIn, Trusted: true}
		e.parse(string(b), false)
		list = append(list, e)
	}
	return list
}

// Inferred is a persona that was chosen for an objective.
type Inferred struct {
	Entry
	Word string // of the objective that decided, "" if none did
}

// Infer chooses a persona for an objective: the one that lists, under when, the words that come first in it. If none
// does, it is the engineer.
func (l *Library) Infer(objective, dir string) (Inferred, error) {
	list, err := l.Usable(Personas, dir)
	if err != nil {
		return Inferred{}, err
	}
	words := " " + strings.Join(strings.FieldsFunc(strings.ToLower(objective), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ") + " "
	var best Inferred
	first := len(words)
	for _, e := range list {
		if e.Name == DefaultPersona && best.Name == "" {
			best.Entry = e
		}
		for _, when := range e.persona.When {
			at := strings.Index(words, " "+strings.ToLower(when)+" ")
			if at >= 0 && (at < first || at == first && len(when) > len(best.Word)) {
				first, best = at, Inferred{e, strings.ToLower(when)}
			}
		}
	}
	if best.Name == "" {
		return best, l.unknown(Personas, DefaultPersona, dir)
	}
	return best, nil
}
