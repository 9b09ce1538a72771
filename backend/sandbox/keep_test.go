package sandbox_test

import (
	"slices"
	"strings"
	"testing"

	"goalpost/backend/sandbox"
)

// TestKeep: what no list knows stays outside, whatever its name looks like.
func TestKeep(t *testing.T) {
	in := []string{
		"PATH=/bin", "HOME=/h", "LC_TIME=C", "GOFLAGS=-mod=mod", "npm_config_registry=http://r", "CANARY=x", "MYSQL_PWD=x", "STRIPE=sk_live", "PATHS=x", "LC=x", "BASH_ENV=/evil", "NAMED=1", "broken",
		"MAVEN_OPTS=-Xmx1g -Drepo.password=mvnpw1234", "GRADLE_OPTS=-DsigningPassword=grpw1234", "SBT_OPTS=-Dnexus.pw=x1", "NODE_OPTIONS=--max-old-space-size=4096", "JAVA_OPTS=-Xss4m -Dfile.encoding=UTF-8",
	}
	want := []string{"PATH=/bin", "HOME=/h", "LC_TIME=C", "GOFLAGS=-mod=mod", "npm_config_registry=http://r", "NAMED=1", "NODE_OPTIONS=--max-old-space-size=4096", "JAVA_OPTS=-Xss4m -Dfile.encoding=UTF-8"}
	if got := sandbox.AllowedEnv(in, []string{"NAMED"}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestToolchainsShowNoKeys: where the programs of a user's toolchains keep what
// they log in with is not among what every goal sees.
func TestToolchainsShowNoKeys(t *testing.T) {
	list := sandbox.Toolchains("/home/ann", func(string) string { return "" })
	for _, c := range sandbox.Caches("/home/ann", func(string) string { return "" }) {
		list = append(list, c.From)
	}
	seen := func(file string) bool {
		return slices.ContainsFunc(list, func(dir string) bool { return file == dir || strings.HasPrefix(file, dir+"/") })
	}
	for _, key := range []string{
		".local/share/uv/credentials/credentials.toml", ".dotnet/corefx/cryptography/x509stores/my/a.pfx", ".dotnet/.aspnet/key.xml",
		".cargo/credentials.toml", ".cargo/credentials", ".npmrc", ".config/pnpm/rc", ".yarnrc.yml", ".pypirc", ".netrc", ".m2/settings.xml", ".m2/settings-security.xml",
		".gradle/gradle.properties", ".nuget/NuGet/NuGet.Config", ".config/pypoetry/auth.toml", ".config/composer/auth.json", ".composer/auth.json",
		".gem/credentials", ".bundle/config", ".config/go/env", ".docker/config.json", ".config/gh/hosts.yml", ".ssh/id_ed25519", ".hex/hex.config", ".android/adbkey",
		".julia/servers/pkg/auth.toml", ".bunfig.toml", ".deno/credentials",
	} {
		if seen("/home/ann/" + key) {
			t.Errorf("every goal sees ~/%s", key)
		}
	}
	for _, program := range []string{".local/share/uv/python/cpython-3.13/bin/python3", ".local/share/uv/tools/ruff/bin/ruff", ".dotnet/dotnet", ".dotnet/sdk/9.0.1/MSBuild.dll", ".dotnet/shared/a", ".dotnet/tools/csharpier"} {
		if !seen("/home/ann/" + program) {
			t.Errorf("no goal sees ~/%s", program)
		}
	}
}
