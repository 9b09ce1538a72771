package event

import "strings"

const protected = "protected" // the What of both

// ProtectedRestored warns that protected files are again what they were, and says where
// the changed versions are; aside is "" if there was nothing to keep.
func ProtectedRestored(files []string, aside string) *Warning {
	text := "protected files were put back to what they were: " + strings.Join(files, ", ")
	if aside != "" {
		text += "; the changed versions are in " + aside
	}
	return &Warning{What: protected, Text: text}
}

// ProtectedAccepted warns that the present versions of protected files, each a path and
// what it holds, decide from now on.
func ProtectedAccepted(files []string) *Warning {
	const text = "the user accepted the changes to protected files; these versions decide from now on: "
	return &Warning{What: protected, Text: text + strings.Join(files, ", ")}
}
