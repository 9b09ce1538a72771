package sandbox

import (
	"fmt"
	"os"
	"strings"

	"goalpost/backend/host/sandbox/wire"
)

// withAdvice adds to the helper's error what the user can do.
func withAdvice(e *wire.Error) error {
	if e.Code != wire.SandboxError {
		return e
	}
	return fmt.Errorf("%w: %s. %s", ErrRefused, e.Text, kernelAdvice(e.Text))
}

// kernelAdvice returns advice about the setting of this kernel that must be changed.
func kernelAdvice(text string) string {
	switch {
	case sysctlOn("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"):
		return "This system denies rights in user namespaces to programs without an AppArmor profile: run make " +
			"sandbox-profile where you built Goalpost, or install its package, which has one"
	case sysctlIs("/proc/sys/kernel/unprivileged_userns_clone", "0"):
		return "This kernel denies user namespaces to ordinary users: sysctl kernel.unprivileged_userns_clone=1"
	case sysctlIs("/proc/sys/user/max_user_namespaces", "0"):
		return "This kernel allows no user namespaces: sysctl user.max_user_namespaces=10000"
	case strings.Contains(text, "Landlock"):
		return "A kernel of version 5.19 or newer is needed, with landlock in its lsm= list"
	case strings.Contains(text, "not permitted") && isContainer():
		return "This looks like a container: start it with --security-opt seccomp=unconfined --security-opt " +
			"apparmor=unconfined --security-opt systempaths=unconfined, or say --unconfined"
	}
	return "Say --unconfined to run this goal's programs with your own rights instead"
}

func sysctlIs(path, value string) bool {
	text, err := os.ReadFile(path)
	return err == nil && strings.TrimSpace(string(text)) == value
}

func sysctlOn(path string) bool { return sysctlIs(path, "1") }

func isContainer() bool {
	for _, path := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	text, err := os.ReadFile("/proc/1/environ")
	return err == nil && strings.Contains(string(text), "container=")
}
