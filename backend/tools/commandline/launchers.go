package commandline

import (
	"regexp"
	"slices"
	"strings"
)

// launcherPrograms are programs that start another one: with the subcommands that do so, or with none.
var launcherPrograms = map[string][]string{
	"sudo":             nil,
	"doas":             nil,
	"env":              nil,
	"nice":             nil,
	"ionice":           nil,
	"chrt":             nil,
	"taskset":          nil,
	"nohup":            nil,
	"setsid":           nil,
	"timeout":          nil,
	"time":             nil,
	"exec":             nil,
	"command":          nil,
	"builtin":          nil,
	"xargs":            nil,
	"parallel":         nil,
	"sem":              nil,
	"stdbuf":           nil,
	"unbuffer":         nil,
	"watch":            nil,
	"busybox":          nil,
	"flock":            nil,
	"strace":           nil,
	"ltrace":           nil,
	"npx":              nil,
	"pnpx":             nil,
	"bunx":             nil,
	"uvx":              nil,
	"corepack":         nil,
	"runuser":          nil,
	"pkexec":           nil,
	"run0":             nil,
	"fakeroot":         nil,
	"setarch":          nil,
	"prlimit":          nil,
	"numactl":          nil,
	"valgrind":         nil,
	"rlwrap":           nil,
	"chronic":          nil,
	"dbus-run-session": nil,
	"dbus-launch":      nil,
	"ssh-agent":        nil,
	"systemd-run":      nil,
	"systemd-inhibit":  nil,
	"setpriv":          nil,
	"chroot":           nil,
	"nsenter":          nil,
	"unshare":          nil,
	"firejail":         nil,
	"bwrap":            nil,
	"proot":            nil,
	"cgexec":           nil,
	"cpulimit":         nil,
	"choom":            nil,
	"capsh":            nil,
	"sg":               nil,
	"gosu":             nil,
	"su-exec":          nil,
	"setuidgid":        nil,
	"chpst":            nil,
	"tini":             nil,
	"dumb-init":        nil,
	"dotenv":           nil,
	"dotenvx":          nil,
	"cross-env":        nil,
	"env-cmd":          nil,
	"envdir":           nil,
	"xvfb-run":         nil,
	"xterm":            nil,
	"faketime":         nil,
	"eatmydata":        nil,
	"caffeinate":       nil,
	"torsocks":         nil,
	"torify":           nil,
	"tsocks":           nil,
	"proxychains":      nil,
	"proxychains4":     nil,
	"entr":             nil,
	"watchexec":        nil,
	"hyperfine":        nil,
	"concurrently":     nil,
	"nix-shell":        nil,
	"perf":             {"stat", "record", "trace"},
	"noglob":           nil,
	"nocorrect":        nil,
	"and":              nil,
	"or":               nil,
	"not":              nil,
	"repeat":           nil, // words of zsh and fish
	"npm":              {"exec", "x"},
	"pnpm":             {"exec", "dlx"},
	"yarn":             {"exec", "dlx", "run"},
	"bun":              {"x"},
	"uv":               {"run", "tool"},
	"pipx":             {"run"},
	"poetry":           {"run"},
	"pipenv":           {"run"},
	"pdm":              {"run"},
	"rye":              {"run"},
	"hatch":            {"run"},
	"conda":            {"run"},
	"mamba":            {"run"},
	"micromamba":       {"run"},
	"bundle":           {"exec"},
	"mise":             {"exec", "x"},
	"rtx":              {"exec", "x"},
	"asdf":             {"exec"},
	"rbenv":            {"exec"},
	"pyenv":            {"exec"},
	"nodenv":           {"exec"},
	"nvm":              {"exec"},
	"fnm":              {"exec"},
	"volta":            {"run"},
	"direnv":           {"exec"},
	"nix":              {"develop", "shell"},
	"foreman":          {"run"},
	"distrobox":        {"enter"},
	"toolbox":          {"run"},
}

// launchersWithOperand are launchers with an operand before the program that need not look like a number: a file, a
// user, an architecture.
var launchersWithOperand = []string{
	"flock", "setarch", "taskset", "chroot", "runuser", "sg", "gosu", "su-exec",
	"setuidgid", "envdir", "faketime", "direnv",
}

// launchersTakingShell are launchers whose options may pass a command line to a shell.
var launchersTakingShell = []string{"flock", "runuser", "sg", "capsh", "nix-shell", "nix"}

// parseShellOption reports whether an option, perhaps abbreviated, takes a command line, and returns the line if it
// is in the same word.
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

// duration matches the operand of timeout and flock before the program, or a priority.
var duration = regexp.MustCompile(`^[0-9.]+[smhd]?$`)

// skipLauncherOptions skips the options, variables and numbers before the program that another one starts. The word
// after an option may be its value or the program: then both readings are returned.
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
