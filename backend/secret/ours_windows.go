package secret

import "os"

// ours relies on the profile folder, which only its owner may enter.
func ours(os.FileInfo) bool { return true }
