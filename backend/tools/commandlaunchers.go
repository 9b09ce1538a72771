package tools

import (
	"path"
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

// analyzeLaunched analyzes the program that another one starts, if it does.
func (s *commandAnalysis) analyzeLaunched(name string, args []string, depth int) {
	by, ok := launcherPrograms[name]
	switch {
	case strings.HasPrefix(name, "python"):
		if i := slices.Index(args, "-m"); i >= 0 && i+1 < len(args) {
			s.analyzeStarted(args[i+1:], depth)
		}
		return
	case !ok:
		s.afterDoubleDash(args, depth)
		return
	case by != nil:
		i := slices.IndexFunc(args, func(a string) bool { return slices.Contains(by, a) })
		if i < 0 || i > maxLeadingWords {
			return
		}
		args = args[i+1:]
	}
	if i := slices.IndexFunc(args, func(a string) bool {
		return a == "-S" || strings.HasPrefix(a, "--split-string")
	}); name == "env" && i >= 0 {
		line := strings.Join(args[i:], " ")
		s.read(line[strings.IndexAny(line, " =")+1:], depth+1)
	}
	for _, rest := range skipLauncherOptions(args) {
		s.analyzeLauncherArgs(name, rest, depth)
		if slices.Contains(launchersWithOperand, name) && s.left >= 0 {
			for _, after := range skipLauncherOptions(rest[1:]) {
				s.analyzeLauncherArgs(name, after, depth)
			}
		}
	}
	if slices.Contains(launchersTakingShell, name) {
		s.shellOptions(args, depth)
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		s.markUnparsed(name + " runs something else")
	}
}

// afterDoubleDash analyzes what a program of any kind may run after two dashes.
func (s *commandAnalysis) afterDoubleDash(args []string, depth int) {
	i := slices.Index(args, "--")
	runs := func(a string) bool { return a == "run" || a == "exec" }
	if i >= 0 && i+1 < len(args) && slices.ContainsFunc(args[:i], runs) {
		s.analyzeStarted(args[i+1:], depth)
	}
}

// analyzeLauncherArgs analyzes a launcher's arguments as a program with its arguments. Some launchers pass them to a
// shell.
func (s *commandAnalysis) analyzeLauncherArgs(name string, argv []string, depth int) {
	if s.left < 0 {
		return
	}
	s.analyzeStarted(argv, depth)
	if name == "watch" || name == "parallel" || strings.ContainsAny(argv[0], " \t\n;") {
		s.read(strings.Join(argv, " "), depth+1)
	}
	if (name == "xargs" || name == "parallel") && slices.Contains(deleters, path.Base(argv[0])) {
		s.remove(nil)
	}
}

// shellOptions analyzes the command lines that options pass to a shell, and reports whether one does. Options with
// values may come between -c and the line: every word is parsed up to one that can be neither.
func (s *commandAnalysis) shellOptions(args []string, depth int) (found bool) {
	for i, a := range args {
		line, takes := parseShellOption(a)
		if !takes {
			continue
		}
		found = true
		if s.read(line, depth+1); strings.HasPrefix(a, "--") && line != "" {
			continue
		}
		for _, line := range args[i+1:] {
			s.read(line, depth+1)
			if strings.ContainsAny(line, " \n\t;") {
				break
			}
		}
		break
	}
	return found
}

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

// analyzeStarted analyzes a program that a command starts.
func (s *commandAnalysis) analyzeStarted(argv []string, depth int) {
	if depth > maxNested {
		s.giveUp("programs start programs that start programs")
		return
	}
	s.analyzeCommand(argv, depth+1)
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
