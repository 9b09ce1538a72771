package mcp

import "time"

// SetTimeout sets the time limit of calls to the tool's server, even if that is already running.
func (t *Tool) SetTimeout(d time.Duration) { t.link.server.Timeout = d }
