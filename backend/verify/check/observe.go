package check

import (
	"os"
	"path/filepath"

	"goalpost/backend/fileio"
	"goalpost/backend/goal"
	"goalpost/backend/process"
	"goalpost/backend/verify/inputs"
)

// maxScriptBytes is the longest script that is read to see what it names, in bytes.
const maxScriptBytes = 256 << 10

// observe notes in a verdict which files of the goal's folder a command used, where anybody could see it.
func (e Environment) observe(c Indexed, out process.Output, v goal.Verdict) goal.Verdict {
	if out.Trace == nil {
		v.Observed = goal.NotObserved
		return v
	}
	v.Observed = goal.WasObserved
	v.Observation = ReduceTrace(*out.Trace, e.Dir, c.Command)
	if v.Observation.Incomplete != "" {
		v.Observed = goal.PartlyObserved
	}
	return v
}

// ReduceTrace reduces the trace of a check's command to what it did with the goal's folder. States is left empty.
func ReduceTrace(t process.Trace, dir, command string) *goal.Observation {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	scope := inputs.Scope{Dir: dir, Command: command}
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
