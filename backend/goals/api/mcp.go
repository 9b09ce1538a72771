package api

import "context"

// MCPServer is an MCP server of the user, with the tools that it listed last.
type MCPServer struct {
	Name           string    `json:"name"`
	Command        string    `json:"command"`
	Args           []string  `json:"args"`
	Env            []string  `json:"env"` // KEY=value
	URL            string    `json:"url"`
	Headers        []string  `json:"headers"` // Name: value
	Risk           string    `json:"risk"`    // of all its tools; "" = as the server's annotations say
	TimeoutSeconds int       `json:"timeout_seconds"`
	Off            bool      `json:"off"`
	Title          string    `json:"title"`     // the server's own name for itself; Save ignores it
	ListedAt       string    `json:"listed_at"` // "" if its tools were never listed
	Tools          []MCPTool `json:"tools"`
}

// MCPTool is one tool of a server.
type MCPTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Risk        string `json:"risk"` // of its calls
}

// MCPServers is the interface of MCPAPI to the program.
type MCPServers interface {
	MCPServers() ([]MCPServer, error)
	SaveMCPServer(s MCPServer) error
	DeleteMCPServer(name string) error
	TestMCPServer(ctx context.Context, name string) (MCPServer, error)
}

// MCPAPI manages the MCP servers whose tools goals may use.
type MCPAPI struct {
	servers MCPServers
	apiBase
}

// NewMCPAPI makes the API; ctx is the program's life.
func NewMCPAPI(ctx context.Context, s MCPServers) *MCPAPI { return &MCPAPI{s, apiBase{ctx}} }

// List lists the servers; it starts none.
func (m *MCPAPI) List() (out []MCPServer, err error) {
	defer m.recoverProblem(&err)
	return m.servers.MCPServers()
}

// Save adds a server or updates the one with its name.
func (m *MCPAPI) Save(s MCPServer) (ok bool, err error) {
	defer m.recoverProblem(&err)
	return true, m.servers.SaveMCPServer(s)
}

// Delete removes a server.
func (m *MCPAPI) Delete(name string) (ok bool, err error) {
	defer m.recoverProblem(&err)
	return true, m.servers.DeleteMCPServer(name)
}

// Test starts a server as a goal would and lists its tools.
func (m *MCPAPI) Test(name string) (out MCPServer, err error) {
	defer m.recoverProblem(&err)
	return m.servers.TestMCPServer(m.ctx, name)
}
