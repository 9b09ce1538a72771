package policy

import "strings"

// end, in a path of subcommands, is that no further one follows.
const end = "$"

// under says whether args begin with a path of subcommands, such as "token create":
// each word is the next operand, "a|b" is either. Options are passed over. Which of
// them take a value cannot be known, so the operand behind an option is read both
// as its value and as a subcommand.
func under(names string, args []string) bool {
	word, rest, _ := strings.Cut(names, " ")
	for i, a := range args {
		option := strings.HasPrefix(a, "-")
		switch {
		case a == "--":
			return like(word, end)
		case option || a == "":
			continue
		case like(word, a) && (rest == "" || under(rest, args[i+1:])):
			return true
		}
		if i == 0 || !strings.HasPrefix(args[i-1], "-") || strings.Contains(args[i-1], "=") {
			return false
		}
	}
	return like(word, end)
}
