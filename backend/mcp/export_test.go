package mcp

import "time"

// SetTimeout gives the calls of the tool's server, which runs already, as long.
func (t *Tool) SetTimeout(d time.Duration) { t.link.server.Timeout = d }
