// Package access decides what of this machine a goal may be given: folders, files, sockets, ports, toolchains.
package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"goalpost/backend/api"
	"goalpost/backend/app/network"
	"goalpost/backend/config"
	"goalpost/backend/fault"
	"goalpost/backend/policy"
)

// Rules say what of this machine a goal may be given.
type Rules struct {
	Config *config.Config
	Ports  *network.OwnPorts
}

// ValidateGrants is what the user allows a goal from the start, besides its folder.
// Paths are written out, without links: that is what the sandbox opens.
func (r *Rules) ValidateGrants(in api.StartInput, p *policy.Policy) error {
	for _, port := range in.AllowLocal {
		switch {
		case port < 1 || port > 65535:
			return &fault.Error{
				Field:   "allow_local",
				Message: fmt.Sprintf("%d is not a port", port),
				Hint:    "give a number from 1 to 65535",
			}
		case r.Ports.Contains(port):
			return &fault.Error{
				Field:   "allow_local",
				Message: fmt.Sprintf("the port %d is Goalpost's own", port),
				Hint:    "a goal never reaches it",
			}
		}
	}
	p.AllowLocal = in.AllowLocal
	for _, dir := range in.AllowWrite {
		real, err := r.ValidateExistingDir(dir)
		if err != nil {
			return withField(err, "allow_write")
		}
		p.AllowWrite = append(p.AllowWrite, real)
	}
	for _, dir := range in.AllowRead {
		real, err := r.validateReadPath(dir)
		if err != nil {
			return err
		}
		p.AllowRead = append(p.AllowRead, real)
	}
	for _, socket := range in.AllowSocket {
		info, err := os.Stat(socket)
		if err != nil || info.Mode().Type()&fs.ModeSocket == 0 || !filepath.IsAbs(socket) {
			return &fault.Error{
				Field:   "allow_socket",
				Message: socket + " is not a socket",
				Hint:    "give its whole path, such as /var/run/docker.sock",
			}
		}
		if err := r.validateSocket(socket, *p); err != nil {
			return err
		}
		p.AllowSocket = append(p.AllowSocket, filepath.Clean(socket))
	}
	if err := validateWork(in, p); err != nil {
		return err
	}
	if err := r.validateCheckDir(in, p); err != nil {
		return err
	}
	if err := p.ValidateWork(); err != nil {
		return &fault.Error{Field: "work", Message: err.Error()}
	}
	if err := p.Validate(); err != nil {
		return &fault.Error{
			Field:   "allow_hosts",
			Message: err.Error(),
			Hint:    "give names such as docs.example or *.example.org",
		}
	}
	return nil
}

// validateSocket refuses sockets that a goal may not have, by where they really are.
func (r *Rules) validateSocket(socket string, p policy.Policy) error {
	real, err := filepath.EvalSymlinks(socket)
	if err != nil {
		return &fault.Error{Field: "allow_socket", Message: err.Error(), Hint: "give the whole path of a socket that exists"}
	}
	state, err := filepath.EvalSymlinks(r.Config.State())
	if err != nil {
		return fmt.Errorf("the state folder: %w", err)
	}
	if policy.IsWithin(state, real) {
		return &fault.Error{Field: "allow_socket", Message: socket + " is Goalpost's own", Hint: "a goal never speaks to it"}
	}
	for _, dir := range append([]string{p.Dir}, p.AllowWrite...) {
		if policy.IsWithin(dir, real) || policy.IsWithin(dir, filepath.Clean(socket)) {
			return &fault.Error{
				Field:   "allow_socket",
				Message: socket + " is in a folder that the goal writes",
				Hint:    "the goal reaches it without being asked for; a path there could lead elsewhere tomorrow",
			}
		}
	}
	return nil
}

// validateReadPath refuses what a goal must not see even without writing: what it may not
// work in holds keys, or everything.
func (r *Rules) validateReadPath(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(real) {
		return "", &fault.Error{
			Field:   "allow_read",
			Message: dir + " cannot be read",
			Hint:    "give the whole path of a file or folder that exists",
		}
	}
	if err := r.ValidateForeignPath(real); err != nil {
		return "", withField(err, "allow_read")
	}
	return real, nil
}

// ValidateForeignPath refuses what no goal is given, whatever it would do there. The path has no
// links in it.
func (r *Rules) ValidateForeignPath(path string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	if reason, hint := forbiddenGoalDir(path, homeDirs(home)); reason != "" {
		return &fault.Error{Message: reason, Hint: hint}
	}
	state, err := filepath.EvalSymlinks(r.Config.State())
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

// ValidateExistingDir refuses folders whose loss would hurt: the root, the home folder, this program's own.
func (r *Rules) ValidateExistingDir(given string) (string, error) {
	refuse := func(reason, hint string) (string, error) {
		return "", &fault.Error{Field: "dir", Message: reason, Hint: hint}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	if rest, ok := strings.CutPrefix(given, "~"); ok && home != "" && (rest == "" || rest[0] == '/') {
		given = home + rest
	}
	dir, err := filepath.Abs(given)
	if err != nil {
		return refuse(err.Error(), "")
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return refuse("the folder "+dir+" does not exist", "create it first, or choose another one")
	case err != nil:
		return refuse(err.Error(), "choose another folder")
	case !info.IsDir():
		return refuse(dir+" is not a folder", "choose a folder")
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return refuse(err.Error(), "choose another folder")
	}
	if _, err := os.ReadDir(dir); errors.Is(err, fs.ErrPermission) {
		return refuse("you may not read the folder "+dir, "choose a folder of your own")
	}
	if err := r.ValidateForeignPath(dir); err != nil {
		return "", withField(err, "dir")
	}
	return dir, nil
}

// ValidateAccess says whether what is there now is of the kind that was asked for.
func (r *Rules) ValidateAccess(access policy.MachineAccess) error {
	if access.Kind == policy.PortAccess {
		if r.Ports.Contains(access.Port) {
			return errors.New("the port is Goalpost's own")
		}
		return nil
	}
	info, err := os.Stat(access.Path)
	switch {
	case err != nil:
		return fmt.Errorf("what was allowed: %w", err)
	case access.Kind == policy.WriteAccess && !info.IsDir():
		return fmt.Errorf("%s is not a folder", access.Path)
	case access.Kind == policy.SocketAccess && info.Mode().Type() != os.ModeSocket:
		return fmt.Errorf("%s is not a socket", access.Path)
	case access.Kind == policy.ReadAccess && !info.IsDir() && !info.Mode().IsRegular():
		return fmt.Errorf("%s is neither a file nor a folder", access.Path)
	}
	return nil
}

// RuleSet is what holds for every goal of this program. Its own folders are written by no goal.
func (r *Rules) RuleSet() (policy.RuleSet, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then every folder may be it
	}
	law, err := policy.DefaultRules(home, r.Config.State())
	if err != nil {
		return law, fmt.Errorf("the rules: %w", err)
	}
	return law, nil
}
