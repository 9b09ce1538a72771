package tools

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// starters are programs that start another one: with the subcommands that do so,
// or with none.
var starters = map[string][]string{
	"sudo": nil, "doas": nil, "env": nil, "nice": nil, "ionice": nil, "chrt": nil, "taskset": nil, "nohup": nil, "setsid": nil, "timeout": nil, "time": nil,
	"exec": nil, "command": nil, "builtin": nil, "xargs": nil, "parallel": nil, "sem": nil, "stdbuf": nil, "unbuffer": nil, "watch": nil, "busybox": nil, "flock": nil,
	"strace": nil, "ltrace": nil, "npx": nil, "pnpx": nil, "bunx": nil, "uvx": nil, "corepack": nil, "runuser": nil, "pkexec": nil, "run0": nil, "fakeroot": nil, "setarch": nil, "prlimit": nil, "numactl": nil, "valgrind": nil, "rlwrap": nil, "chronic": nil, "dbus-run-session": nil, "dbus-launch": nil, "ssh-agent": nil,
	"systemd-run": nil, "systemd-inhibit": nil, "setpriv": nil, "chroot": nil, "nsenter": nil, "unshare": nil, "firejail": nil, "bwrap": nil, "proot": nil, "cgexec": nil, "cpulimit": nil, "choom": nil, "capsh": nil, "sg": nil, "gosu": nil, "su-exec": nil, "setuidgid": nil, "chpst": nil, "tini": nil, "dumb-init": nil,
	"dotenv": nil, "dotenvx": nil, "cross-env": nil, "env-cmd": nil, "envdir": nil, "xvfb-run": nil, "xterm": nil, "faketime": nil, "eatmydata": nil, "caffeinate": nil, "torsocks": nil, "torify": nil, "tsocks": nil, "proxychains": nil, "proxychains4": nil,
	"entr": nil, "watchexec": nil, "hyperfine": nil, "concurrently": nil, "nix-shell": nil, "perf": {"stat", "record", "trace"},
	"noglob": nil, "nocorrect": nil, "and": nil, "or": nil, "not": nil, "repeat": nil, // words of zsh and fish
	"npm": {"exec", "x"}, "pnpm": {"exec", "dlx"}, "yarn": {"exec", "dlx", "run"}, "bun": {"x"},
	"uv": {"run", "tool"}, "pipx": {"run"}, "poetry": {"run"}, "pipenv": {"run"}, "pdm": {"run"}, "rye": {"run"}, "hatch": {"run"}, "conda": {"run"}, "mamba": {"run"}, "micromamba": {"run"},
	"bundle": {"exec"}, "mise": {"exec", "x"}, "rtx": {"exec", "x"}, "asdf": {"exec"}, "rbenv": {"exec"}, "pyenv": {"exec"}, "nodenv": {"exec"}, "nvm": {"exec"}, "fnm": {"exec"}, "volta": {"run"}, "direnv": {"exec"}, "nix": {"develop", "shell"}, "foreman": {"run"}, "distrobox": {"enter"}, "toolbox": {"run"},
}

// afterWord are starters that want a word before the program, which need not look like
// a number: a file, a user, an architecture.
var afterWord = []string{"flock", "setarch", "taskset", "chroot", "runuser", "sg", "gosu", "su-exec", "setuidgid", "envdir", "faketime", "direnv"}

// lineTakers are starters whose options may hand a line to a shell.
var lineTakers = []string{"flock", "runuser", "sg", "capsh", "nix-shell", "nix"}

// start takes the program that another one starts, if it does.
func (s *shellLine) start(name string, args []string, depth int) {
	by, ok := starters[name]
	switch {
	case strings.HasPrefix(name, "python"):
		if i := slices.Index(args, "-m"); i >= 0 && i+1 < len(args) {
			s.started(args[i+1:], depth)
		}
		return
	case !ok:
		s.behindDashes(args, depth)
		return
	case by != nil:
		i := slices.IndexFunc(args, func(a string) bool { return slices.Contains(by, a) })
		if i < 0 || i > maxBefore {
			return
		}
		args = args[i+1:]
	}
	if i := slices.IndexFunc(args, func(a string) bool { return a == "-S" || strings.HasPrefix(a, "--split-string") }); name == "env" && i >= 0 {
		line := strings.Join(args[i:], " ")
		s.read(line[strings.IndexAny(line, " =")+1:], depth+1)
	}
	for _, rest := range behind(args) {
		s.starts(name, rest, depth)
		if slices.Contains(afterWord, name) && s.left >= 0 {
			for _, after := range behind(rest[1:]) {
				s.starts(name, after, depth)
			}
		}
	}
	if slices.Contains(lineTakers, name) {
		s.lineOptions(args, depth)
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		s.doubt(name + " runs something else")
	}
}

// behindDashes takes what any program is told to run or to execute behind two dashes.
func (s *shellLine) behindDashes(args []string, depth int) {
	i := slices.Index(args, "--")
	runs := func(a string) bool { return a == "run" || a == "exec" }
	if i >= 0 && i+1 < len(args) && slices.ContainsFunc(args[:i], runs) {
		s.started(args[i+1:], depth)
	}
}

// starts takes what a starter is given, read as a program with its arguments. Some hand
// it to a shell.
func (s *shellLine) starts(name string, argv []string, depth int) {
	if s.left < 0 {
		return
	}
	s.started(argv, depth)
	if name == "watch" || name == "parallel" || strings.ContainsAny(argv[0], " \t\n;") {
		s.read(strings.Join(argv, " "), depth+1)
	}
	if (name == "xargs" || name == "parallel") && slices.Contains(deleters, path.Base(argv[0])) {
		s.remove(nil)
	}
}

// lineOptions reads the lines that options hand to a shell, and says whether one does.
// Options may stand between -c and the line, with values of their own: every word is
// read up to one that can be neither.
func (s *shellLine) lineOptions(args []string, depth int) (found bool) {
	for i, a := range args {
		line, takes := lineOption(a)
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

// lineOption says whether an option takes a line, perhaps by the beginning of its name,
// and which line is written into the same word.
func lineOption(arg string) (line string, takes bool) {
	if !strings.HasPrefix(arg, "--") {
		_, line, takes = strings.Cut(arg, "c")
		return line, takes && arg[0] == '-'
	}
	name, line, _ := strings.Cut(arg, "=")
	return line, len(name) > len("--") && slices.ContainsFunc([]string{"--command", "--session-command", "--run"}, func(o string) bool { return strings.HasPrefix(o, name) })
}

// started takes a program that a command starts.
func (s *shellLine) started(argv []string, depth int) {
	if depth > maxNested {
		s.lose("programs start programs that start programs")
		return
	}
	s.command(argv, depth+1)
}

// maxBefore is how many words may stand before the subcommand that starts a program.
const maxBefore = 4

// duration is what timeout and flock want before the program, or a priority.
var duration = regexp.MustCompile(`^[0-9.]+[smhd]?$`)

// behind skips the options, variables and numbers before the program that another
// one starts. What stands behind an option may be its value or the program: then
// both readings are given.
func behind(args []string) [][]string {
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
