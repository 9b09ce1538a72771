package tools

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"goalpost/backend/policy"
)

// readLine analyzes a command line for a shell in a folder.
func readLine(dir, line string) commandAnalysis {
	s := commandAnalysis{dir: dir}
	s.analyze(line)
	return s
}

// effect is what a command line is about to do, as far as it can be parsed. It serves explanations and rules that
// always ask; a command line can hide anything from it, and the kernel limits what it does.
func (s commandAnalysis) effect(line string, risk policy.Risk) policy.Effect {
	e := policy.Effect{
		Risk:        risk,
		CommandLine: line,
		Commands:    s.commands,
		Deletes:     s.deletes,
		Unparsed:    s.lost,
		Reason:      "a program may change files",
	}
	if risk == policy.ReadOnly {
		e.Reason = "a program that can change nothing"
	}
	return e
}

// commandAnalysis collects the simple commands of a line and what they delete.
type commandAnalysis struct {
	dir      string // where the next command runs; "" if unknown
	loose    bool   // typed outside the sandbox: commands that cannot be parsed always ask
	commands [][]string
	deletes  []string // unknown paths are listed as written
	unread   string   // why it could not be determined what a loose line runs, "" if it could
	lost     string   // why the analysis was abandoned, "" if it was not
	left     int      // how many characters may still be parsed
}

// unknownWord stands for a word that is only known when the line runs.
const unknownWord = "\x00"

// A command that runs another may have several readings, each of them with several of its own: together they may have
// this many more characters than the line.
const (
	maxNested     = 5 // nested shells
	maxReadings   = 10
	extraForShort = 20_000
)

// analyze parses a command line.
func (s *commandAnalysis) analyze(line string) {
	s.left = extraForShort + maxReadings*len(line)
	s.read(line, 0)
}

// withinBudget counts parsed characters and reports whether the analysis may continue.
func (s *commandAnalysis) withinBudget(characters int) bool {
	if s.left -= characters; s.left < 0 {
		s.giveUp("it can be parsed in too many ways")
	}
	return s.left >= 0
}

// giveUp abandons the analysis of a line. The call then asks, in and outside the sandbox.
func (s *commandAnalysis) giveUp(why string) {
	s.lost = why
	s.markUnparsed(why)
}

func (s *commandAnalysis) read(line string, depth int) {
	if depth > maxNested {
		s.giveUp("shells run shells that run shells")
	}
	if depth > maxNested || !s.withinBudget(len(line)) {
		return
	}
	if s.loose && history.MatchString(line) {
		s.markUnparsed("an exclamation mark repeats an earlier command")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		s.markUnparsed("it is incomplete, or not a shell command")
		return // the shell reports it, too
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if s.loose {
			s.checkWords(n)
		}
		s.readStdin(n, depth)
		if r, ok := n.(*syntax.Redirect); ok && s.loose {
			s.noteOverwrite(r)
		}
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		argv := make([]string, len(call.Args))
		for i, w := range call.Args {
			argv[i] = literalWord(w)
		}
		s.analyzeCommand(argv, depth)
		return true
	})
}

// analyzeCommand analyzes one program with its arguments, and what it starts in turn.
func (s *commandAnalysis) analyzeCommand(argv []string, depth int) {
	if s.left < 0 || !s.withinBudget(wordsLength(argv)) {
		return
	}
	s.commands = append(s.commands, argv)
	name := path.Base(argv[0])
	if s.loose {
		s.checkCommand(argv)
	}
	switch name {
	case "cd", "pushd":
		s.noteChange(argv[1:])
	case "mv":
		s.recordMove(listOperands(argv[1:]))
	case "find", "gfind", "bfs":
		s.analyzeFind(argv[1:], depth)
	case "git":
		s.analyzeGit(argv[1:], depth)
	case "ssh":
		s.readRemote(argv[1:], depth)
	case "trap":
		s.read(strings.Join(argv[1:min(2, len(argv))], ""), depth+1)
	case "alias":
		for _, a := range argv[1:] {
			_, line, _ := strings.Cut(a, "=")
			s.read(line, depth+1)
		}
	case "eval":
		s.read(strings.Join(argv[1:], " "), depth+1)
	default:
		switch {
		case slices.Contains(deleters, name):
			s.remove(listOperands(argv[1:]))
		case slices.Contains(shells, name):
			if !s.shellOptions(argv[1:], depth) {
				s.markUnparsed(name + " runs something else")
			}
		default:
			s.analyzeLaunched(name, argv[1:], depth)
		}
	}
}

// wordsLength is the number of characters that words have on a line.
func wordsLength(words []string) (n int) {
	for _, w := range words {
		n += len(w) + 1
	}
	return n
}

func listOperands(args []string) []string {
	var list []string
	only := false
	for _, a := range args {
		switch {
		case a == "--" && !only:
			only = true
		case only || !strings.HasPrefix(a, "-"):
			list = append(list, a)
		}
	}
	return list
}

func (s *commandAnalysis) noteChange(args []string) {
	to := listOperands(args)
	switch {
	case len(to) == 0:
		s.dir = homeDir
	default:
		s.dir = s.resolvePath(to[0])
	}
}

// noteDelete records deleted files. A path that ends in a slash or climbs with dots may lead through a link to
// somewhere else.
func (s *commandAnalysis) noteDelete(files []string) {
	for _, f := range files {
		at, told := s.resolvePath(f), strings.ReplaceAll(f, unknownWord, "…")
		if at != "" {
			s.deletes = append(s.deletes, at)
		} else {
			s.deletes = append(s.deletes, told)
		}
		if at != "" && strings.HasSuffix(f, "/") {
			s.deletes = append(s.deletes, path.Join(at, "*"))
		}
		switch climbs := slices.Contains(strings.Split(f, "/"), ".."); {
		case path.IsAbs(told) && (climbs || at == ""):
			s.deletes = append(s.deletes, "…"+told)
		case climbs && at != "":
			s.deletes = append(s.deletes, told)
		}
	}
}

// remove records the operands as deleted. Without operands they are only known when the line runs.
func (s *commandAnalysis) remove(files []string) {
	if s.noteDelete(files); len(files) == 0 {
		s.deletes = append(s.deletes, "…")
	}
}

// recordMove records files that are moved away. Outside the sandbox it also records files that they may replace.
func (s *commandAnalysis) recordMove(files []string) {
	if !s.loose && len(files) > 0 {
		files = files[:len(files)-1]
	}
	s.noteDelete(files)
}

// harmlessTargets are files that lose nothing when they are written.
var harmlessTargets = regexp.MustCompile(`^/dev/(null|zero|full|tty|std(in|out|err)|fd/[0-9]+)$`)

// noteOverwrite records a file that a redirection truncates.
func (s *commandAnalysis) noteOverwrite(r *syntax.Redirect) {
	if r.Word == nil {
		return
	}
	to := literalWord(r.Word)
	switch r.Op {
	case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll, syntax.RdrAllClob, syntax.RdrInOut:
	case syntax.DplOut: // >&2 is a number, >&file is not
		if strings.Trim(to, "0123456789-") == "" {
			return
		}
	default:
		return
	}
	if !harmlessTargets.MatchString(to) {
		s.noteDelete([]string{to})
	}
}

// analyzeFind analyzes find: it deletes below its folders with -delete, or by a program.
func (s *commandAnalysis) analyzeFind(args []string, depth int) {
	below, args := findRoots(args)
	if slices.Contains(args, "-delete") {
		s.noteDelete(below)
	}
	for i, a := range args {
		switch a {
		case "-exec", "-execdir", "-ok", "-okdir":
			if s.left < 0 {
				return
			}
			if argv := s.substituteFound(findExecCommand(args[i+1:]), below); len(argv) > 0 {
				s.analyzeStarted(argv, depth)
			}
		}
	}
}

// findRoots returns what find may find, as its folders and what is below them, and the arguments after those.
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

// defaultFindRoot is where find searches: the present folder if it is given none. What it finds elsewhere, through
// links or a list, is unknown.
func defaultFindRoot(from []string, elsewhere bool) (below []string) {
	if len(from) == 0 {
		from = []string{"."}
	}
	for _, f := range from {
		below = append(below, f, strings.TrimSuffix(f, "/")+"/*")
	}
	if elsewhere {
		below = append(below, unknownWord)
	}
	return below
}

// findExecCommand is the command of an -exec, which ends at a semicolon or at {} +.
func findExecCommand(args []string) []string {
	for i, a := range args {
		if a == ";" || a == "+" && i > 0 && args[i-1] == "{}" {
			return args[:i]
		}
	}
	return args
}

// substituteFound replaces {} with what find may find.
func (s *commandAnalysis) substituteFound(argv, files []string) []string {
	if n := strings.Count(strings.Join(argv, " "), "{}"); !s.withinBudget(n * wordsLength(files)) {
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

// homeDir stands for the home folder, which is outside of a goal's folder.
const homeDir = "/~"

// resolvePath returns an absolute path, "" if it is unknown.
func (s *commandAnalysis) resolvePath(file string) string {
	switch {
	case strings.Contains(file, unknownWord):
		return ""
	case strings.HasPrefix(file, "~"): // or the home of another user
		return path.Clean("/" + file)
	case path.IsAbs(file):
		return path.Clean(file)
	case s.dir == "":
		return ""
	}
	return path.Join(s.dir, file)
}

// literalWord is a word before expansion; parts that are only known later become unknownWord.
func literalWord(w *syntax.Word) string {
	var b strings.Builder
	splitParts(&b, w.Parts)
	return b.String()
}

func splitParts(b *strings.Builder, list []syntax.WordPart) {
	for _, p := range list {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(decodeAnsiC(p))
		case *syntax.DblQuoted:
			splitParts(b, p.Parts)
		case *syntax.ParamExp:
			if p.Param != nil && p.Param.Value == "HOME" && p.Exp == nil {
				b.WriteString("~")
				continue
			}
			b.WriteString(unknownWord)
		default:
			b.WriteString(unknownWord)
		}
	}
}

// decodeAnsiC decodes $'…'; no other quotes have escapes.
func decodeAnsiC(q *syntax.SglQuoted) string {
	if !q.Dollar {
		return q.Value
	}
	text, _, err := expand.Format(nil, q.Value, nil)
	if err != nil {
		return unknownWord
	}
	return text
}
