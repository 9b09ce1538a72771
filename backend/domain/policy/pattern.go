package policy

import (
	"path"
	"strings"
)

// matchesAlternative reports whether s matches one of the patterns between bars.
func matchesAlternative(patterns, s string) bool {
	encoder := strings.NewReplacer("/", "\x01") // path.Match stops at a slash
	for p := range strings.SplitSeq(patterns, "|") {
		if ok, err := path.Match(encoder.Replace(p), encoder.Replace(s)); ok && err == nil {
			return true
		}
	}
	return false
}

// hasShortFlag reports whether the letter of a pattern like -f is among combined flags like -fu.
func hasShortFlag(pattern, arg string) bool {
	const letter = 2
	return len(pattern) == letter && pattern[0] == '-' && pattern[1] != '-' &&
		len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.IndexByte(arg, pattern[1]) > 0
}

// globPath matches element by element; ** is any number of elements, including none.
func globPath(pattern, file []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for i := range len(file) + 1 {
				if globPath(pattern[1:], file[i:]) {
					return true
				}
			}
			return false
		}
		if len(file) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], file[0]); !ok || err != nil {
			return false
		}
		pattern, file = pattern[1:], file[1:]
	}
	return len(file) == 0
}

// exactPath, at the end of a path of subcommands, means that no further subcommand follows.
const exactPath = "$"

// hasSubcommand reports whether args begin with a path of subcommands, such as "token create": each word is the next
// operand, "a|b" is either. Options are skipped. Which of them take a value is unknown, so the operand after an
// option is read both as its value and as a subcommand.
func hasSubcommand(names string, args []string) bool {
	word, rest, _ := strings.Cut(names, " ")
	for i, a := range args {
		option := strings.HasPrefix(a, "-")
		switch {
		case a == "--":
			return matchesAlternative(word, exactPath)
		case option || a == "":
			continue
		case matchesAlternative(word, a) && (rest == "" || hasSubcommand(rest, args[i+1:])):
			return true
		}
		if i == 0 || !strings.HasPrefix(args[i-1], "-") || strings.Contains(args[i-1], "=") {
			return false
		}
	}
	return matchesAlternative(word, exactPath)
}
