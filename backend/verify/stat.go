package verify

import (
	"io/fs"
	"time"
)

// mtimeGranularity is how long after a change a second one may still bear the same time.
const mtimeGranularity = 2 * time.Second

// mtimeIsStable says that a change from now on would show in the file's times.
func mtimeIsStable(info fs.FileInfo) bool {
	return time.Since(time.Unix(0, ctime(info))) > mtimeGranularity
}
