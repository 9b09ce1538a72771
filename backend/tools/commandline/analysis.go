package commandline

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"goalpost/backend/policy"
)

// Analysis is what a command line runs and deletes: its simple commands, also those that others start. It is not safe
// for concurrent use.
type Analysis struct {
	dir      string // where the next command runs; "" if unknown
	loose    bool   // typed outside the sandbox: commands that cannot be parsed always ask
	commands [][]string
	deletes  []string // unknown paths are listed as written
	unread   string   // why it could not be determined what a loose line runs, "" if it could
	lost     string   // why the analysis was abandoned, "" if it was not
	left     int      // how many characters may still be parsed
}

// Effect is what a command line is about to do, as far as it can be parsed. It serves explanations and rules that
// always ask; a command line can hide anything from it, and the kernel limits what it does.
func (s Analysis) Effect(line string, risk policy.Risk) policy.Effect {
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

// A command that runs another may have several readings, each of them with several of its own: together they may have
// this many more characters than the line.
const (
	maxNested     = 5 // nested shells
	maxReadings   = 10
	extraForShort = 20_000
)

// withinBudget counts parsed characters and reports whether the analysis may continue.
func (s *Analysis) withinBudget(characters int) bool {
	if s.left -= characters; s.left < 0 {
		s.giveUp("it can be parsed in too many ways")
	}
	return s.left >= 0
}

// giveUp abandons the analysis of a line. The call then asks, in and outside the sandbox.
func (s *Analysis) giveUp(why string) {
	s.lost = why
	s.markUnparsed(why)
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
	for i, a := range args {
		if a == "--" {
			return append(list, args[i+1:]...)
		}
		if !strings.HasPrefix(a, "-") {
			list = append(list, a)
		}
	}
	return list
}

func (s *Analysis) noteChange(args []string) {
	to := listOperands(args)
	if len(to) == 0 {
		s.dir = homeDir
		return
	}
	s.dir = s.resolvePath(to[0])
}

// noteDelete records deleted files. A path that ends in a slash or climbs with dots may lead through a link to
// somewhere else.
func (s *Analysis) noteDelete(files []string) {
	for _, f := range files {
		at, shown := s.resolvePath(f), strings.ReplaceAll(f, unknownWord, "…")
		s.deletes = append(s.deletes, cmp.Or(at, shown))
		if at != "" && strings.HasSuffix(f, "/") {
			s.deletes = append(s.deletes, path.Join(at, "*"))
		}
		switch climbs := slices.Contains(strings.Split(f, "/"), ".."); {
		case path.IsAbs(shown) && (climbs || at == ""):
			s.deletes = append(s.deletes, "…"+shown)
		case climbs && at != "":
			s.deletes = append(s.deletes, shown)
		}
	}
}

// remove records the operands as deleted. Without operands they are only known when the line runs.
func (s *Analysis) remove(files []string) {
	if s.noteDelete(files); len(files) == 0 {
		s.deletes = append(s.deletes, "…")
	}
}

// recordMove records files that are moved away. Outside the sandbox it also records files that they may replace.
func (s *Analysis) recordMove(files []string) {
	if !s.loose && len(files) > 0 {
		files = files[:len(files)-1]
	}
	s.noteDelete(files)
}

// harmlessTargets are files that lose nothing when they are written.
var harmlessTargets = regexp.MustCompile(`^/dev/(null|zero|full|tty|std(in|out|err)|fd/[0-9]+)$`)

// noteOverwrite records a file that a redirection truncates.
func (s *Analysis) noteOverwrite(r *syntax.Redirect) {
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

// homeDir stands for the home folder, which is outside of a goal's folder.
const homeDir = "/~"

// resolvePath returns an absolute path, "" if it is unknown.
func (s *Analysis) resolvePath(file string) string {
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

// deleters delete their operands.
var deleters = []string{"rm", "rmdir", "unlink", "shred", "srm", "trash", "trash-put"}

// markUnparsed records why a line cannot be parsed; the first reason wins.
func (s *Analysis) markUnparsed(why string) {
	if s.unread == "" {
		s.unread = why
	}
}
