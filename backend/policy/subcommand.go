package policy

import "strings"

// exactPath, in a path of subcommands, is that no further one follows.
const exactPath = "$"

// hasSubcommand says whether args begin with a path of subcommands, such as "token create":
// each word is the next operand, "a|b" is either. Options are passed over. Which of
// them take a value cannot be known, so the operand behind an option is read both
// as its value and as a subcommand.
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
