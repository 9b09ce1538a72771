package mounts_test

import (
	"slices"
	"strings"
	"testing"

	"goalpost/backend/host/sandbox/mounts"
)

// TestToolchains_Credentials_AreHidden: the files with the credentials of toolchains are not visible to every goal.
func TestToolchains_Credentials_AreHidden(t *testing.T) {
	list := mounts.Toolchains("/home/ann", func(string) string { return "" })
	for _, c := range mounts.Caches("/home/ann", func(string) string { return "" }) {
		list = append(list, c.From)
	}
	seen := func(file string) bool {
		return slices.ContainsFunc(list, func(dir string) bool { return file == dir || strings.HasPrefix(file, dir+"/") })
	}
	for _, key := range []string{
		".local/share/uv/credentials/credentials.toml", ".dotnet/corefx/cryptography/x509stores/my/a.pfx",
		".dotnet/.aspnet/key.xml",
		".cargo/credentials.toml", ".cargo/credentials", ".npmrc", ".config/pnpm/rc", ".yarnrc.yml", ".pypirc", ".netrc",
		".m2/settings.xml", ".m2/settings-security.xml",
		".gradle/gradle.properties", ".nuget/NuGet/NuGet.Config", ".config/pypoetry/auth.toml", ".config/composer/auth.json",
		".composer/auth.json",
		".gem/credentials", ".bundle/config", ".config/go/env", ".docker/config.json", ".config/gh/hosts.yml",
		".ssh/id_ed25519", ".hex/hex.config", ".android/adbkey",
		".julia/servers/pkg/auth.toml", ".bunfig.toml", ".deno/credentials",
	} {
		if seen("/home/ann/" + key) {
			t.Errorf("every goal sees ~/%s", key)
		}
	}
	for _, program := range []string{
		".local/share/uv/python/cpython-3.13/bin/python3",
		".local/share/uv/tools/ruff/bin/ruff", ".dotnet/dotnet", ".dotnet/sdk/9.0.1/MSBuild.dll", ".dotnet/shared/a",
		".dotnet/tools/csharpier",
	} {
		if !seen("/home/ann/" + program) {
			t.Errorf("no goal sees ~/%s", program)
		}
	}
}
