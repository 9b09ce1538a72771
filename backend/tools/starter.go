package tools

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// starters are programs that start another one: with the subcommands that do so,
// or with none.
var starters = map[string][]string{
	"sudo": nil, "doas": nil, "env": nil, "nice": nil, "ionice": nil, "chrt": nil, "taskset": nil, "nohup": nil, "setsid": nil, "timeout": nil, "time": nil,
	"exec": nil, "command": nil, "builtin": nil, "xargs": nil, "parallel": nil, "stdbuf": nil, "unbuffer": nil, "watch": nil, "busybox": nil, "flock": nil,
	"strace": nil, "ltrace": nil, "npx": nil, "pnpx": nil, "bunx": nil, "uvx": nil, "corepack": nil, "dotenv": nil, "xvfb-run": nil,
	"npm": {"exec", "x"}, "pnpm": {"exec", "dlx"}, "yarn": {"exec", "dlx", "run"}, "bun": {"x"},
	"uv": {"run", "tool"}, "pipx": {"run"}, "poetry": {"run"}, "pipenv": {"run"}, "pdm": {"run"}, "rye": {"run"}, "hatch": {"run"},
	"bundle": {"exec"}, "mise": {"exec", "x"}, "direnv": {"exec"},
}

// start takes the program that another one starts, if it does.
func (s *shellLine) start(name string, args []string, depth int) {
	by, ok := starters[name]
	switch {
	case strings.HasPrefix(name, "python"):
		if i := slices.Index(args, "-m"); i >= 0 && i+1 < len(args) && depth <= maxNested {
			s.command(args[i+1:], depth+1)
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
	for _, rest := range started(args) {
		if depth <= maxNested {
			s.command(rest, depth+1)
		}
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "-") || depth > maxNested {
		s.doubt(name + " runs something else")
	}
}

// maxBefore is how many words may stand before the subcommand that starts a program.
const maxBefore = 4

// started skips the options, variables and numbers before the program that another
// one starts. What stands behind an option may be its value or the program: then
// both readings are given.
func started(args []string) [][]string {
	var list [][]string
	for i, a := range args {
		if strings.HasPrefix(a, "-") || strings.Contains(a, "=") || strings.Trim(a, "0123456789.smhd") == "" || a == "run" && i == 0 {
			continue
		}
		list = append(list, args[i:])
		if i == 0 || !strings.HasPrefix(args[i-1], "-") || args[i-1] == "--" || strings.Contains(args[i-1], "=") {
			break
		}
	}
	return list
}

// fed reads what a shell is given as its input: a here-document or a here-string.
func (s *shellLine) fed(stmt *syntax.Stmt, depth int) {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	switch path.Base(word(call.Args[0])) {
	case "sh", "bash", "dash", "zsh", "ksh":
	default:
		return
	}
	for _, r := range stmt.Redirs {
		switch {
		case r.Hdoc != nil:
			s.read(word(r.Hdoc), depth+1)
		case r.Op == syntax.WordHdoc && r.Word != nil:
			s.read(word(r.Word), depth+1)
		}
	}
}
