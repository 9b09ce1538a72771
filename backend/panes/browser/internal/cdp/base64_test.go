package cdp

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"testing"
)

func TestDecodePicture_EqualsStandardLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for size := range 200 {
		want := make([]byte, size)
		for i := range want {
			want[i] = byte(random.Uint32())
		}
		text := []byte(base64.StdEncoding.EncodeToString(want))
		if got, ok := decodePicture(text); !ok || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes: %v, % x instead of % x", size, ok, got, want)
		}
		for range 20 {
			bad := bytes.Clone(text)
			if size > 0 {
				bad[random.IntN(len(bad))] = "\x00=-_ \\\xff\""[random.IntN(8)]
			}
			got, ok := decodePicture(bad)
			wanted, err := base64.StdEncoding.DecodeString(string(bad))
			if ok != (err == nil) || ok && !bytes.Equal(got, wanted) {
				t.Fatalf("%q: %v, the library says %v", bad, ok, err)
			}
		}
	}
}
