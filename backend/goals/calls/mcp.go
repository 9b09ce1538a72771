package calls

import (
	"context"

	"goalpost/backend/goals/api"
	"goalpost/backend/goals/mcpservers"
)

// MCPAPI manages the MCP servers whose tools goals may use.
type MCPAPI struct {
	servers *mcpservers.Servers
	apiBase
}

// NewMCPAPI makes the API; ctx is the program's life.
func NewMCPAPI(ctx context.Context, s *mcpservers.Servers) *MCPAPI { return &MCPAPI{s, apiBase{ctx}} }

// List lists the servers; it starts none.
func (m *MCPAPI) List() (out []api.MCPServer, err error) {
	defer m.recoverProblem(&err)
	return m.servers.MCPServers()
}

// Save adds a server or updates the one with its name.
func (m *MCPAPI) Save(s api.MCPServer) (ok bool, err error) {
	defer m.recoverProblem(&err)
	return true, m.servers.SaveMCPServer(s)
}

// Delete removes a server.
func (m *MCPAPI) Delete(name string) (ok bool, err error) {
	defer m.recoverProblem(&err)
	return true, m.servers.DeleteMCPServer(m.ctx, name)
}

// Test starts a server as a goal would and lists its tools.
func (m *MCPAPI) Test(name string) (out api.MCPServer, err error) {
	defer m.recoverProblem(&err)
	return m.servers.TestMCPServer(m.ctx, name)
}

// LogIn lets the user log in to a server, at the address that List shows meanwhile, and lists its tools.
func (m *MCPAPI) LogIn(name string) (out api.MCPServer, err error) {
	defer m.recoverProblem(&err)
	return m.servers.LogIn(m.ctx, name)
}
