package goalsandbox

import (
	"context"
	"slices"
	"strings"

	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/config"
)

// SecretEnvPattern matches variables that programs of goals must not see: those with the name of a secret, and
// addresses with a password.
var SecretEnvPattern = text.NewPattern(`(?is)` +
	`^[^=]*((api_?key|token|secret|pass|credential|webhook)[^=]*|_(key|pwd|pat|auth|dsn))=` +
	`|^[^=]*=.*://[^/\s@:]*:[^/\s@]+@`)

// KeepVariable is a variable that lists, separated by commas, the variables that programs of goals may see anyway.
const KeepVariable = "GOALPOST_KEEP_ENV"

func userKeptEnv(ctx context.Context) []string {
	return strings.FieldsFunc(environ.Get(ctx, KeepVariable), func(r rune) bool { return r == ',' || r == ' ' })
}

// goalEnv returns the environment of a goal's programs: that of its caller without keys, tokens and the providers'
// keys. Sandboxes remove more.
func goalEnv(ctx context.Context, providers []config.Provider) []string {
	keys := map[string]bool{}
	for _, p := range providers {
		keys[p.APIKeyEnv] = true
	}
	var base []string
	names := userKeptEnv(ctx)
	for _, entry := range environ.Of(ctx) {
		name, _, _ := strings.Cut(entry, "=")
		if !keys[name] && (!SecretEnvPattern.MatchString(entry) || slices.Contains(names, name)) {
			base = append(base, entry)
		}
	}
	return environ.Base(base)
}
