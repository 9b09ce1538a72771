package toolschema

import (
	"fmt"
	"slices"
	"strings"
)

// maxName is the longest name that providers accept, in bytes.
const maxName = 64

// FitToolNames returns names of tools that every provider accepts, by the names that they have.
func FitToolNames(names []string) map[string]string { return fitNames(names, true) }

// fitNames returns different names that every provider accepts: letters, digits and underscores, not beginning with a
// digit. A name that is accepted stays the same.
func fitNames(names []string, withHyphens bool) map[string]string {
	fitting, used := map[string]string{}, map[string]bool{}
	for _, name := range names {
		if fitName(name, withHyphens) == name {
			fitting[name], used[name] = name, true
		}
	}
	for _, name := range names {
		if fitting[name] != "" {
			continue
		}
		whole := fitName(name, withHyphens)
		out := whole
		for i := 2; used[out]; i++ {
			suffix := fmt.Sprintf("_%d", i)
			out = whole[:min(len(whole), maxName-len(suffix))] + suffix
		}
		fitting[name], used[out] = out, true
	}
	return fitting
}

func fitName(name string, withHyphens bool) string {
	name = strings.Map(func(r rune) rune {
		isLetter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if isLetter || r >= '0' && r <= '9' || r == '-' && withHyphens {
			return r
		}
		return '_'
	}, name)
	if name == "" || name[0] >= '0' && name[0] <= '9' || name[0] == '-' {
		name = "_" + name
	}
	return name[:min(len(name), maxName)]
}

// synonyms are names that models use for the same argument.
var synonyms = [][]string{
	{"path", "file", "filepath", "filename", "targetfile", "absolutepath", "relativepath"},
	{"path", "dir", "directory", "folder", "cwd"},
	{"command", "cmd", "script", "shellcommand", "commandline"},
	{"target", "ref", "element", "selector", "locator"},
	{"content", "contents", "filetext", "body", "code"},
	{"text", "value", "input", "content"},
	{"url", "uri", "link", "address", "href"},
	{"query", "pattern", "search", "regex", "q", "searchterm"},
	{"old", "oldstring", "oldstr", "oldtext"},
	{"new", "newstring", "newstr", "newtext", "replacement"},
	{"line", "startline", "offset", "firstline"},
	{"lines", "limit", "numlines", "linecount"},
	{"todos", "items", "plan", "tasks"},
	{"question", "prompt", "message"},
	{"result", "answer", "output", "summary"},
	{"rationale", "reason", "explanation"},
	{"keys", "key"},
}

// Plain returns a name as it is compared: in lower case, without separators.
func Plain(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(name))
}

// areSynonyms reports whether two names mean the same argument.
func areSynonyms(one, other string) bool {
	one, other = Plain(one), Plain(other)
	return one == other || slices.ContainsFunc(synonyms, func(list []string) bool {
		return slices.Contains(list, one) && slices.Contains(list, other)
	})
}
