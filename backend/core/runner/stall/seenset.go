package stall

import "slices"

// maxSeen limits how many results and fingerprints the next run remembers.
const maxSeen = 500

// seenSet is a set that remembers the order of its entries. The zero value is empty and ready.
type seenSet struct {
	has  map[string]bool
	list []string // in the order in which it was seen
}

// add reports whether the entry is new.
func (s *seenSet) add(what string) bool {
	if s.has[what] {
		return false
	}
	if s.has == nil {
		s.has = map[string]bool{}
	}
	s.has[what] = true
	s.list = append(s.list, what)
	return true
}

func (s *seenSet) newest() []string { return slices.Clone(s.list[max(0, len(s.list)-maxSeen):]) }
