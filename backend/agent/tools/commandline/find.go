package commandline

import (
	"slices"
	"strings"
)

// findRoots returns the paths that find may find, as its folders and patterns below them, and the arguments after the
// folders.
func findRoots(args []string) (below, rest []string) {
	links := slices.Contains(args, "-follow")
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch option := args[0]; {
		case option == "-D" && len(args) > 1:
			args = args[1:]
		case option == "--", strings.HasPrefix(option, "-O"), strings.HasPrefix(option, "-D"):
		case strings.Trim(option[1:], "HLP") == "":
			links = links || strings.Contains(option, "L")
		default:
			return defaultFindRoot(nil, links || option == "-files0-from"), args
		}
		args = args[1:]
	}
	n := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") })
	if n < 0 {
		n = len(args)
	}
	return defaultFindRoot(args[:n], links || slices.Contains(args, "-files0-from")), args[n:]
}

// defaultFindRoot returns the paths below the folders from, by default the current one. isUnknown adds paths that are
// unknown, because find follows links or reads a list.
func defaultFindRoot(from []string, isUnknown bool) (below []string) {
	if len(from) == 0 {
		from = []string{"."}
	}
	for _, f := range from {
		below = append(below, f, strings.TrimSuffix(f, "/")+"/*")
	}
	if isUnknown {
		below = append(below, unknownWord)
	}
	return below
}

// findExecCommand returns the command of an -exec, which ends at a semicolon or at {} +.
func findExecCommand(args []string) []string {
	for i, a := range args {
		if a == ";" || a == "+" && i > 0 && args[i-1] == "{}" {
			return args[:i]
		}
	}
	return args
}

// substituteFound replaces {} with the paths that find may find.
func (an *Analysis) substituteFound(argv, files []string) []string {
	if n := strings.Count(strings.Join(argv, " "), "{}"); !an.spendBudget(n * wordsLength(files)) {
		return nil
	}
	var words []string
	for _, w := range argv {
		if !strings.Contains(w, "{}") {
			words = append(words, w)
			continue
		}
		for _, f := range files {
			words = append(words, strings.ReplaceAll(w, "{}", f))
		}
	}
	return words
}
