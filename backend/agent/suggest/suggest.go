// Package suggest proposes checks for an objective: from the user's words, from the test commands of a folder, from
// servers on this computer, and from the reply of a model. A proposal decides nothing until the user has accepted it.
//
// Text from a folder or a model is hostile. A command from a file must match a pattern of known test commands, in which
// a shell finds nothing to expand; a model's proposals must be complete JSON with known fields.
package suggest

import (
	"slices"
	"strings"
	"unicode"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// Source says where a proposal comes from.
type Source string

const (
	FromObjective Source = "objective"
	FromFolder    Source = "folder"
	FromServer    Source = "server"
	FromModel     Source = "model"
)

// Proposal is a check that the user can accept.
type Proposal struct {
	Check  goal.Check
	Reason string // one line for the user
	From   Source
	Ports  []int // of this computer that the goal needs access to
}

// maxProposals limits the proposals of one source.
const maxProposals = 6

// Merge joins lists of proposals, and leaves out duplicate checks.
func Merge(lists ...[]Proposal) []Proposal {
	var all []Proposal
	for _, list := range lists {
		for _, p := range list {
			if !slices.ContainsFunc(all, func(o Proposal) bool { return o.Check == p.Check }) {
				all = append(all, p)
			}
		}
	}
	return all
}

// shellCommand returns the check that a command succeeds.
func shellCommand(command string) goal.Check { return goal.Check{Type: goal.Shell, Command: command} }

// knownCommand matches commands that test, build or lint, with arguments in which a shell expands nothing.
var knownCommand = text.NewPattern(`^(?:` + strings.Join([]string{
	`go (?:test|vet|build)`,
	`(?:npm|pnpm|yarn|bun) (?:test|run [A-Za-z0-9:_.-]+)`,
	`(?:make|just|task) [A-Za-z0-9_.-]+`,
	`(?:uv run |poetry run )?(?:pytest|python3? -m (?:pytest|unittest)|tox|ruff check|mypy)`,
	`cargo (?:test|build|check|clippy)`,
	`deno (?:test|lint|check)`,
	`(?:mvn|\./mvnw) (?:-[A-Za-z]+ )*(?:test|verify)`,
	`(?:gradle|\./gradlew) (?:test|check|build)`,
	`(?:bundle exec )?(?:rspec|rake test)`,
	`mix test`,
	`dotnet (?:test|build)`,
	`composer (?:test|run [A-Za-z0-9:_.-]+)`,
	`(?:vendor/bin/)?phpunit`,
	`swift (?:test|build)`,
	`ctest`,
}, "|") + `)(?: [A-Za-z0-9_./:=@,+-]+)*$`)

// isKnownCommand reports whether a line is one such command and nothing else.
func isKnownCommand(line string) bool { return len(line) <= 200 && knownCommand.MatchString(line) }

// hasHiddenText reports whether a text contains characters that a user cannot see, or that reorder what they see.
func hasHiddenText(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
