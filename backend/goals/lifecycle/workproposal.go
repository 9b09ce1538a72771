package lifecycle

import (
	"os"
	"path"
	"slices"
	"strings"

	"goalpost/backend/core/verify/inputs"
)

// maxProposed is how many paths a proposal may have. If there are more, the work is too scattered for one.
const maxProposed = 6

// proposeWork returns folders and files to which an agent could be limited, for --work. It proposes the largest folders
// that contain work, or files that the check writes, but no file that decides. In folders with files that decide, it
// proposes single files. If the check needs a new file in such a folder, it returns none, because only existing files
// can be granted.
func proposeWork(s inputs.Scope, decides, work, outputs, missing []string) []string {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	p := workProposal{root: root, judged: map[string]bool{}}
	for _, file := range decides {
		for above := path.Dir(file); above != "."; above = path.Dir(above) {
			p.judged[above] = true
		}
	}
	for _, file := range work {
		p.add(file, true)
	}
	for _, file := range outputs {
		p.add(file, false)
	}
	for _, file := range missing {
		if s.IsNamed(file) && !p.add(file, false) {
			return nil
		}
	}
	slices.Sort(p.paths)
	if len(p.paths) > maxProposed {
		return nil
	}
	return p.paths
}

// workProposal collects the paths of a proposal.
type workProposal struct {
	root   *os.Root
	judged map[string]bool // folders with a file that decides, at any depth
	paths  []string
}

// add adds the largest folder of a file in which no file decides, otherwise the file itself if single is true. It
// reports whether the proposal now covers the file.
func (w *workProposal) add(file string, single bool) bool {
	if isHidden(file) || inputs.IsInstalled(file) {
		return true // not the work
	}
	parts := strings.Split(file, "/")
	for i := 1; i < len(parts); i++ {
		dir := path.Join(parts[:i]...)
		if w.judged[dir] {
			continue
		}
		if info, err := w.root.Lstat(dir); err == nil && info.IsDir() {
			w.append(dir + "/")
			return true
		}
		return false
	}
	if !single {
		return false
	}
	if info, err := w.root.Lstat(file); err == nil && info.Mode().IsRegular() {
		w.append(file)
	}
	return true
}

func (w *workProposal) append(name string) {
	if !slices.Contains(w.paths, name) {
		w.paths = append(w.paths, name)
	}
}

// isHidden reports whether a file is in a folder of caches or of a repository, or is a hidden file.
func isHidden(file string) bool {
	return slices.ContainsFunc(strings.Split(file, "/"), func(name string) bool {
		return strings.HasPrefix(name, ".") || name == "__pycache__"
	})
}
