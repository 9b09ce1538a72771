package terminal

import (
	"bytes"
	"testing"
)

func FuzzRing(f *testing.F) {
	f.Add([]byte{3, 200, 0, 7, 255, 255, 1}, uint16(10))
	f.Add(bytes.Repeat([]byte{250}, 40), uint16(1000))
	f.Add(bytes.Repeat([]byte{255, 13}, 400), uint16(ringFirst-1))
	f.Fuzz(func(t *testing.T, sizes []byte, bound uint16) {
		if bound == 0 {
			return
		}
		r := newRing(int(bound))
		var all []byte
		for i, n := range sizes {
			p := bytes.Repeat([]byte{byte(i)}, int(n)*3)
			for j := range p {
				p[j] += byte(j)
			}
			r.add(p)
			all = append(all, p...)
			if r.end != int64(len(all)) || r.start < 0 || r.start > r.end || r.end-r.start > int64(bound) {
				t.Fatalf("kept %d to %d of %d, bound %d", r.start, r.end, len(all), bound)
			}
			if len(all) >= int(bound) && r.end-r.start != int64(bound) && len(r.buf) == int(bound) && r.start > 0 &&
				r.end-r.start < int64(len(r.buf)) {
				t.Fatalf("keeps %d although %d fit", r.end-r.start, bound)
			}
			if got := r.slice(0, r.end); !bytes.Equal(got, all[r.start:]) {
				t.Fatalf("other bytes from %d on", r.start)
			}
			if mid := (r.start + r.end) / 2; r.end > mid {
				p := make([]byte, 5)
				n := r.read(mid, p)
				if !bytes.Equal(p[:n], all[mid:min(mid+5, r.end)]) {
					t.Fatalf("read at %d: %v", mid, p[:n])
				}
			}
		}
	})
}

func TestRing_MuchOutput_GrowsToItsLimit(t *testing.T) {
	r := newRing(1 << 20)
	r.add([]byte("x"))
	if len(r.buf) != ringFirst {
		t.Errorf("starts with %d bytes", len(r.buf))
	}
	r.add(make([]byte, 3<<20))
	if len(r.buf) != 1<<20 || r.end != 3<<20+1 || r.end-r.start != 1<<20 {
		t.Errorf("%d bytes, %d to %d", len(r.buf), r.start, r.end)
	}
}

func TestCompleteUTF8Len_CutCharacter_IsLeftOut(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "aé": 3, "a\xc3": 1, "日": 3, "\xe6\x97": 0, "x\xe6": 1, "😀": 4, "x\xf0\x9f\x98": 1,
		"\xff": 1, "\x80\x80\x80\x80": 4, "a\xc0": 2, "\xe6\x97x": 3,
	} {
		if got := completeUTF8Len([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	for text, want := range map[string]int{"": 0, "a": 0, "\x97\xa5b": 2, "\xa5日": 1, "\x80\x80\x80\x80": 0, "日": 0} {
		if got := continuationLen([]byte(text)); got != want {
			t.Errorf("begun %q: %d, want %d", text, got, want)
		}
	}
}
