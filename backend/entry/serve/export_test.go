package serve

import (
	"maps"
	"slices"
)

// Token is the token for the login.
func (s *Server) Token() string { return s.token }

// Names lists the methods.
func (r *Registry) Names() []string { return slices.Sorted(maps.Keys(r.methods)) }
