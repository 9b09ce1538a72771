package inputs

import (
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/verify/shellline"
)

// makeValues are options of make whose value is the next word.
var makeValues = []string{"-C", "-f", "-I", "-j", "-l", "-o", "-W", "--directory", "--file", "--makefile"}

// LacksTarget reports whether a makefile has no rule for a target that the check's command names: then the rule is the
// work, and the makefile has to change.
func LacksTarget(command, makefile string) bool {
	return slices.ContainsFunc(shellline.Arguments(command, makeNames...), func(words []string) bool {
		return missingTarget(words, makefile) != ""
	})
}

// missingTarget is the first target among the arguments of make that a makefile has no rule for; "" if there is none.
// Includes and patterns may have one.
func missingTarget(words []string, makefile string) string {
	if strings.Contains(makefile, "include") || strings.Contains(makefile, "%") {
		return ""
	}
	for i, w := range words {
		if w == "" || strings.HasPrefix(w, "-") || strings.Contains(w, "=") ||
			i > 0 && slices.Contains(makeValues, words[i-1]) {
			continue
		}
		rule := regexp.MustCompile(`(?m)^([^\s:#=]+\s+)*` + regexp.QuoteMeta(w) + `(\s+[^\s:#=]+)*\s*:`)
		if !rule.MatchString(makefile) {
			return w
		}
	}
	return ""
}
