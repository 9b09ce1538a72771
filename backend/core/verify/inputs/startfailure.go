package inputs

import (
	"path"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
)

// maxTracedOutside is the most uses outside the goal's folder that a trace contains. At that limit, an unread file
// proves nothing.
const maxTracedOutside = 20_000

// candidate is something that a program was to run and did not find.
type candidate struct {
	goal.StartFailure
	program int
	at      int // index of the access that shows it
}

// findNotStarted finds what the check itself was to run and did not find, if nothing that could decide followed.
// What a started program misses is the work: a module that a test imports, a file that it reads. So is a program
// that the check runs by its path in the goal's folder, that it runs for its output, or that a test starts.
func (o *observer) findNotStarted() *goal.StartFailure {
	if len(o.accesses) >= maxTracedOutside {
		return nil
	}
	list := append(o.missingFiles(), o.missingPrograms()...)
	for _, c := range list {
		if c.Kind == "program" && o.hasStarted(c.Name) {
			continue
		}
		if !slices.ContainsFunc(o.accesses[c.at+1:], func(a process.FileAccess) bool { return o.canDecide(a, c.program) }) {
			c.By = o.programs[c.program].command()
			return &c.StartFailure
		}
	}
	return nil
}

// hasStarted reports whether a program of this name was started. The name may be a link to another file, as sh is.
func (o *observer) hasStarted(name string) bool {
	return slices.ContainsFunc(o.programs, func(p program) bool { return len(p.Args) > 0 && path.Base(p.Args[0]) == name })
}

// isOfCheck reports whether the check itself started a program, not a test.
func (o *observer) isOfCheck(i int) bool {
	return !slices.ContainsFunc(o.callers[o.programs[i].Path], func(caller int) bool {
		return caller < len(o.programs) && caller != i && !o.programs[caller].isLauncher()
	})
}

// canDecide reports whether a later use can have decided how the check ended, so that what an earlier program did
// not find was not needed.
func (o *observer) canDecide(a process.FileAccess, earlier int) bool {
	p := &o.programs[a.Program]
	if slices.Contains(p.runners, "npm") || a.Program == earlier && p.kind != kindShell { // it reports what it misses
		return false
	}
	if rel, ok := o.inFolder(a.Path); ok {
		return a.Use != process.UseWrite && !slices.Contains(o.out.Written, rel) && !slices.Contains(o.out.Rewritten, rel)
	}
	return a.Use == process.UseExecute && !a.Missing && !strings.HasPrefix(path.Base(a.Path), "ld-") &&
		!strings.Contains(path.Base(a.Path), ".so") && !slices.Contains(textTools, baseName(a.Path))
}

// missingFiles returns the scripts that a shell or an interpreter was started with, or that a shell sources, and
// that do not exist.
func (o *observer) missingFiles() (list []candidate) {
	for i, a := range o.accesses {
		rel, ok := o.inFolder(a.Path)
		p := &o.programs[a.Program]
		if !ok || !a.Missing || a.Use == process.UseExecute || o.isNamed(o.examined, rel) || !o.isOfCheck(a.Program) {
			continue
		}
		hasStarted := slices.ContainsFunc(o.out.Files, func(u goal.UsedFile) bool {
			return u.Program == a.Program && p.hasMain(path.Join(o.Dir, u.Path))
		})
		isSourced := p.kind == kindShell && a.Use == process.UseRead && o.isSourced(rel)
		isFirst := !slices.ContainsFunc(list, func(c candidate) bool { return c.program == a.Program && c.Name == rel })
		if isFirst && (isSourced || p.isStartedWith(a.Path) && !hasStarted) {
			list = append(list, candidate{goal.StartFailure{Kind: "file", Name: rel}, a.Program, i})
		}
	}
	return list
}

// missingPrograms returns the programs that a shell or a similar program looked for in several folders and found in
// none.
func (o *observer) missingPrograms() (list []candidate) {
	type search struct {
		program int
		name    string
	}
	folders := map[search]map[string]bool{}
	for i, a := range o.accesses {
		p := &o.programs[a.Program]
		s := search{a.Program, path.Base(a.Path)}
		dir := path.Dir(a.Path)
		isSearch := slices.Contains([]string{"bin", "sbin", "games", ".bin"}, path.Base(dir))
		switch {
		case a.Use != process.UseExecute && (a.Use != process.UseLookup || !isSearch):
		case !a.Missing:
			folders[s] = nil
			list = slices.DeleteFunc(list, func(c candidate) bool { return c.program == s.program && c.Name == s.name })
		case !isSearch || !p.isLauncher() || !o.isOfCheck(a.Program) || slices.Contains(o.captured, s.name) ||
			slices.ContainsFunc(p.mains, func(m string) bool { return path.Base(m) == s.name }):
		default:
			if folders[s] == nil {
				folders[s] = map[string]bool{}
			}
			if folders[s][dir] = true; len(folders[s]) > 1 {
				list = append(list, candidate{goal.StartFailure{Kind: "program", Name: s.name}, s.program, i})
			}
		}
	}
	return list
}
