package terminal

// signal wakes everyone who waits for the next change. The owner guards it.
type signal struct{ c chan struct{} }

// next is closed at the next fire.
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
