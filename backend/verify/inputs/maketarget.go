package inputs

import (
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/verify/shellline"
)

// LacksTarget reports whether a makefile has no rule for a target that the check's command names: then the rule is the
// work, and the makefile has to change. Includes and patterns may have one.
func LacksTarget(command, makefile string) bool {
	if strings.Contains(makefile, "include") || strings.Contains(makefile, "%") {
		return false
	}
	for _, call := range shellline.Parse(command, shellline.Location{Dir: "."}).Calls {
		call = call.Unwrap()
		if !slices.Contains(makeNames, baseName(call.Name())) {
			continue
		}
		for _, w := range call.Words[1:] {
			if w == "" || strings.HasPrefix(w, "-") || strings.Contains(w, "=") {
				continue
			}
			rule := regexp.MustCompile(`(?m)^([^\s:#=]+\s+)*` + regexp.QuoteMeta(w) + `(\s+[^\s:#=]+)*\s*:`)
			if !rule.MatchString(makefile) {
				return true
			}
		}
	}
	return false
}
