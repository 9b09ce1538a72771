package terminal

// broadcast wakes everyone who waits for the next change. The owner guards it.
type broadcast struct{ c chan struct{} }

// next is closed at the next fire.
func (b *broadcast) next() <-chan struct{} {
	if b.c == nil {
		b.c = make(chan struct{})
	}
	return b.c
}

func (b *broadcast) fire() {
	if b.c != nil {
		close(b.c)
		b.c = nil
	}
}
