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
	"exec": nil, "command": nil, "builtin": nil, "xargs": nil, "parallel": nil, "stdbuf": nil, "unbuffer": nil, "watch": nil, "busybox": nil, "flock": nil,
	"strace": nil, "ltrace": nil, "npx": nil, "pnpx": nil, "bunx": nil, "uvx": nil, "corepack": nil, "runuser": nil, "pkexec": nil, "run0": nil, "fakeroot": nil, "setarch": nil, "prlimit": nil, "numactl": nil, "valgrind": nil, "rlwrap": nil, "chronic": nil, "dbus-run-session": nil, "ssh-agent": nil,
	"systemd-run": nil, "setpriv": nil, "chroot": nil, "nsenter": nil, "unshare": nil, "firejail": nil, "dotenv": nil, "xvfb-run": nil,
	"noglob": nil, "nocorrect": nil, "and": nil, "or": nil, "not": nil, "repeat": nil, // words of zsh and fish
	"npm": {"exec", "x"}, "pnpm": {"exec", "dlx"}, "yarn": {"exec", "dlx", "run"}, "bun": {"x"},
	"uv": {"run", "tool"}, "pipx": {"run"}, "poetry": {"run"}, "pipenv": {"run"}, "pdm": {"run"}, "rye": {"run"}, "hatch": {"run"},
	"bundle": {"exec"}, "mise": {"exec", "x"}, "direnv": {"exec"},
}

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
	if name == "flock" || name == "runuser" {
		s.commandOption(args, depth)
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		s.doubt(name + " runs something else")
	}
}

// afterWord are starters that want a word before the program, which need not look like
// a number: a file, a user, an architecture.
var afterWord = []string{"flock", "setarch", "taskset", "chroot", "runuser"}

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

// commandOption reads the lines that options hand to a shell.
func (s *shellLine) commandOption(args []string, depth int) {
	for i, a := range args {
		switch line, given := strings.CutPrefix(a, "--command="); {
		case given:
			s.read(line, depth+1)
		case (a == "-c" || a == "--command") && i+1 < len(args):
			s.read(args[i+1], depth+1)
		case strings.HasPrefix(a, "-c"):
			s.read(a[len("-c"):], depth+1)
		}
	}
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
		if strings.HasPrefix(a, "-") || strings.Contains(a, "=") || duration.MatchString(a) || a == "run" && i == 0 {
			continue
		}
		list = append(list, args[i:])
		if i == 0 || !strings.HasPrefix(args[i-1], "-") || args[i-1] == "--" || strings.Contains(args[i-1], "=") {
			break
		}
	}
	return list
}
