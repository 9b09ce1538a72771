package api

import "context"

// MCPServer is a server of the Model Context Protocol, and what it offered when
// it was last asked.
type MCPServer struct {
	Name           string    `json:"name"`
	Command        string    `json:"command"`
	Args           []string  `json:"args"`
	Env            []string  `json:"env"` // KEY=value
	URL            string    `json:"url"`
	Headers        []string  `json:"headers"` // Name: value
	Risk           string    `json:"risk"`    // "" takes what the server says of its tools
	TimeoutSeconds int       `json:"timeout_seconds"`
	Off            bool      `json:"off"`
	Title          string    `json:"title"`     // what it calls itself; filled by the program
	ListedAt       string    `json:"listed_at"` // "" if it was never asked
	Tools          []MCPTool `json:"tools"`
}

// MCPTool is one tool of a server.
type MCPTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Risk        string `json:"risk"` // what a call of it counts as
}

// MCPServers is what MCPAPI asks of the program.
type MCPServers interface {
	MCPServers() ([]MCPServer, error)
	SaveMCPServer(s MCPServer) error
	DeleteMCPServer(name string) error
	TestMCPServer(ctx context.Context, name string) (MCPServer, error)
}

// MCPAPI is the servers whose tools goals may use.
type MCPAPI struct {
	servers MCPServers
	apiBase
}

// NewMCPAPI makes the area; ctx is the program's life.
func NewMCPAPI(ctx context.Context, s MCPServers) *MCPAPI { return &MCPAPI{s, apiBase{ctx}} }

// List gives every server; nothing is started.
func (a *MCPAPI) List() (out []MCPServer, err error) {
	defer a.recoverProblem(&err)
	return a.servers.MCPServers()
}

// Save adds a server or changes the one with its name.
func (a *MCPAPI) Save(s MCPServer) (ok bool, err error) {
	defer a.recoverProblem(&err)
	return true, a.servers.SaveMCPServer(s)
}

// Delete removes a server.
func (a *MCPAPI) Delete(name string) (ok bool, err error) {
	defer a.recoverProblem(&err)
	return true, a.servers.DeleteMCPServer(name)
}

// Test starts a server as a goal would and says what it offers.
func (a *MCPAPI) Test(name string) (out MCPServer, err error) {
	defer a.recoverProblem(&err)
	return a.servers.TestMCPServer(a.ctx, name)
}
