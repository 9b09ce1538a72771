package fileio

import (
	"io/fs"
	"time"
)

// TimeGranularity is the time within which two changes of a file may have the same timestamp.
const TimeGranularity = 2 * time.Second

// IsStable reports whether a change from now on would show in the file's times.
func IsStable(info fs.FileInfo) bool {
	return time.Since(time.Unix(0, ChangeTime(info))) > TimeGranularity
}
