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
	Read           []string  `json:"read"`    // folders that the program needs; all programs of goals can read them
	TimeoutSeconds int       `json:"timeout_seconds"`
	StartSeconds   int       `json:"start_seconds"`
	Off            bool      `json:"off"`
	Progress       string    `json:"progress"`      // of a start that is not over; Save ignores it, as all below
	LoginAddress   string    `json:"login_address"` // to open in a browser, while a login is under way
	Notes          []string  `json:"notes"`         // what was unusual when its tools were listed
	Title          string    `json:"title"`         // the server's own name for itself
	ListedAt       string    `json:"listed_at"`     // "" if its tools were never listed
	Tools          []MCPTool `json:"tools"`
}

// MCPTool is one tool of a server.
type MCPTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Risk        string `json:"risk"` // of its calls
}
