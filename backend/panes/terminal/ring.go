package terminal

// ring stores the last bytes of a stream. Offsets count from the stream's first byte. It grows to its limit as it
// fills; its owner synchronizes access.
type ring struct {
	buf        []byte
	bound      int
	start, end int64 // the stored range [start, end)
}

const ringFirst = 64 << 10

func newRing(bound int) *ring { return &ring{bound: bound} }

// add appends bytes and drops the oldest ones beyond the limit.
func (r *ring) add(p []byte) {
	if skip := len(p) - r.bound; skip > 0 {
		p = p[skip:]
		r.end += int64(skip)
		r.start = r.end
	}
	r.grow(int(r.end-r.start) + len(p))
	for len(p) > 0 {
		n := copy(r.buf[r.end%int64(len(r.buf)):], p)
		p = p[n:]
		r.end += int64(n)
	}
	r.start = max(r.start, r.end-int64(len(r.buf)))
}

func (r *ring) grow(need int) {
	if need <= len(r.buf) || len(r.buf) == r.bound {
		return
	}
	size := max(len(r.buf), min(ringFirst, r.bound))
	for size < need && size < r.bound {
		size = min(2*size, r.bound)
	}
	old := r.slice(r.start, r.end)
	r.buf = make([]byte, size)
	at := r.start
	for len(old) > 0 {
		n := copy(r.buf[at%int64(size):], old)
		old = old[n:]
		at += int64(n)
	}
}

// read copies from offset, which must be stored, and returns the number of bytes.
func (r *ring) read(offset int64, p []byte) int {
	p = p[:min(int64(len(p)), r.end-offset)]
	for n := 0; n < len(p); {
		at := (offset + int64(n)) % int64(len(r.buf))
		n += copy(p[n:], r.buf[at:])
	}
	return len(p)
}

// slice copies the stored part of [from, to).
func (r *ring) slice(from, to int64) []byte {
	from, to = max(from, r.start), min(to, r.end)
	if from >= to {
		return nil
	}
	p := make([]byte, to-from)
	r.read(from, p)
	return p
}
