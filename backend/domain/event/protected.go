package event

import "strings"

// AboutProtected is the Warning.What of warnings about protected files.
const AboutProtected = "protected"

// ProtectedRestored warns that protected files were restored, and says where the changed versions are; backup is "" if
// none were kept.
func ProtectedRestored(files []string, backup string) *Warning {
	text := "protected files were restored: " + strings.Join(files, ", ")
	if backup != "" {
		text += "; the changed versions are in " + backup
	}
	return &Warning{What: AboutProtected, Text: text}
}

// ProtectedAccepted warns that the present versions of files became the protected ones. Each file is a path and a
// description of its content.
func ProtectedAccepted(files []string) *Warning {
	const text = "the user accepted the changes to protected files; these versions decide from now on: "
	return &Warning{What: AboutProtected, Text: text + strings.Join(files, ", ")}
}

// ProtectedFreed warns that files are no longer protected, so that the agent may change them.
func ProtectedFreed(files []string) *Warning {
	const text = "the user freed these protected files, so that the agent may change them: "
	return &Warning{What: AboutProtected, Text: text + strings.Join(files, ", ")}
}
