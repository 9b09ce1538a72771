package goalsandbox

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/config"
	"goalpost/backend/sandbox/environ"
)

// SecretEnvPattern matches variables that programs of goals must not see: names of secrets, and addresses with
// a password.
var SecretEnvPattern = regexp.MustCompile(
	`(?is)^[^=]*((api_?key|token|secret|pass|credential|webhook)[^=]*|_(key|pwd|pat|auth|dsn))=|^[^=]*=.*://[^/\s@:]*:[^/\s@]+@`)

// KeepVariable names variables, separated by commas, that programs of goals may see nevertheless.
const KeepVariable = "GOALPOST_KEEP_ENV"

func userKeptEnv() []string {
	return strings.FieldsFunc(os.Getenv(KeepVariable), func(r rune) bool { return r == ',' || r == ' ' })
}

// goalEnv returns the environment of a goal's programs: this program's own without keys and tokens, and
// without the providers' keys. Sandboxes remove more.
func goalEnv(providers []config.Provider) []string {
	keys := map[string]bool{}
	for _, p := range providers {
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
