package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"goalpost/backend/api"
	"goalpost/backend/fault"
	"goalpost/backend/policy"
)

// grantsOf is what the user allows a goal from the start, besides its folder.
// Paths are written out, without links: that is what the sandbox opens.
func (a *App) grantsOf(in api.StartInput, p *policy.Policy) error {
	for _, port := range in.AllowLocal {
		switch {
		case port < 1 || port > 65535:
			return &fault.Error{Field: "allow_local", Message: fmt.Sprintf("%d is not a port", port), Hint: "give a number from 1 to 65535"}
		case a.isOwnPort(port):
			return &fault.Error{Field: "allow_local", Message: fmt.Sprintf("the port %d is Goalpost's own", port), Hint: "a goal never reaches it"}
		}
	}
	p.AllowLocal = in.AllowLocal
	for _, dir := range in.AllowWrite {
		real, err := a.validateExistingDir(dir)
		if err != nil {
			return withField(err, "allow_write")
		}
		p.AllowWrite = append(p.AllowWrite, real)
	}
	for _, dir := range in.AllowRead {
		real, err := a.validateReadPath(dir)
		if err != nil {
			return err
		}
		p.AllowRead = append(p.AllowRead, real)
	}
	for _, socket := range in.AllowSocket {
		info, err := os.Stat(socket)
		if err != nil || info.Mode().Type()&fs.ModeSocket == 0 || !filepath.IsAbs(socket) {
			return &fault.Error{Field: "allow_socket", Message: socket + " is not a socket", Hint: "give its whole path, such as /var/run/docker.sock"}
		}
		if err := a.validateSocket(socket, *p); err != nil {
			return err
		}
		p.AllowSocket = append(p.AllowSocket, filepath.Clean(socket))
	}
	if err := p.Validate(); err != nil {
		return &fault.Error{Field: "allow_hosts", Message: err.Error(), Hint: "give names such as docs.example or *.example.org"}
	}
	return nil
}

// validateSocket refuses sockets that a goal may not have, by where they really are.
func (a *App) validateSocket(socket string, p policy.Policy) error {
	real, err := filepath.EvalSymlinks(socket)
	if err != nil {
		return &fault.Error{Field: "allow_socket", Message: err.Error(), Hint: "give the whole path of a socket that exists"}
	}
	state, err := filepath.EvalSymlinks(a.cfg.State())
	if err != nil {
		return fmt.Errorf("the state folder: %w", err)
	}
	if policy.IsWithin(state, real) {
		return &fault.Error{Field: "allow_socket", Message: socket + " is Goalpost's own", Hint: "a goal never speaks to it"}
	}
	for _, dir := range append([]string{p.Dir}, p.AllowWrite...) {
		if policy.IsWithin(dir, real) || policy.IsWithin(dir, filepath.Clean(socket)) {
			return &fault.Error{Field: "allow_socket", Message: socket + " is in a folder that the goal writes", Hint: "the goal reaches it without being asked for; a path there could lead elsewhere tomorrow"}
		}
	}
	return nil
}

// validateReadPath refuses what a goal must not see even without writing: what it may not
// work in holds keys, or everything.
func (a *App) validateReadPath(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(real) {
		return "", &fault.Error{Field: "allow_read", Message: dir + " cannot be read", Hint: "give the whole path of a file or folder that exists"}
	}
	if err := a.validateForeignPath(real); err != nil {
		return "", withField(err, "allow_read")
	}
	return real, nil
}

// validateForeignPath refuses what no goal is given, whatever it would do there. The path has no
// links in it.
func (a *App) validateForeignPath(path string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	if reason, hint := forbiddenGoalDir(path, homes(home)); reason != "" {
		return &fault.Error{Message: reason, Hint: hint}
	}
	state, err := filepath.EvalSymlinks(a.cfg.State())
	if err != nil {
		return fmt.Errorf("the state folder: %w", err)
	}
	if policy.IsWithin(path, state) || policy.IsWithin(state, path) {
		return &fault.Error{Message: path + " holds Goalpost's own data", Hint: "choose another folder"}
	}
	return nil
}

// withField says of which field a refusal is.
func withField(err error, name string) error {
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		return &fault.Error{Field: name, Message: refusal.Message, Hint: refusal.Hint}
	}
	return err
}
