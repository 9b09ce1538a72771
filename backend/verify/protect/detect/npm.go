package detect

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"goalpost/backend/verify/fileio"
	"goalpost/backend/verify/shellline"
)

// addNPM protects the scripts, and what the script that is run leads to.
func (f *Scanner) addNPM(c shellline.Call, depth int) {
	dir := dirFlag(c, "--prefix", "-C", "--dir", "--cwd")
	words := scriptWords(c)
	if len(words) == 0 {
		return
	}
	if slices.Contains([]string{"exec", "dlx", "x"}, words[0]) {
		f.scanCall(shellline.Call{Dir: dir, Words: words[1:]}.Unwrap(), depth)
		return
	}
	places := f.workspaces(c, dir, words)
	// More words are more scripts, or go to the runner.
	decides := c.Decides && len(places) == 1 && len(words) == 1 && !slices.Contains(c.Words, "--") &&
		!c.HasFlag("--if-present", "--ignore-scripts")
	for _, at := range places {
		f.scanScripts(at, words, decides, depth)
	}
	if dir != c.Dir || len(f.workspacesOf(dir)) > 0 { // the settings of all
		f.addTests(dir, js)
	}
	// yarn jest, pnpm vitest: the program itself.
	f.addInstalledProgram(shellline.Call{Dir: dir, Words: words})
	plainly := !slices.ContainsFunc(c.Words, func(w string) bool { return strings.HasPrefix(w, "-") })
	f.scanRunner(shellline.Call{Dir: dir, Words: words, Decides: c.Decides && plainly}, depth)
}

// scriptWords are the words of a call of npm that may name a script.
func scriptWords(c shellline.Call) []string {
	var words []string
	for i := 1; i < len(c.Words); i++ {
		switch w := c.Words[i]; {
		case slices.Contains([]string{"-w", "--workspace", "--filter", "-F", "--prefix", "-C", "--dir", "--cwd"}, w):
			i++
		case w == "" || strings.HasPrefix(w, "-") || w == "run" || w == "run-script":
		case w == "workspace" && len(words) == 0: // yarn workspace NAME
			i++
		default:
			words = append(words, w)
		}
	}
	if len(words) > 0 && slices.Contains([]string{"t", "tst"}, words[0]) {
		words[0] = "test"
	}
	return words
}

// scanScripts protects what a script of a package leads to.
func (f *Scanner) scanScripts(dir string, words []string, decides bool, depth int) {
	text, _, err := fileio.Read(f.root, path.Join(dir, "package.json"), MaxPartBytes)
	if err != nil {
		f.addTests(dir, js)
		return
	}
	all := ScriptsOf(text)
	tested := false
	for _, w := range words {
		for _, name := range []string{"pre" + w, w, "post" + w} {
			script, ok := all[name]
			if !ok {
				continue
			}
			tested = true
			if !slices.Contains(f.unread, path.Join(dir, "package.json")) {
				f.scanLine(script, shellline.Location{Dir: dir, Root: f.dir, Decides: decides}, depth+1)
			}
		}
	}
	if tested || words[0] == "test" {
		f.addTests(dir, js)
	}
}

// workspaces are the folders whose scripts a call runs: all of them where it names
// one, since a name may be that of a package or of its folder.
func (f *Scanner) workspaces(c shellline.Call, dir string, words []string) []string {
	for _, w := range append([]string{words[0]}, c.Words[1:]...) {
		flag, _, _ := strings.Cut(w, "=")
		if slices.Contains([]string{
			"-w", "--workspace", "--workspaces", "-ws", "-r", "--recursive", "--filter", "-F",
			"workspace", "workspaces",
		}, flag) {
			return append([]string{dir}, f.workspacesOf(dir)...)
		}
	}
	return []string{dir}
}

// workspacesOf are the folders below dir that hold a package.json, if dir's own or
// pnpm's file says that there are such.
func (f *Scanner) workspacesOf(dir string) []string {
	var p struct {
		Workspaces any `json:"workspaces"`
	}
	text, _, err := fileio.Read(f.root, path.Join(dir, "package.json"), MaxPartBytes)
	if err != nil || json.Unmarshal(text, &p) != nil || p.Workspaces == nil &&
		!f.isFile(path.Join(dir, "pnpm-workspace.yaml")) {
		return nil
	}
	var list []string
	for _, e := range f.sorted() {
		if at := path.Dir(e.Path); path.Base(e.Path) == "package.json" && at != dir &&
			(dir == "." || strings.HasPrefix(at, dir+"/")) {
			list = append(list, at)
		}
	}
	return list
}

// ScriptsOf are the scripts of a package.json; none if it cannot be read.
func ScriptsOf(text []byte) map[string]string {
	var p struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal(text, &p) != nil {
		return nil
	}
	return p.Scripts
}
