package access

import (
	"fmt"
	"path/filepath"
)

// ValidateServerFolder refuses a folder that a server of the user must not read, and returns its path without links.
// The programs of all goals can read it, too. It may be a hidden one, where installers put programs, if it has no keys.
func (r *Rules) ValidateServerFolder(path string) (string, error) {
	real, err := r.validateReadPath(path)
	if err == nil {
		return real, nil
	}
	if real, linkErr := filepath.EvalSymlinks(path); linkErr == nil {
		if err = r.validateToolchain(real); err == nil {
			return real, nil
		}
	}
	return "", withField(err, "read")
}

// ServerFolders returns the folders that the user's MCP servers need. problems has an error for each that is left out.
func (r *Rules) ServerFolders() (usable []string, problems []error) {
	for _, server := range r.Config.MCPServers() {
		for _, path := range server.Read {
			real, err := r.ValidateServerFolder(path)
			switch {
			case server.Off:
			case err != nil:
				problems = append(problems, fmt.Errorf("the MCP server %s: %w", server.Name, err))
			default:
				usable = append(usable, real)
			}
		}
	}
	return usable, problems
}
