package commandline

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// Analysis describes what a command line runs and deletes: its simple commands, and those that they start. It is not
// safe for concurrent use.
type Analysis struct {
	dir            string // where the next command runs; "" if unknown
	isUnconfined   bool   // typed outside the sandbox, where commands that cannot be parsed always ask
	commands       [][]string
	deletes        []string // unknown paths are listed as written
	unparsedReason string   // why it is unknown what an unconfined line runs, "" if it is known
	giveUpReason   string   // why the analysis was given up, "" if it was not
	budget         int      // characters that may still be parsed
}

// Effect returns the effect of a command line, as far as it can be parsed. It serves explanations and rules that always
// ask. A command line can hide anything from it; the kernel limits the actual effect.
func (an Analysis) Effect(line string, risk policy.Risk) policy.Effect {
	e := policy.Effect{
		Risk:        risk,
		CommandLine: line,
		Commands:    an.commands,
		Deletes:     an.deletes,
		Unparsed:    an.giveUpReason,
		Reason:      "a program may change files",
	}
	if risk == policy.ReadOnly {
		e.Reason = "the program cannot change anything"
	}
	return e
}

// A command that starts another can be parsed in several ways, each of which can again contain such commands. The
// limits bound how much is parsed in total.
const (
	maxNested     = 5 // nested shells
	maxReadings   = 10
	extraForShort = 20_000
)

// spendBudget counts parsed characters and reports whether the analysis may continue.
func (an *Analysis) spendBudget(characters int) bool {
	if an.budget -= characters; an.budget < 0 {
		an.giveUp("it can be parsed in too many ways")
	}
	return an.budget >= 0
}

// giveUp abandons the analysis of a line. The user is then asked, in and outside the sandbox.
func (an *Analysis) giveUp(why string) {
	an.giveUpReason = why
	an.markUnparsed(why)
}

// wordsLength returns the number of characters of words on a line.
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

func (an *Analysis) noteChange(args []string) {
	to := listOperands(args)
	if len(to) == 0 {
		an.dir = homeDir
		return
	}
	an.dir = an.resolvePath(to[0])
}

// noteDelete records deleted files. A path that ends in a slash or contains ".." may lead through a link to another
// place.
func (an *Analysis) noteDelete(files []string) {
	for _, f := range files {
		at, display := an.resolvePath(f), strings.ReplaceAll(f, unknownWord, "…")
		an.deletes = append(an.deletes, cmp.Or(at, display))
		if at != "" && strings.HasSuffix(f, "/") {
			an.deletes = append(an.deletes, path.Join(at, "*"))
		}
		switch climbs := slices.Contains(strings.Split(f, "/"), ".."); {
		case path.IsAbs(display) && (climbs || at == ""):
			an.deletes = append(an.deletes, "…"+display)
		case climbs && at != "":
			an.deletes = append(an.deletes, display)
		}
	}
}

// noteOperands records the operands as deleted. Without operands, the deleted files are unknown until the line runs.
func (an *Analysis) noteOperands(files []string) {
	if an.noteDelete(files); len(files) == 0 {
		an.deletes = append(an.deletes, "…")
	}
}

// noteMove records files that are moved away. Outside the sandbox, it also records files that they may replace.
func (an *Analysis) noteMove(files []string) {
	if !an.isUnconfined && len(files) > 0 {
		files = files[:len(files)-1]
	}
	an.noteDelete(files)
}

// harmlessTargets matches files that lose nothing when they are written.
var harmlessTargets = text.NewPattern(`^/dev/(null|zero|full|tty|std(in|out|err)|fd/[0-9]+)$`)

// noteOverwrite records a file that a redirection truncates.
func (an *Analysis) noteOverwrite(r *syntax.Redirect) {
	if r.Word == nil {
		return
	}
	to := literalWord(r.Word)
	switch r.Op {
	case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll, syntax.RdrAllClob, syntax.RdrInOut:
	case syntax.DplOut: // >&2 names a descriptor, >&file a file
		if strings.Trim(to, "0123456789-") == "" {
			return
		}
	default:
		return
	}
	if !harmlessTargets.MatchString(to) {
		an.noteDelete([]string{to})
	}
}

// homeDir stands for the home folder, which is outside of a goal's folder.
const homeDir = "/~"

// resolvePath returns an absolute path, "" if it is unknown.
func (an *Analysis) resolvePath(file string) string {
	switch {
	case strings.Contains(file, unknownWord):
		return ""
	case strings.HasPrefix(file, "~"): // possibly another user's home folder
		return path.Clean("/" + file)
	case path.IsAbs(file):
		return path.Clean(file)
	case an.dir == "":
		return ""
	}
	return path.Join(an.dir, file)
}

// deleters delete their operands.
var deleters = []string{"rm", "rmdir", "unlink", "shred", "srm", "trash", "trash-put"}

// markUnparsed records why a line cannot be parsed; the first reason wins.
func (an *Analysis) markUnparsed(why string) {
	if an.unparsedReason == "" {
		an.unparsedReason = why
	}
}
