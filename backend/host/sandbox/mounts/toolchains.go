package mounts

import (
	"path/filepath"
	"strings"

	"goalpost/backend/host/sandbox/spec"
)

// Toolchains returns the user's toolchains that a goal's programs can see: the usual folders below home and those
// that the environment names. Missing ones are left out later.
func Toolchains(home string, getenv func(string) string) []string {
	var list []string
	for _, name := range []string{
		"go/bin", "sdk", ".cargo/bin", ".rustup", ".nvm", ".pyenv", ".rbenv", ".nodenv", ".asdf", ".volta", ".bun/bin",
		".deno/bin", ".sdkman", ".juliaup",
		".ghcup/bin", ".local/bin", ".local/lib", ".local/share/mise", ".local/share/fnm", ".local/share/pnpm",
		".cache/ms-playwright",
		// Only parts of these: uv stores index passwords beside them, .NET private keys.
		".local/share/uv/python", ".local/share/uv/tools",
		".dotnet/dotnet", ".dotnet/host", ".dotnet/library-packs", ".dotnet/metadata", ".dotnet/packs", ".dotnet/sdk",
		".dotnet/sdk-manifests", ".dotnet/shared", ".dotnet/templates", ".dotnet/tools",
	} {
		list = append(list, filepath.Join(home, name))
	}
	for _, name := range []string{
		"GOROOT", "RUSTUP_HOME", "NVM_DIR", "PYENV_ROOT", "VOLTA_HOME", "JAVA_HOME",
		"ANDROID_HOME", "GOBIN",
	} {
		list = addExisting(list, getenv(name), "")
	}
	for _, path := range filepath.SplitList(getenv("GOPATH")) {
		list = addExisting(list, path, "bin")
	}
	return list
}

func addExisting(list []string, dir, name string) []string {
	path := filepath.Join(dir, name)
	// System folders are visible anyway, and the root is not a toolchain.
	if !filepath.IsAbs(path) || path == "/" || strings.HasPrefix(path, "/usr/") {
		return list
	}
	for _, have := range list {
		if have == path {
			return list
		}
	}
	return append(list, path)
}

// Caches returns the user's caches that a goal's programs may read, and add to in an overlay of their own: where the
// environment or convention puts them.
func Caches(home string, getenv func(string) string) []spec.Cache {
	cache := getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(cache) {
		cache = filepath.Join(home, ".cache")
	}
	gopath := filepath.Join(home, "go")
	if list := filepath.SplitList(getenv("GOPATH")); len(list) > 0 && filepath.IsAbs(list[0]) {
		gopath = list[0]
	}
	list := []spec.Cache{
		cacheInPlace(getenv("GOMODCACHE"), filepath.Join(gopath, "pkg", "mod")),
		relocatedCache(getenv("GOCACHE"), filepath.Join(cache, "go-build"), filepath.Join(home, ".cache", "go-build")),
	}
	for _, name := range []string{"pip", "uv", "yarn", "node", "pypoetry", "composer"} {
		list = append(list, spec.Cache{From: filepath.Join(cache, name), To: filepath.Join(home, ".cache", name)})
	}
	for _, name := range []string{
		".npm/_cacache", ".cargo/registry", ".cargo/git", ".gradle/caches", ".m2/repository",
		".nuget/packages", ".local/share/pnpm/store",
	} {
		list = append(list, spec.Cache{From: filepath.Join(home, name), To: filepath.Join(home, name)})
	}
	return list
}

// cacheInPlace returns a cache that programs see at its own path: the configured one, otherwise the default.
func cacheInPlace(setting, fallback string) spec.Cache {
	if filepath.IsAbs(setting) {
		fallback = filepath.Clean(setting)
	}
	return spec.Cache{From: fallback, To: fallback}
}

// relocatedCache returns the cache at the configured path if there is one, and otherwise the cache at from, which
// programs see at to.
func relocatedCache(setting, from, to string) spec.Cache {
	if filepath.IsAbs(setting) {
		return spec.Cache{From: filepath.Clean(setting), To: filepath.Clean(setting)}
	}
	return spec.Cache{From: from, To: to}
}
