package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"goalpost/backend/lib/fault"
)

// MCPServer is an MCP server whose tools goals may use. Values of Env and Headers may refer to secrets; put no secret
// values here.
type MCPServer struct {
	Name           string            `json:"name"`
	Command        string            `json:"command,omitempty"`
	Args           []string          `json:"args,omitempty"`
	Env            map[string]string `json:"env,omitempty"`
	URL            string            `json:"url,omitempty"`
	Headers        map[string]string `json:"headers,omitempty"`
	Risk           string            `json:"risk,omitempty"` // "" uses the server's annotations
	Read           []string          `json:"read,omitempty"` // folders that the program needs, for every goal to read
	TimeoutSeconds int               `json:"timeout_seconds,omitempty"`
	StartSeconds   int               `json:"start_seconds,omitempty"`
	Off            bool              `json:"off,omitempty"` // saved, but used by no goal
}

// MCPServers lists the saved MCP servers by name.
func (c *Config) MCPServers() []MCPServer {
	list := slices.Clone(c.current().MCPServers)
	for i := range list {
		list[i].Env, list[i].Headers = maps.Clone(list[i].Env), maps.Clone(list[i].Headers)
	}
	return list
}

// SaveMCPServer adds a server or replaces the one with its name. The caller validates it.
func (c *Config) SaveMCPServer(s MCPServer) error {
	return c.change(func(f *file) error {
		list := slices.Clone(f.MCPServers)
		i, found := slices.BinarySearchFunc(list, s.Name, func(have MCPServer, name string) int {
			return strings.Compare(have.Name, name)
		})
		if found {
			list[i] = s
		} else {
			list = slices.Insert(list, i, s)
		}
		f.MCPServers = list
		return nil
	})
}

// DeleteMCPServer removes a saved MCP server.
func (c *Config) DeleteMCPServer(name string) error {
	return c.change(func(f *file) error {
		i := slices.IndexFunc(f.MCPServers, func(s MCPServer) bool { return s.Name == name })
		if i < 0 {
			return fault.Invalid("name", fmt.Sprintf("there is no MCP server %q", name),
				"the settings and `mcp servers list` show them")
		}
		f.MCPServers = slices.Delete(slices.Clone(f.MCPServers), i, i+1)
		return nil
	})
}
