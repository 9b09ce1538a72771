package commandline

import (
	"slices"
	"strings"

	"goalpost/backend/lib/text"
)

// launcherPrograms are programs that start another one.
var launcherPrograms = []string{
	"sudo", "doas", "env", "nice", "ionice", "chrt", "taskset", "nohup", "setsid", "timeout", "time", "exec",
	"command", "builtin", "xargs", "parallel", "sem", "stdbuf", "unbuffer", "watch", "busybox", "flock", "strace",
	"ltrace", "npx", "pnpx", "bunx", "uvx", "corepack", "runuser", "pkexec", "run0", "fakeroot", "setarch",
	"prlimit", "numactl", "valgrind", "rlwrap", "chronic", "dbus-run-session", "dbus-launch", "ssh-agent",
	"systemd-run", "systemd-inhibit", "setpriv", "chroot", "nsenter", "unshare", "firejail", "bwrap", "proot",
	"cgexec", "cpulimit", "choom", "capsh", "sg", "gosu", "su-exec", "setuidgid", "chpst", "tini", "dumb-init",
	"dotenv", "dotenvx", "cross-env", "env-cmd", "envdir", "xvfb-run", "xterm", "faketime", "eatmydata",
	"caffeinate", "torsocks", "torify", "tsocks", "proxychains", "proxychains4", "entr", "watchexec", "hyperfine",
	"concurrently", "nix-shell",
	"noglob", "nocorrect", "and", "or", "not", "repeat", // keywords of zsh and fish
}

// launcherSubcommands are the subcommands of programs that start another program.
var launcherSubcommands = map[string][]string{
	"perf":       {"stat", "record", "trace"},
	"npm":        {"exec", "x"},
	"pnpm":       {"exec", "dlx"},
	"yarn":       {"exec", "dlx", "run"},
	"bun":        {"x"},
	"uv":         {"run", "tool"},
	"pipx":       {"run"},
	"poetry":     {"run"},
	"pipenv":     {"run"},
	"pdm":        {"run"},
	"rye":        {"run"},
	"hatch":      {"run"},
	"conda":      {"run"},
	"mamba":      {"run"},
	"micromamba": {"run"},
	"bundle":     {"exec"},
	"mise":       {"exec", "x"},
	"rtx":        {"exec", "x"},
	"asdf":       {"exec"},
	"rbenv":      {"exec"},
	"pyenv":      {"exec"},
	"nodenv":     {"exec"},
	"nvm":        {"exec"},
	"fnm":        {"exec"},
	"volta":      {"run"},
	"direnv":     {"exec"},
	"nix":        {"develop", "shell"},
	"foreman":    {"run"},
	"distrobox":  {"enter"},
	"toolbox":    {"run"},
}

// launchersWithOperand are launchers with an operand before the program that may not look like a number: a file, a
// user, an architecture.
var launchersWithOperand = []string{
	"flock", "setarch", "taskset", "chroot", "runuser", "sg", "gosu", "su-exec",
	"setuidgid", "envdir", "faketime", "direnv",
}

// launchersTakingShell are launchers whose options may pass a command line to a shell.
var launchersTakingShell = []string{"flock", "runuser", "sg", "capsh", "nix-shell", "nix"}

// parseShellOption reports whether an option, possibly abbreviated, takes a command line, and returns the line if it is
// in the same word.
func parseShellOption(arg string) (line string, takes bool) {
	if !strings.HasPrefix(arg, "--") {
		_, line, takes = strings.Cut(arg, "c")
		return line, takes && arg[0] == '-'
	}
	name, line, _ := strings.Cut(arg, "=")
	return line, len(name) > len("--") && slices.ContainsFunc([]string{"--command", "--session-command", "--run"},
		func(o string) bool { return strings.HasPrefix(o, name) })
}

// maxLeadingWords is the maximum number of words before the subcommand that starts a program.
const maxLeadingWords = 4

// duration matches an operand before the program: the time of timeout or flock, or a priority.
var duration = text.NewPattern(`^[0-9.]+[smhd]?$`)

// skipLauncherOptions skips the options, variables and numbers before the program that a launcher starts. The word
// after an option may be its value or the program, so both interpretations are returned.
func skipLauncherOptions(args []string) [][]string {
	var list [][]string
	for i, a := range args {
		if strings.HasPrefix(a, "-") || strings.Contains(a, "=") || duration.MatchString(a) || a == "run" {
			continue
		}
		list = append(list, args[i:])
		if i == 0 || !strings.HasPrefix(args[i-1], "-") || args[i-1] == "--" || strings.Contains(args[i-1], "=") {
			break
		}
	}
	return list
}
