package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

// credentialPaths are where programs store keys and logins, below a home folder.
var credentialPaths = []string{
	".ssh", ".gnupg", ".netrc", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/glab-cli",
	".config/gcloud", ".config/op", ".aws", ".azure", ".kube", ".oci", ".docker/config.json",
	".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
	".m2/settings.xml", ".gradle/gradle.properties", ".nuget/NuGet", ".terraform.d/credentials.tfrc.json",
	".password-store", ".vault-token", ".pgpass", ".my.cnf", ".local/share/keyrings", ".local/share/kwalletd",
	".local/share/uv/credentials", ".pki", ".mozilla", ".thunderbird", ".config/chromium", ".config/google-chrome",
}

// credentialNames are names of files that hold keys and logins in any folder.
var credentialNames = []string{
	".netrc", ".git-credentials", ".npmrc", ".pypirc", ".pgpass", "credentials", "credentials.toml", "credentials.json",
	"auth.json", "auth.toml", "id_rsa", "id_ed25519", "id_ecdsa",
}

// Toolchains returns the additional folders that the user lets goals read. problems has an error for each folder of the
// settings that is left out.
func (r *Rules) Toolchains() (usable []string, problems []error) {
	for _, path := range filepath.SplitList(r.Config.Settings().Toolchains) {
		if err := r.validateToolchain(path); err != nil {
			problems = append(problems, err)
		} else {
			usable = append(usable, path)
		}
	}
	return usable, problems
}

// ValidateToolchains refuses a list with a folder that goals may not read.
func (r *Rules) ValidateToolchains(list string) error {
	for _, path := range filepath.SplitList(list) {
		if err := r.validateToolchain(path); err != nil {
			return err
		}
	}
	return nil
}

// validateToolchain refuses a folder that goals must not read, or whose programs checks cannot trust: a home folder,
// one with keys, one of the system or of Goalpost, or one that other users can change.
func (r *Rules) validateToolchain(path string) error {
	refuse := func(hint, format string, args ...any) error {
		return &fault.Error{Field: "toolchains", Message: fmt.Sprintf(format, args...), Hint: hint}
	}
	const own = "give a folder that contains only the programs"
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return refuse("give its whole path, such as /home/you/.zig", "%q is not a clean absolute path", path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return refuse("install it first, or remove it from the list", "%s does not exist", path)
	}
	info, err := os.Stat(real)
	if err != nil || !info.IsDir() {
		return refuse("give the folder that contains it", "%s is not a folder", path)
	}
	home, _ := os.UserHomeDir()
	for _, home := range homeDirs(home) {
		if policy.IsWithin(real, home) {
			return refuse(own, "%s is a home folder or contains one", path)
		}
		if key := findCredentials(real, home); key != "" {
			return refuse(own, "%s contains keys or logins: %s", path, key)
		}
	}
	if isSystemDir(real) {
		return refuse("goals see the system's programs without it", "%s belongs to the system", path)
	}
	for _, ours := range []string{r.Config.State(), r.Config.Work()} {
		if there, err := filepath.EvalSymlinks(ours); err == nil {
			ours = there
		}
		if policy.FoldersOverlap(ours, real) {
			return refuse(own, "%s contains Goalpost's data or goals' folders", path)
		}
	}
	if open := worldWritableParent(real); open != "" {
		return refuse("run chmod o-w on it",
			"other users of this machine can change %s, and checks would run programs from it", open)
	}
	return nil
}

// findCredentials returns the path of the first known file with keys or logins in a folder, "" if there is none. dir
// must not contain links.
func findCredentials(dir, home string) string {
	for _, name := range credentialPaths {
		place := filepath.Join(home, name)
		if policy.IsWithin(place, dir) {
			return place
		}
		if _, err := os.Lstat(place); err == nil && policy.IsWithin(dir, place) {
			return place
		}
	}
	for _, name := range credentialNames {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(dir, name)
		}
	}
	return ""
}

// worldWritableParent returns the first folder on the way up from path that other users can write or replace,
// "" if there is none.
func worldWritableParent(path string) string {
	const others = 0o002
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil || info.Mode()&others != 0 && (at == path || info.Mode()&os.ModeSticky == 0) {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}
