package environ

import (
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/host/sandbox/wire"
)

// ForAgent returns the environment of a program inside a sandbox, with the addresses and paths of its proxy, caches
// and configuration. It drops variables of env about proxies, agents and buses, which do not exist inside.
func ForAgent(env []string, w spec.Spec) []string {
	var entries []string
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		if !slices.Contains(hostOnlyVariables, strings.ToUpper(name)) {
			entries = append(entries, entry)
		}
	}
	proxy := "http://" + spec.ProxyAddress
	host, port, _ := strings.Cut(spec.ProxyAddress, ":")
	const direct = "localhost,127.0.0.1,::1"
	extra := []string{
		"HOME=" + w.Home,
		"HTTP_PROXY=" + proxy, "http_proxy=" + proxy, "HTTPS_PROXY=" + proxy, "https_proxy=" + proxy, "ALL_PROXY=" + proxy,
		"all_proxy=" + proxy,
		"NO_PROXY=" + direct, "no_proxy=" + direct,
		"NODE_USE_ENV_PROXY=1", "npm_config_proxy=" + proxy, "npm_config_https_proxy=" + proxy, "npm_config_noproxy=" +
			direct, "npm_config_update_notifier=false",
		"CARGO_HTTP_PROXY=" + proxy, "PIP_PROXY=" + proxy, "PIP_DISABLE_PIP_VERSION_CHECK=1",
		"JAVA_TOOL_OPTIONS=-Dhttp.proxyHost=" + host + " -Dhttp.proxyPort=" + port + " -Dhttps.proxyHost=" + host +
			" -Dhttps.proxyPort=" + port + " -Dhttp.nonProxyHosts=localhost|127.*|[::1]",
		"GIT_CONFIG_SYSTEM=" + spec.GitConfigPath, "GIT_SSH_COMMAND=ssh -F " + spec.SSHConfigPath, "GIT_TERMINAL_PROMPT=0",
		// Nobody can answer an editor, a pager or a question of a program. An unchanged message suits every use of git's
		// editor but the first commit's; an unchanged list of rebase would do nothing, in silence.
		"GIT_EDITOR=true", "EDITOR=true", "VISUAL=true", "PAGER=cat", "GIT_PAGER=cat",
		`GIT_SEQUENCE_EDITOR=echo "No editor can be used here: set GIT_SEQUENCE_EDITOR to a command that changes the ` +
			`file, such as sed -i." >&2; false`,
		"DEBIAN_FRONTEND=noninteractive", "PIP_NO_INPUT=1", "npm_config_yes=true",
		// With these options tar works as for an ordinary user: the kernel refuses setuid and setgid files.
		"TAR_OPTIONS=--no-same-owner --no-same-permissions",
		"LSAN_OPTIONS=detect_leaks=0", // LeakSanitizer needs ptrace and fails every program without it
	}
	if w.ReadOnly {
		extra = append(extra, "TMPDIR=/dev/shm")
	}
	return Base(entries, extra...)
}

// ForCheck derives a check's environment from the agent's: no variable refers to a folder in which the agent can put
// programs or code.
func ForCheck(env []string, w spec.Spec) []string {
	var path []string
	for _, entry := range env {
		if list, ok := strings.CutPrefix(entry, "PATH="); ok {
			for _, dir := range filepath.SplitList(list) {
				if isReadOnly(w, dir) {
					path = append(path, dir)
				}
			}
		}
	}
	return Base(env, "PATH="+strings.Join(path, string(filepath.ListSeparator)),
		"PYTHONPYCACHEPREFIX=/tmp/.pycache", // otherwise Python would use compiled code beside the sources
	)
}

// isReadOnly reports whether the agent cannot write in a folder: it is outside the goal's folders, or a toolchain of
// the user.
func isReadOnly(w spec.Spec, dir string) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	dir = filepath.Clean(dir)
	inside := func(folders []string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return spec.IsBelow(dir, f) })
	}
	switch {
	case spec.IsBelow(dir, w.Dir), inside(w.Write):
		return false
	case inside(w.Tools), inside(w.Read):
		return true
	}
	return !inside(append([]string{w.Home, "/dev", "/run"}, wire.TmpNames...))
}

// hostOnlyVariables are variables that are only meaningful outside the sandbox.
var hostOnlyVariables = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO",
	"DBUS_SESSION_BUS_ADDRESS",
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "SESSION_MANAGER", "TMPDIR", "TMP", "TEMP",
	"DOCKER_HOST", "KUBECONFIG",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
	"GIT_ASKPASS", "SSH_ASKPASS",
	"PIP_CACHE_DIR", "NPM_CONFIG_CACHE", "NPM_CONFIG_USERCONFIG", "LD_LIBRARY_PATH", "MAIL", "WINDOWID", "VTE_VERSION",
	"TMUX", "STY",
}
