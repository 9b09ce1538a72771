package check

import (
	"os"
	"path"
	"path/filepath"

	"goalpost/backend/core/verify/inputs"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/fileio"
)

// maxScriptBytes is the longest script that is searched for names, in bytes.
const maxScriptBytes = 256 << 10

// observe adds to a verdict which files of the goal's folder a command used, if it was traced.
func (e Environment) observe(c Item, out process.Output, v goal.Verdict) goal.Verdict {
	if out.Trace == nil {
		v.Observed = goal.NotObserved
		return v
	}
	v.Observed = goal.WasObserved
	v.Observation = ReduceTrace(*out.Trace, e.Dir, c.Check)
	if v.Observation.Incomplete != "" {
		v.Observed = goal.PartlyObserved
	}
	return v
}

// ReduceTrace reduces the trace of a check's command to what it did with the goal's folder. It leaves States empty.
func ReduceTrace(t process.Trace, dir string, c goal.Check) *goal.Observation {
	if realDir, err := filepath.EvalSymlinks(dir); err == nil {
		dir = realDir
	}
	scope := inputs.Scope{Dir: dir, At: path.Clean(c.Dir), Command: c.Command, OnlyOutput: c.Type == goal.JSONPredicate}
	root, err := os.OpenRoot(dir)
	if err == nil {
		defer func() { _ = root.Close() }()
		scope.Text = func(file string) []byte {
			text, _, _ := fileio.Read(root, file, maxScriptBytes) // nil where it cannot be read
			return text
		}
	}
	return inputs.Observe(t, scope)
}
