package terminal

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/lib/shell"
)

//go:embed bash.rc
var bashRC string

//go:embed sh.rc
var shRC string

//go:embed zsh.rc
var zshRC string

//go:embed fish.rc
var fishRC string

// Code that reads the user's own start files, where our start file has to do it.
const (
	bashProfile = "if [ -r ~/.bashrc ]; then . ~/.bashrc; fi"
	zshProfile  = `if [[ -n ${GOALPOST_ZDOTDIR+x} ]]; then ZDOTDIR=$GOALPOST_ZDOTDIR; else 'builtin' 'unset' ZDOTDIR; fi
'builtin' 'unset' GOALPOST_ZDOTDIR
if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then 'builtin' 'source' "${ZDOTDIR-$HOME}/.zshenv"; fi`
	zshNoProfile = `'builtin' 'unset' GOALPOST_ZDOTDIR; 'builtin' 'setopt' no_rcs`
)

// shellStartup is how a shell is started so that it reports its commands.
type shellStartup struct {
	argv, env []string
	rc        *os.File // becomes descriptor 3; nil if nothing
	dir       string   // a folder of start files, to be removed at the end; "" if none
}

// prepare makes the command line and environment of the shell and its start file. The file is a pipe if the shell
// accepts one, so that no other program sees the nonce. Only the user's terminals read the user's own start files: for
// a goal they are slow at best, and change what its commands mean at worst.
func (s shellKind) prepare(argv, env []string, nonce string, isUser bool) (shellStartup, error) {
	p := shellStartup{argv: argv, env: env}
	var err error
	switch s {
	case bashShell:
		p.argv = []string{argv[0], "--rcfile", startFile, "-i"}
		p.rc, err = textPipe(fillTemplate(bashRC, nonce, "", orDefault(isUser, bashProfile, "")))
	case posixShell:
		text := fillTemplate(shRC, nonce, "", "")
		if file := lookupVariable(env, "ENV"); file != "" && isUser {
			text += "ENV=" + shell.Quote(file) + "\nexport ENV\n[ -r \"$ENV\" ] && . \"$ENV\"\n"
		}
		p.env = withVariable(env, "ENV", startFile)
		p.rc, err = textPipe(text)
	case zshShell:
		if p.dir, err = makeStartupDir(".zshenv", zshRC, "", orDefault(isUser, zshProfile, zshNoProfile)); err != nil {
			break
		}
		if dir := lookupVariable(env, "ZDOTDIR"); dir != "" {
			p.env = withVariable(p.env, "GOALPOST_ZDOTDIR", dir)
		}
		p.env = withVariable(p.env, "ZDOTDIR", p.dir)
		p.argv = []string{argv[0], "-i"}
		p.rc, err = textPipe(nonce + "\n")
	case fishShell:
		if p.dir, err = makeStartupDir("start.fish", fishRC, nonce, ""); err != nil {
			break
		}
		p.argv = []string{argv[0], "-i", "-C", "source '" + filepath.Join(p.dir, "start.fish") + "'"}
		if !isUser {
			p.argv = slices.Insert(p.argv, 1, "--no-config")
		}
	case noShell:
	}
	if err != nil {
		return shellStartup{}, errors.Join(fmt.Errorf("preparing the shell's start file: %w", err), os.RemoveAll(p.dir))
	}
	return p, nil
}

const startFile = "/dev/fd/3"

func orDefault(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

func fillTemplate(text, nonce, dir, profile string) string {
	return strings.NewReplacer("NONCE", nonce, "FOLDER", dir, "PROFILE", profile).Replace(text)
}

// textPipe returns a pipe that contains the text. It fits into the pipe's buffer, so the write does not block.
func textPipe(text string) (*os.File, error) {
	rc, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}
	_, err = w.WriteString(text)
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("filling a pipe: %w", err), rc.Close())
	}
	return rc, nil
}

// makeStartupDir makes a temporary folder with one start file. The file removes the folder when it is read.
func makeStartupDir(name, text, nonce, profile string) (string, error) {
	dir, err := os.MkdirTemp("", "goalpost-shell-")
	if err != nil {
		return "", fmt.Errorf("making a folder: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(fillTemplate(text, nonce, dir, profile)), 0o600); err != nil {
		return "", errors.Join(fmt.Errorf("writing a start file: %w", err), os.RemoveAll(dir))
	}
	return dir, nil
}

// withVariable returns the environment with one variable set.
func withVariable(env []string, name, value string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, name+"=") })
	return append(env, name+"="+value)
}
