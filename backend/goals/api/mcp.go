package api

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
