// Package gitrepo commits files to a git repository of the user. The repository is hostile: an agent may have worked
// in it. Only commands of git that the user asked for run, and no program that the repository names: no hook, filter,
// monitor, signer, pager or transport.
package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/domain/process"
	"goalpost/backend/lib/fault"
)

// ErrNoRepository means that a folder is in no repository, or that git is not installed.
var ErrNoRepository = errors.New("the folder is not in a git repository")

// Repo is a repository. Its methods may be called concurrently where git itself allows that.
type Repo struct {
	// DefaultAuthor is the author ("NAME <ADDRESS>") of commits if git's configuration has no name; "" refuses such
	// commits.
	DefaultAuthor string

	launcher process.Launcher
	env      []string
	settings []setting // of git, which override those of all files
	dir      string    // the folder that paths of files are relative to
	real     string    // dir without links
	prefix   string    // of dir in the work tree, "" or with a slash at its end
	branch   string    // the branch that is checked out, "" if none is
	head     string    // the commit that is checked out, "" if there is none yet
}

// Open opens the repository that a folder is in. env is the user's environment.
func Open(ctx context.Context, l process.Launcher, env []string, dir string) (*Repo, error) {
	r := &Repo{launcher: l, dir: dir, env: []string{
		"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_LITERAL_PATHSPECS=1", "GIT_OPTIONAL_LOCKS=0",
	}}
	for _, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); !strings.HasPrefix(name, "GIT_") && name != "LC_ALL" {
			r.env = append(r.env, entry)
		}
	}
	for _, s := range quiet {
		key, value, _ := strings.Cut(s, "=")
		r.settings = append(r.settings, setting{key, value})
	}
	out, err := r.run(ctx, nil, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRepository, err)
	}
	top, prefix, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	real, err := filepath.EvalSymlinks(dir)
	_, noGit := os.Lstat(filepath.Join(top, ".git"))
	if err != nil || noGit != nil || filepath.Join(top, filepath.FromSlash(prefix)) != real {
		return nil, fmt.Errorf("%w: its configuration names another folder", ErrNoRepository)
	}
	r.prefix, r.real = prefix, real
	if err := r.disableFilters(ctx); err != nil {
		return nil, err
	}
	if out, err = r.run(ctx, nil, "symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
		r.branch = strings.TrimSpace(string(out))
	}
	if out, err = r.run(ctx, nil, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err == nil {
		r.head = strings.TrimSpace(string(out))
	}
	return r, nil
}

// setting is one entry of git's configuration. Its key may contain any character.
type setting struct{ key, value string }

// disableFilters disables the filters of all configurations: git runs them even to find out whether a file changed.
func (r *Repo) disableFilters(ctx context.Context) error {
	out, err := r.run(ctx, nil, "config", "--null", "--name-only", "--list")
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for key := range strings.SplitSeq(string(out), "\x00") {
		at := strings.LastIndexByte(key, '.')
		if !strings.HasPrefix(key, "filter.") || at <= len("filter.") || names[key[:at]] {
			continue
		}
		names[key[:at]] = true
		for _, name := range []string{".clean", ".smudge", ".process"} {
			r.settings = append(r.settings, setting{key[:at] + name, ""})
		}
		r.settings = append(r.settings, setting{key[:at] + ".required", "false"})
	}
	return nil
}

// Branch returns the branch that is checked out, "" if none is.
func (r *Repo) Branch() string { return r.branch }

// ChangedFiles returns how many files of the work tree differ from the commit that is checked out. A new folder is one.
func (r *Repo) ChangedFiles(ctx context.Context) (int, error) {
	out, err := r.run(ctx, nil, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal")
	if err != nil {
		return 0, err
	}
	return bytes.Count(out, []byte{0}), nil
}

// HasBranch reports whether a branch exists.
func (r *Repo) HasBranch(ctx context.Context, name string) bool {
	_, err := r.run(ctx, nil, "rev-parse", "--verify", "--quiet", "refs/heads/"+name)
	return err == nil
}

// Filtered returns the paths for which an attribute names a filter, such as lfs, each with the name of its filter.
// Filters are programs that git's configuration names, and do not run.
func (r *Repo) Filtered(ctx context.Context, paths []string) (map[string]string, error) {
	out, err := r.run(ctx, strings.NewReader(strings.Join(paths, "\x00")+"\x00"), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	filtered := map[string]string{}
	fields := strings.Split(string(out), "\x00")
	for ; len(fields) >= 3; fields = fields[3:] {
		if value := fields[2]; value != "unspecified" && value != "unset" {
			filtered[fields[0]] = value
		}
	}
	return filtered, nil
}

// Committed returns the object of each file below the folder in the commit that is checked out, by path relative to
// the folder.
func (r *Repo) Committed(ctx context.Context) (map[string]string, error) {
	objects := map[string]string{}
	if r.head == "" {
		return objects, nil
	}
	out, err := r.run(ctx, nil, "ls-tree", "-r", "-z", r.head) // lists the folder that it runs in
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(string(out), "\x00") {
		header, path, ok := strings.Cut(line, "\t")
		if words := strings.Fields(header); ok && len(words) == 3 {
			objects[path] = words[2]
		}
	}
	return objects, nil
}

// run runs git in the folder and returns what it printed.
func (r *Repo) run(ctx context.Context, input io.Reader, args ...string) (out []byte, err error) {
	file, err := os.CreateTemp("", "goalpost-git-")
	if err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := os.Remove(file.Name()); err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	if err := r.runTo(ctx, file, input, args...); err != nil {
		return nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	if out, err = io.ReadAll(file); err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	return out, nil
}

// quiet are the settings that prevent git from starting programs that a configuration or an attribute names.
var quiet = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false", "core.sshCommand=false",
	"core.askPass=", "credential.helper=", "protocol.allow=never", "gc.auto=0", "maintenance.auto=false",
	"commit.gpgSign=false", "log.showSignature=false", "submodule.recurse=false", "fetch.recurseSubmodules=false",
	"diff.external=", "format.attach=", "format.signature=", "format.thread=false", "format.coverLetter=false",
	"format.outputDirectory=", "format.useAutoBase=false", "format.notes=false",
}

// runTo runs git in the folder; output gets what it prints.
func (r *Repo) runTo(ctx context.Context, output *os.File, input io.Reader, args ...string) error {
	env := append(slices.Clone(r.env), fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(r.settings)))
	for i, s := range r.settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s.value))
	}
	problem, problemEnd, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	defer func() { _ = problem.Close() }()
	files := []*os.File{nil, output, problemEnd}
	var fed chan error
	var feedEnd *os.File
	if input != nil {
		if files[0], feedEnd, err = os.Pipe(); err != nil {
			_ = problemEnd.Close()
			return fmt.Errorf("git: %w", err)
		}
		fed = make(chan error, 1)
	}
	p, err := r.launcher.Start(ctx, process.Command{
		Argv:  append([]string{"git", "--no-pager"}, args...),
		Env:   env,
		Dir:   r.dir,
		Files: files,
	})
	_ = problemEnd.Close()
	if files[0] != nil {
		_ = files[0].Close()
	}
	if err != nil {
		if feedEnd != nil {
			_ = feedEnd.Close()
		}
		return fmt.Errorf("git: %w", err)
	}
	if feedEnd != nil {
		go func() {
			_, err := io.Copy(feedEnd, input)
			fed <- errors.Join(err, feedEnd.Close())
		}()
	}
	stderr, _ := io.ReadAll(io.LimitReader(problem, 64<<10))
	select {
	case <-p.Done():
	case <-ctx.Done():
		_ = p.Signal(9)
		<-p.Done()
	}
	if fed != nil {
		err = <-fed
	}
	if status := p.Status(); status.Code != 0 {
		return gitError(args[0], status, stderr)
	}
	return err
}

// gitError returns an error with git's own message, without its hints.
func gitError(command string, status process.Status, stderr []byte) error {
	line, _, _ := bytes.Cut(bytes.TrimSpace(stderr), []byte{'\n'})
	words := strings.TrimPrefix(string(line), "fatal: ")
	if words == "" {
		words = status.String()
	}
	return fault.Kind(fault.Conflict, "", "git "+command+": "+words, "run git status in the folder to see its state")
}
