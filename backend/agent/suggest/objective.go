package suggest

import (
	"io/fs"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

var (
	quotedPart = text.NewPattern("`([^`\n]{2,200})`")
	localURL   = text.NewPattern(`https?://(?:localhost|127\.0\.0\.1)(?::\d{1,5})?(?:/[A-Za-z0-9_./?=&%-]*)?`)
	fileName   = text.NewPattern(`(?:^|[\s"'(` + "`" + `])` + `((?:[A-Za-z0-9_][A-Za-z0-9_.-]*/)*` +
		`[A-Za-z0-9_][A-Za-z0-9_.-]*\.` +
		`(?:txt|md|html|css|js|mjs|ts|tsx|jsx|json|yaml|yml|toml|csv|tsv|go|py|rs|rb|java|c|h|cpp|sh|sql|pdf|png|jpg|svg|` +
		`xml|ini|cfg|conf|env|lock))(?:$|[\s"'),;:!?` + "`" + `]|\.(?:\s|$))`)
	productName = text.NewPattern(
		`(?i)^(?:node|next|vue|nuxt|react|express|three|d3|angular|ember|backbone|chart)\.js$`)
	serverWord = text.NewPattern(
		`(?i)\b(?:servers?|pages?|sites?|website|web|https?|urls?|endpoints?|api|ports?|localhost|browser)\b`)
)

// ReadObjective returns proposals for what the objective names: commands in backticks, addresses on this computer, and
// files that are not in the folder yet. folder is nil if the goal gets a new folder.
func ReadObjective(objective string, folder fs.FS) []Proposal {
	var list []Proposal
	for _, m := range quotedPart.FindAllStringSubmatch(objective, -1) {
		if line := strings.TrimSpace(m[1]); isKnownCommand(line) {
			list = append(list, Proposal{
				Check:  shellCommand(line),
				Reason: "The objective names this command.",
				From:   FromObjective,
			})
		}
	}
	for _, address := range localURL.FindAllString(objective, -1) {
		list = append(list, Proposal{
			Check:  goal.Check{Type: goal.HTTP, URL: strings.TrimRight(address, ".?")},
			Reason: "The objective names this address.",
			From:   FromObjective,
		})
	}
	for _, m := range fileName.FindAllStringSubmatch(objective, -1) {
		name := m[1]
		if productName.MatchString(name) || strings.Contains(name, "..") || isThere(folder, name) {
			continue
		}
		list = append(list, Proposal{
			Check:  goal.Check{Type: goal.File, Path: name, MinSize: 1},
			Reason: "The objective names this file, which does not exist yet.",
			From:   FromObjective,
		})
	}
	list = Merge(list)
	return list[:min(len(list), maxProposals)]
}

func isThere(folder fs.FS, name string) bool {
	if folder == nil {
		return false
	}
	_, err := fs.Stat(folder, name)
	return err == nil
}

// IsAboutServer reports whether an objective is about a page or a server, so that running servers may be meant.
func IsAboutServer(objective string) bool { return serverWord.MatchString(objective) }
