package policy

import "strings"

// exactPath, at the end of a path of subcommands, means that no further one follows.
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
