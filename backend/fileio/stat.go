package fileio

import (
	"io/fs"
	"time"
)

// TimeGranularity is how long after a change a second one may still bear the same time.
const TimeGranularity = 2 * time.Second

// IsStable says that a change from now on would show in the file's times.
func IsStable(info fs.FileInfo) bool {
	return time.Since(time.Unix(0, ChangeTime(info))) > TimeGranularity
}
