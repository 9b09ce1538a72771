package terminal

// signal wakes all who wait for the next change. Its owner synchronizes access.
type signal struct{ c chan struct{} }

// next returns a channel that is closed at the next change.
func (b *signal) next() <-chan struct{} {
	if b.c == nil {
		b.c = make(chan struct{})
	}
	return b.c
}

func (b *signal) broadcast() {
	if b.c != nil {
		close(b.c)
		b.c = nil
	}
}
