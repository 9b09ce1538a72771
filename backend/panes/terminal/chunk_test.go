package terminal

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzChunks reads what a program printed, in pieces of any size and with acknowledgements at any time. The chunks
// together are the printed bytes, and none of them ends in the middle of a character.
func FuzzChunks(f *testing.F) {
	f.Add([]byte("plain, é, 日本, 😀"), []byte{1, 2, 3}, uint8(1))
	f.Add([]byte(strings.Repeat("é日😀a", 20)), []byte{0}, uint8(0)) // byte by byte
	f.Add([]byte("\xe6\x97\xa5\xe6\x97"), []byte{1}, uint8(2))
	f.Add([]byte("\xf0\x9f\x98\x80\xff\xfe\xe6\x97\xe6\x97\xa5\xc3"), []byte{2, 1, 1}, uint8(3))
	f.Add(bytes.Repeat([]byte("日€😀é"), 12_000), []byte{255, 7, 129}, uint8(40))
	f.Fuzz(func(t *testing.T, text, sizes []byte, every uint8) {
		s := &Session{ring: newRing(minScrollback), viewers: map[*Viewer]struct{}{}}
		v := s.Attach(0)
		var all []byte
		// take reads everything that is available, and acknowledges now and then.
		take := func() {
			for i := 0; ; i++ {
				offset, chunk, err := v.take()
				if err == nil && chunk == nil {
					return
				}
				if err != nil {
					if s.ended {
						return
					}
					t.Fatal(err)
				}
				if offset != int64(len(all)) || len(chunk) > chunkSize {
					t.Fatalf("%d bytes at %d after %d", len(chunk), offset, len(all))
				}
				all = append(all, chunk...)
				if cut(text, len(all)) {
					t.Fatalf("the chunk at %d ends with % x in the middle of a character", offset, chunk[max(0, len(chunk)-4):])
				}
				if i%(int(every)+1) == 0 {
					v.Ack(int64(len(all)))
				}
			}
		}
		printed := text
		for i := 0; len(printed) > 0; i++ {
			n := len(printed)
			if len(sizes) > 0 {
				n = min(n, 1+int(sizes[i%len(sizes)])*97)
			}
			s.ring.add(printed[:n])
			printed = printed[n:]
			if s.ring.end-v.next > int64(minScrollback)/2 || i%(int(every)+1) == 0 {
				take()
				v.Ack(int64(len(all)))
			}
		}
		take()
		v.Ack(int64(len(all)))
		s.ended = true
		take()
		if !bytes.Equal(all, text) {
			t.Fatalf("%d bytes instead of %d", len(all), len(text))
		}
	})
}

// cut reports whether the offset at is inside a character of text.
func cut(text []byte, at int) bool {
	for n := 1; n < utf8.UTFMax && n <= at; n++ {
		if r, size := utf8.DecodeRune(text[at-n:]); size > n && r != utf8.RuneError {
			return true
		}
	}
	return false
}
