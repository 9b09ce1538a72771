// Package access decides what a goal may use on this machine: folders, files, sockets, ports, toolchains.
package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/network"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// Rules decide what a goal may use on this machine.
type Rules struct {
	Config *config.Config
	Ports  *network.OwnPorts
}

// validateSocket refuses sockets that a goal may not use. It follows links first.
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
		return &fault.Error{Field: "allow_socket", Message: socket + " is Goalpost's own", Hint: "no goal may use it"}
	}
	for _, dir := range append([]string{p.Dir}, p.AllowWrite...) {
		if policy.IsWithin(dir, real) || policy.IsWithin(dir, filepath.Clean(socket)) {
			return fault.Invalid("allow_socket", socket+" is in a folder that the goal can write",
				"leave it out: the goal can use it anyway, and could replace it with another socket")
		}
	}
	return nil
}

// validateReadPath refuses paths that a goal must not even read: the folders that it may not work in hold keys, or
// contain such folders. It returns the path without links.
func (r *Rules) validateReadPath(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(real) {
		return "", fault.Invalid("allow_read", dir+" cannot be read", "give the whole path of a file or folder that exists")
	}
	if err := r.ValidateForeignPath(real); err != nil {
		return "", withField(err, "allow_read")
	}
	return real, nil
}

// ValidateForeignPath refuses a path outside the goal's folder that no goal may use. The path must not contain links.
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
	if policy.FoldersOverlap(path, state) {
		return &fault.Error{Message: path + " contains Goalpost's own data", Hint: "choose another folder"}
	}
	return nil
}

// withField adds the name of the input field to a refusal.
func withField(err error, name string) error {
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		return &fault.Error{Field: name, Message: refusal.Message, Hint: refusal.Hint}
	}
	return err
}

// ValidateExistingDir refuses folders whose loss would hurt: the root, home folders, Goalpost's own. It
// returns the path without links.
func (r *Rules) ValidateExistingDir(path string) (string, error) {
	refuse := func(reason, hint string) (string, error) {
		return "", &fault.Error{Field: "dir", Message: reason, Hint: hint}
	}
	dir, err := filepath.Abs(expandHome(path))
	if err != nil {
		return refuse(err.Error(), "")
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", &fault.Error{
			Code: fault.FolderMissing, Field: "dir", Message: "the folder " + dir + " does not exist",
			Hint: "create it first, or choose another one",
		}
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

// ValidateAccess checks that the file, socket or port still has the kind that was asked for.
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
		return fmt.Errorf("allowed access: %w", err)
	case access.Kind == policy.WriteAccess && !info.IsDir():
		return fmt.Errorf("%s is not a folder", access.Path)
	case access.Kind == policy.SocketAccess && info.Mode().Type() != os.ModeSocket:
		return fmt.Errorf("%s is not a socket", access.Path)
	case access.Kind == policy.ReadAccess && !info.IsDir() && !info.Mode().IsRegular():
		return fmt.Errorf("%s is neither a file nor a folder", access.Path)
	}
	return nil
}

// RuleSet returns the rules for every goal of this program. No goal may write Goalpost's own folders.
func (r *Rules) RuleSet() (policy.RuleSet, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // DefaultRules then treats every folder as the home folder
	}
	rules, err := policy.DefaultRules(home, r.Config.State())
	if err != nil {
		return rules, fmt.Errorf("the rules: %w", err)
	}
	return rules, nil
}
