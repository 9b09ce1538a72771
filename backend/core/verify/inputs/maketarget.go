package inputs

import (
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/core/verify/shellline"
)

// makeValues are the options of make that take the next word.
var makeValues = []string{"-C", "-f", "-I", "-j", "-l", "-o", "-W", "--directory", "--file", "--makefile"}

// LacksTarget reports whether a makefile has no rule for a target that the check's command names. Then the rule is
// part of the work, and the makefile has to change.
func LacksTarget(command, makefile string) bool {
	return slices.ContainsFunc(shellline.Arguments(command, makeNames...), func(words []string) bool {
		return missingTarget(words, makefile) != ""
	})
}

// missingTarget returns the first target among make's arguments for which a makefile has no rule, or "". It returns
// "" for makefiles with includes or pattern rules, which may have one.
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
