package sandbox_test

import (
	"slices"
	"testing"

	"goalpost/backend/sandbox"
)

// TestKeep: what no list knows stays outside, whatever its name looks like.
func TestKeep(t *testing.T) {
	in := []string{"PATH=/bin", "HOME=/h", "LC_TIME=C", "GOFLAGS=-mod=mod", "npm_config_registry=http://r", "CANARY=x", "MYSQL_PWD=x", "STRIPE=sk_live", "PATHS=x", "LC=x", "BASH_ENV=/evil", "NAMED=1", "broken"}
	want := []string{"PATH=/bin", "HOME=/h", "LC_TIME=C", "GOFLAGS=-mod=mod", "npm_config_registry=http://r", "NAMED=1"}
	if got := sandbox.Keep(in, []string{"NAMED"}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
