package access

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

// ValidateGrants checks the access besides its folder that the user gives a goal at the start. It resolves links in
// paths, because the sandbox opens the paths that they lead to.
func (r *Rules) ValidateGrants(p *policy.Policy) (err error) {
	for _, port := range p.AllowLocal {
		switch {
		case port < 1 || port > 65535:
			return fault.Invalid("allow_local", fmt.Sprintf("%d is not a port", port), "give a number from 1 to 65535")
		case r.Ports.Contains(port):
			return fault.Invalid("allow_local", fmt.Sprintf("the port %d is Goalpost's own", port), "no goal may use it")
		}
	}
	if p.AllowWrite, err = resolvePaths(p.AllowWrite, r.ValidateExistingDir); err != nil {
		return withField(err, "allow_write")
	}
	if p.AllowRead, err = resolvePaths(p.AllowRead, r.validateReadPath); err != nil {
		return err
	}
	p.AllowSocket, err = resolvePaths(p.AllowSocket, func(socket string) (string, error) {
		info, err := os.Stat(socket)
		if err != nil || info.Mode().Type()&fs.ModeSocket == 0 || !filepath.IsAbs(socket) {
			return "", fault.Invalid("allow_socket", socket+" is not a socket",
				"give its whole path, such as /var/run/docker.sock")
		}
		return filepath.Clean(socket), r.validateSocket(socket, *p)
	})
	if err != nil {
		return err
	}
	if err := validateWork(p); err != nil {
		return err
	}
	if err := r.validateCheckDir(p); err != nil {
		return err
	}
	if err := p.ValidateWork(); err != nil {
		return fault.Invalid("work", err.Error(), "name files and folders below the goal's folder")
	}
	if err := p.Validate(); err != nil {
		return fault.Invalid("allow_hosts", err.Error(), "give names such as docs.example or *.example.org")
	}
	return nil
}

// resolvePaths returns the real path of each given one. resolve refuses those that no goal may use.
func resolvePaths(list []string, resolve func(string) (string, error)) ([]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	paths := make([]string, 0, len(list))
	for _, path := range list {
		real, err := resolve(path)
		if err != nil {
			return nil, err
		}
		paths = append(paths, real)
	}
	return paths, nil
}
