package goalsandbox

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/sandbox/environ"
)

// SecretEnvPattern matches variables that a goal's programs have no business with: by their
// names, and by addresses with a password in them.
var SecretEnvPattern = regexp.MustCompile(
	`(?is)^[^=]*((api_?key|token|secret|pass|credential|webhook)[^=]*|_(key|pwd|pat|auth|dsn))=|^[^=]*=.*://[^/\s@:]*:[^/\s@]+@`)

// KeepVariable names variables, with commas between, that the user wants the
// programs of goals to have, too.
const KeepVariable = "GOALPOST_KEEP_ENV"

func userKeptEnv() []string {
	return strings.FieldsFunc(os.Getenv(KeepVariable), func(r rune) bool { return r == ',' || r == ' ' })
}

// goalEnv is the environment of a goal's programs: this program's own without
// keys and tokens, and without what a provider names as its key. Inside a sandbox
// much less of it is kept.
func (f *Factory) goalEnv() []string {
	keys := map[string]bool{}
	for _, p := range f.Config.Providers() {
		keys[p.APIKeyEnv] = true
	}
	var base []string
	kept := userKeptEnv()
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !keys[name] && (!SecretEnvPattern.MatchString(entry) || slices.Contains(kept, name)) {
			base = append(base, entry)
		}
	}
	return environ.Base(base)
}
