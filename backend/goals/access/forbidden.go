package access

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"goalpost/backend/domain/policy"
)

// homesIn lists the home folders of users and of root in the text of /etc/passwd.
func homesIn(passwd string) (list []string) {
	const home, uid, fields, minUserID = 5, 2, 6, 1000
	for line := range strings.Lines(passwd) {
		parts := strings.Split(strings.TrimSpace(line), ":")
		if len(parts) < fields {
			continue
		}
		n, err := strconv.Atoi(parts[uid])
		if err != nil || n != 0 && n < minUserID || !filepath.IsAbs(parts[home]) || filepath.Clean(parts[home]) == "/" {
			continue
		}
		list = append(list, filepath.Clean(parts[home]))
	}
	return list
}

// homeDirs lists the home folders of all users of this machine, with links resolved.
func homeDirs(home string) (list []string) {
	passwd, _ := os.ReadFile("/etc/passwd") // other systems have none
	for _, home := range append(homesIn(string(passwd)), home) {
		if real, err := filepath.EvalSymlinks(home); err == nil {
			home = real
		}
		if home != "" {
			list = append(list, home)
		}
	}
	return list
}

// A goal may not work in systemDirs or below them. It may work below systemTopDirs, but not in them.
var (
	systemDirs = []string{
		"/etc", "/usr", "/boot", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/dev",
		"/proc", "/sys", "/run",
	}
	systemTopDirs = []string{
		"/", "/var", "/var/lib", "/var/log", "/var/cache", "/var/spool", "/home", "/srv", "/opt",
		"/root", "/mnt", "/media",
	}
)

// forbiddenGoalDir returns why no goal may work in a folder, "" if it may. The path must not contain links.
func forbiddenGoalDir(dir string, homes []string) (reason, hint string) {
	for _, home := range homes {
		if policy.IsWithin(dir, home) {
			return dir + " is a home folder or contains one", "choose a folder below it, so that the goal cannot touch the rest"
		}
		if rel, err := filepath.Rel(home, dir); err == nil && policy.IsWithin(home, dir) &&
			strings.Contains("/"+filepath.ToSlash(rel), "/.") {
			return dir + " is a hidden folder of a home folder, where programs keep keys and settings",
				"choose a folder whose path has no name that begins with a dot"
		}
	}
	if isSystemDir(dir) {
		return dir + " belongs to the system", "choose a folder of your own"
	}
	return "", ""
}

func isSystemDir(dir string) bool {
	for _, systemDir := range systemDirs {
		if policy.IsWithin(systemDir, dir) && !policy.IsWithin("/dev/shm", dir) {
			return true
		}
	}
	return slices.Contains(systemTopDirs, dir)
}
