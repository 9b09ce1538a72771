package environ_test

import (
	"slices"
	"testing"

	"goalpost/backend/host/sandbox/environ"
)

// TestAllowed_UnknownVariables_AreRemoved: variables that are not on the list are removed, whatever their names are.
func TestAllowed_UnknownVariables_AreRemoved(t *testing.T) {
	in := []string{
		"PATH=/bin", "HOME=/h", "LC_TIME=C", "GOFLAGS=-mod=mod", "npm_config_registry=http://r", "CANARY=x", "MYSQL_PWD=x",
		"STRIPE=sk_live", "PATHS=x", "LC=x", "BASH_ENV=/evil", "NAMED=1", "broken",
		"MAVEN_OPTS=-Xmx1g -Drepo.password=mvnpw1234", "GRADLE_OPTS=-DsigningPassword=grpw1234", "SBT_OPTS=-Dnexus.pw=x1",
		"NODE_OPTIONS=--max-old-space-size=4096", "JAVA_OPTS=-Xss4m -Dfile.encoding=UTF-8",
	}
	want := []string{
		"PATH=/bin", "HOME=/h", "LC_TIME=C", "GOFLAGS=-mod=mod", "npm_config_registry=http://r", "NAMED=1",
		"NODE_OPTIONS=--max-old-space-size=4096", "JAVA_OPTS=-Xss4m -Dfile.encoding=UTF-8",
	}
	if got := environ.Allowed(in, []string{"NAMED"}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
