package access

import (
	"slices"
	"testing"
)

// TestValidateExistingDir_HomeFolder_IsRefused: no goal may work in the home folder of any user, whichever user runs
// the program.
func TestValidateExistingDir_HomeFolder_IsRefused(t *testing.T) {
	homes := homesIn("root:x:0:0:root:/root:/bin/bash\n" +
		"daemon:x:1:1::/usr/sbin:/x\n" +
		"anna:x:1000:1000::/home/anna:/bin/sh\n" +
		"bad\n" +
		"slash:x:1001:1::/:/x\n" +
		"ben:x:1002:1::/data/ben/:/x\n")
	if want := []string{"/root", "/home/anna", "/data/ben"}; !slices.Equal(homes, want) {
		t.Errorf("%q", homes)
	}
	for dir, refused := range map[string]bool{
		"/":                 true,
		"/home":             true,
		"/home/anna":        true,
		"/home/anna/.ssh":   true,
		"/home/anna/a/.b/c": true,
		"/root":             true,
		"/data":             true,
		"/data/ben":         true,
		"/etc":              true,
		"/etc/nginx":        true,
		"/usr/lib":          true,
		"/var":              true,
		"/var/lib":          true,
		"/boot":             true,
		"/opt":              true,
		"/srv":              true,
		"/proc/self":        true,
		"/run/x":            true,
		"/home/anna/work":   false,
		"/root/work":        false,
		"/data/ben/x":       false,
		"/data/else":        false,
		"/var/www/site":     false,
		"/srv/site":         false,
		"/opt/mine":         false,
		"/tmp/x":            false,
		"/dev/shm/x":        false,
	} {
		if reason, _ := forbiddenGoalDir(dir, homes); (reason != "") != refused {
			t.Errorf("%s: %q", dir, reason)
		}
	}
}
