package terminal

// signal wakes all who wait for the next change. Its owner synchronizes access.
type signal struct{ c chan struct{} }

// next returns a channel that is closed at the next change.
func (s *signal) next() <-chan struct{} {
	if s.c == nil {
		s.c = make(chan struct{})
	}
	return s.c
}

func (s *signal) broadcast() {
	if s.c != nil {
		close(s.c)
		s.c = nil
	}
}
