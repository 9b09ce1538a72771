package tools

import (
	"strings"
	"testing"
)

// TestReadOnlyHint_ProtectedFile_NamesIt: the hint names the protected file. Other errors get no hint.
func TestReadOnlyHint_ProtectedFile_NamesIt(t *testing.T) {
	r := Deps{Protected: map[string]string{"tests/a.py": "an existing test", "check.sh": "the check runs it"}}
	for output, want := range map[string]string{
		"sh: 1: cannot create check.sh: Read-only file system":        "remove them: check.sh (the check runs it). ",
		"rm: cannot remove 'tests/a.py': Device or resource busy":     "remove them: tests/a.py (an existing test). ",
		"error: unable to write: Read-only file system":               "check.sh (the check runs it), tests/a.py (an ",
		"EROFS: read-only file system, open '/w/tests/a.py'":          "request_access: kind write, its path, and why",
		"check.sh: no such file":                                      "",
		"sh: 1: cannot create /usr/x: Permission denied, tests/a.py!": "",
	} {
		if got := r.readOnlyHint(output); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
	if got := (Deps{}).readOnlyHint("Read-only file system"); got != "" {
		t.Errorf("nothing is protected: %q", got)
	}
}

func TestGitHint_RepositoryOrKeyMissing_SaysWhatToAskFor(t *testing.T) {
	r := Deps{MissingGit: "Git does not work here", SandboxRisk: "write_local"}
	for output, want := range map[string]string{
		"fatal: not a git repository (or any parent up to mount point /)":      "Git does not work here",
		"error: gpg failed to sign the data\nfatal: failed to write commit":    "--no-gpg-sign",
		"fatal: either user.signingkey or gpg.ssh.defaultKeyCommand needs to":  "--no-gpg-sign",
		"error: Couldn't load public key /home/a/.ssh/id.pub: No such file":    "--no-gpg-sign",
		"On branch main, and the file notes.txt has the words gpg and signing": "",
	} {
		if got := r.gitHint(output); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}

func TestPrivilegeHint_ProgramRefusesRoot_NamesAnotherUser(t *testing.T) {
	r := Deps{SandboxRisk: "write_local"}
	for output, want := range map[string]string{
		"initdb: error: cannot be run as root\n":                      "setpriv --reuid 1000",
		`"root" execution of the PostgreSQL server is not permitted.`: "setpriv --reuid 1000",
		"[Entrypoint]: Please don't run this program as root!":        "setpriv --reuid 1000",
		"E: are you root?":      "sudo, apt",
		"the tests run as root": "",
	} {
		if got := r.privilegeHint(false, output); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
