package event

import "strings"

const protected = "protected" // the What of both warnings

// ProtectedRestored warns that protected files were restored, and says where the changed versions are; aside is "" if
// none were kept.
func ProtectedRestored(files []string, aside string) *Warning {
	text := "protected files were restored: " + strings.Join(files, ", ")
	if aside != "" {
		text += "; the changed versions are in " + aside
	}
	return &Warning{What: protected, Text: text}
}

// ProtectedAccepted warns that the present versions of protected files are the protected ones from now on. Each file
// is a path and a description of its content.
func ProtectedAccepted(files []string) *Warning {
	const text = "the user accepted the changes to protected files; these versions decide from now on: "
	return &Warning{What: protected, Text: text + strings.Join(files, ", ")}
}
