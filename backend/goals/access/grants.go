package access

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
)

// ValidateGrants checks the access besides its folder that the user gives a goal at the start, and adds it to p. It
// resolves links in paths, because the sandbox opens the paths that they lead to.
func (r *Rules) ValidateGrants(in api.AccessInput, p *policy.Policy) error {
	for _, port := range in.AllowLocal {
		switch {
		case port < 1 || port > 65535:
			return fault.Invalid("allow_local", fmt.Sprintf("%d is not a port", port), "give a number from 1 to 65535")
		case r.Ports.Contains(port):
			return fault.Invalid("allow_local", fmt.Sprintf("the port %d is Goalpost's own", port), "no goal may use it")
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
			return fault.Invalid("allow_socket", socket+" is not a socket",
				"give its whole path, such as /var/run/docker.sock")
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
		return fault.Invalid("allow_hosts", err.Error(), "give names such as docs.example or *.example.org")
	}
	return nil
}
