// Package mounts plans the mounts of a goal's sandbox and creates the folders and copies that they need.
package mounts

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/host/sandbox/wire"
)

// system lists the system folders that programs need, and optional ones that not every machine has. Files in /etc
// that ordinary users cannot read are hidden.
var (
	system   = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/etc"}
	optional = []string{"/nix/store", "/gnu/store", "/var/lib/ca-certificates", "/var/cache/fontconfig"}
)

// Build converts a goal's sandbox spec to mounts and creates the folders they need.
func Build(w spec.Spec, helper string) (wire.Spec, error) {
	p := mountPlanner{w: w}
	if err := p.validate(); err != nil {
		return wire.Spec{}, err
	}
	if err := p.makeGoalDirs(); err != nil {
		return wire.Spec{}, fmt.Errorf("creating the goal's private folder: %w", err)
	}
	p.system()
	p.bindAgentOnly(p.privatePath("home"), w.Home, "")
	for _, path := range w.Tools {
		p.readOnly(path)
	}
	if err := p.mountCaches(); err != nil {
		return wire.Spec{}, fmt.Errorf("creating the goal's caches: %w", err)
	}
	isAbove := func(path string) bool { return spec.IsBelow(w.Dir, path) }
	for _, path := range w.Read {
		if isAbove(path) { // the goal's folder is mounted over it
			p.bindGranted(path, false)
		}
	}
	if err := p.bindRepository(); err != nil {
		return wire.Spec{}, fmt.Errorf("making an outline of the repository: %w", err)
	}
	p.bind(w.Dir, w.Dir, !w.ReadOnly && len(w.Work) == 0, !w.ReadOnly)
	p.out.Mounts[len(p.out.Mounts)-1].Discard = w.CheckDir != "" && !w.ReadOnly
	if err := p.bindWork(); err != nil {
		return wire.Spec{}, err
	}
	p.pinHidden()
	p.bindReadOnlyFiles()
	for _, path := range slices.DeleteFunc(slices.Clone(w.Read), isAbove) {
		p.bindGranted(path, false)
	}
	for _, path := range w.Write {
		p.bindGranted(path, true)
	}
	for _, path := range w.Sockets {
		p.mountSocket(path)
	}
	if err := p.copyGitDirs(); err != nil {
		return wire.Spec{}, fmt.Errorf("copying the files that git obeys: %w", err)
	}
	p.hide()
	inside, err := filepath.EvalSymlinks(helper)
	if err != nil {
		return wire.Spec{}, fmt.Errorf("finding the helper: %w", err)
	}
	p.bind(inside, spec.HelperPath, false, false)
	p.text(resolvConf(), "nameserver "+spec.NameServer+"\noptions timeout:2 attempts:1\n")
	p.text(spec.GitConfigPath, gitConfig(w.Home)+p.repositoryConfig())
	p.text(spec.SSHConfigPath, sshConfig)
	if err := p.makeMountPoints(); err != nil {
		return wire.Spec{}, fmt.Errorf("creating the goal's mount points: %w", err)
	}
	return p.out, nil
}

// ForGrant returns the mounts of a grant.
func ForGrant(w spec.Spec, g spec.RuntimeGrant) ([]wire.Mount, error) {
	p := mountPlanner{w: w}
	path := g.Read + g.Write + g.Socket
	if g.Private != nil {
		path = g.Private.From
	}
	p.w.Read, p.w.Write, p.w.Sockets, p.w.Work = []string{path}, nil, nil, nil
	if err := p.validate(); err != nil {
		return nil, err
	}
	switch path {
	case "":
		return nil, fmt.Errorf("granting nothing: %w", syscall.EINVAL)
	case g.Read:
		p.bindGranted(path, false)
	case g.Write:
		p.bindGranted(path, true)
		p.w.Held = slices.DeleteFunc(slices.Clone(p.w.Held), func(file string) bool { return !spec.IsBelow(file, path) })
		p.bindReadOnlyFiles() // a folder inside the goal's, read-only until now
		if err := p.gitBelow(path); err != nil {
			return nil, fmt.Errorf("copying the files that git obeys: %w", err)
		}
	case g.Socket:
		p.mountSocket(path)
	default:
		if err := p.bindPrivate(*g.Private); err != nil {
			return nil, err
		}
	}
	if err := p.makeMountPoints(); err != nil {
		return nil, fmt.Errorf("creating the goal's mount points: %w", err)
	}
	return p.out.Mounts, nil
}

// bindPrivate binds a file of the host read-only for the agent's programs, which own it.
func (mp *mountPlanner) bindPrivate(f spec.PrivateFile) error {
	if os.Getuid() == 0 {
		if err := os.Lchown(f.From, mp.out.UID, mp.out.GID); err != nil {
			return err //nolint:wrapcheck // it says lchown and the path
		}
	}
	mp.add(wire.Mount{Kind: wire.MountBind, Source: []byte(f.From), Target: []byte(f.To), AgentOnly: true})
	return nil
}

func (mp *mountPlanner) validate() error {
	for _, path := range slices.Concat([]string{mp.w.Dir, mp.w.Layer, mp.w.Home}, mp.w.Tools, mp.w.Read, mp.w.Write,
		mp.w.Sockets, mp.w.Work, mp.w.Hidden) {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path || path == "/" {
			return fmt.Errorf("sandbox: %q is not a clean absolute path", path)
		}
	}
	var err error
	if mp.out.UID, mp.out.GID, err = runsAs(mp.w.Dir); err != nil {
		return fmt.Errorf("the goal's folder: %w", err)
	}
	l := mp.w.Limits
	if l == nil {
		l = spec.DefaultLimits()
	}
	mp.out.Limits = wire.Limits{
		Processes: l.Processes,
		Memory:    l.Memory,
		FileSize:  l.FileSize,
		Nice:      l.Nice,
		Together:  l.Together,
		Tmp:       l.Tmp,
	}
	return nil
}

// runsAs returns the user that the programs of a goal in this folder run as.
func runsAs(dir string) (uid, gid int, err error) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, 0, err //nolint:wrapcheck // check wraps it
	}
	owner := info.Sys().(*syscall.Stat_t)
	if os.Getuid() != 0 || owner.Uid == 0 {
		return os.Getuid(), os.Getgid(), nil
	}
	// With root's rights, programs in another user's folder could be abused by that user.
	uid, gid = int(owner.Uid), int(owner.Gid)
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		if of, err := strconv.Atoi(u.Gid); err == nil {
			gid = of
		}
	}
	return uid, gid, nil
}

// RunsAsRoot reports whether the programs of a goal in this folder run as root.
func RunsAsRoot(dir string) bool {
	uid, _, err := runsAs(dir)
	return err == nil && uid == 0
}

// makeGoalDirs creates the goal's private folders.
func (mp *mountPlanner) makeGoalDirs() error {
	if err := os.MkdirAll(mp.w.Layer, 0o700); err != nil {
		return err //nolint:wrapcheck // plan wraps it
	}
	for _, name := range []string{"home", "tmp", "checks", "caches", "git", hiddenDir} {
		if err := mp.makeOwnedDir(mp.privatePath(name)); err != nil {
			return err
		}
	}
	if err := os.Chmod(mp.privatePath("tmp"), 0o1777); err != nil { //nolint:gosec // it is a /tmp
		return err //nolint:wrapcheck // plan wraps it
	}
	mp.out.Tmp, mp.out.TmpWrite = []byte(mp.privatePath("tmp")), !mp.w.ReadOnly
	mp.out.Scratch = []byte(mp.privatePath("checks"))
	return mp.removeStaleChecks("checks")
}

// removeStaleChecks removes the check folders of an app that was killed.
func (mp *mountPlanner) removeStaleChecks(name string) error {
	entries, err := os.ReadDir(mp.privatePath(name))
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(mp.privatePath(name, entry.Name())))
	}
	return err
}

func (mp *mountPlanner) system() {
	for _, path := range append(append([]string{}, system...), optional...) {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0:
			if to, err := os.Readlink(path); err == nil {
				mp.add(wire.Mount{Kind: wire.MountSymlink, Source: []byte(to), Target: []byte(path)})
			}
		default:
			mp.add(wire.Mount{Kind: wire.MountBind, Source: []byte(path), Target: []byte(path)})
		}
	}
}

// bindGranted binds a path that the user granted. It was resolved at that time; the helper refuses links that
// appeared in it since.
func (mp *mountPlanner) bindGranted(path string, write bool) {
	mp.add(wire.Mount{
		Kind:       wire.MountBind,
		Source:     []byte(path),
		Target:     []byte(path),
		Write:      write,
		CheckWrite: write && mp.checksWrite(),
	})
}

// bindReadOnlyFiles binds files of the goal's folder read-only over themselves.
func (mp *mountPlanner) bindReadOnlyFiles() {
	if mp.w.ReadOnly {
		return
	}
	for _, path := range mp.w.Held {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || !spec.IsBelow(path, mp.w.Dir) {
			continue
		}
		mp.add(wire.Mount{Kind: wire.MountBind, Source: []byte(path), Target: []byte(path), Optional: true, AgentOnly: true})
	}
}

// mountSocket binds a socket at its usual path, which is often a link. A goal can write no part of that path.
func (mp *mountPlanner) mountSocket(path string) {
	source, err := filepath.EvalSymlinks(path)
	if err != nil {
		source = path // the helper reports the error
	}
	mp.add(wire.Mount{Kind: wire.MountBind, Source: []byte(source), Target: []byte(path), Write: true, CheckWrite: true})
}

// mountCaches mounts an overlay over each existing cache; a missing cache starts in the private home.
func (mp *mountPlanner) mountCaches() error {
	for _, cache := range mp.w.Caches {
		lower, err := filepath.EvalSymlinks(cache.From)
		missing := err != nil
		if missing && spec.IsBelow(cache.To, mp.w.Home) ||
			spec.IsBelow(cache.To, mp.w.Dir) || spec.IsBelow(mp.w.Dir, cache.To) {
			continue
		}
		base := mp.privatePath("caches", strings.ReplaceAll(strings.Trim(cache.To, "/"), "/", "-"))
		c := wire.Cache{
			Lower:  []byte(lower),
			Upper:  []byte(base + "/upper"),
			Work:   []byte(base + "/work"),
			Merged: []byte(base + "/merged"),
		}
		for _, folder := range []string{base, string(c.Upper), string(c.Work), string(c.Merged)} {
			if err := mp.makeOwnedDir(folder); err != nil {
				return err
			}
		}
		if err := os.Chmod(string(c.Upper), 0o755); err != nil { //nolint:gosec // the folder's mode shines through
			return err //nolint:wrapcheck // plan wraps it
		}
		if missing { // and the goal cannot create it
			mp.bindAgentOnly(string(c.Upper), cache.To, "")
			continue
		}
		mp.out.Caches = append(mp.out.Caches, c)
		mp.bindAgentOnly(string(c.Merged), cache.To, lower)
	}
	return nil
}

// resolvConf returns the target of /etc/resolv.conf, on many machines a link to a path that does not exist in the
// sandbox.
func resolvConf() string {
	const name = "/etc/resolv.conf"
	to, err := os.Readlink(name)
	if err != nil {
		return name
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join("/etc", to)
	}
	return to
}
