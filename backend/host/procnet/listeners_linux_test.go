package procnet

import (
	"net"
	"slices"
	"strings"
	"testing"
)

// TestListeners_OfEitherSource_AreTheSame: a connection is in neither list.
func TestListeners_OfEitherSource_AreTheSame(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("%s: %v", address, err) // not every machine has IPv6
			continue
		}
		defer func() { _ = l.Close() }()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		asked, err := tcpListeners()
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		ofPort := func(list []listener) []listener {
			list = slices.DeleteFunc(list, func(l listener) bool { return l.port != port })
			slices.SortFunc(list, func(a, b listener) int { return strings.Compare(a.inode, b.inode) })
			return list
		}
		tabled, listed := ofPort(tabledListeners()), ofPort(asked)
		if len(listed) != 1 || !slices.Equal(listed, tabled) {
			t.Errorf("%s: the kernel answers %v, its tables hold %v", address, listed, tabled)
		}
	}
}

func TestRefusal_OfTheKernel_IsItsError(t *testing.T) {
	for data, want := range map[string]string{
		"\xfe\xff\xff\xff": "asking for sockets: no such file or directory",
		"":                 "asking for sockets: protocol error",
	} {
		if got := refusal([]byte(data)); got.Error() != want {
			t.Errorf("%q: %v, want %s", data, got, want)
		}
	}
}

func BenchmarkListeners(b *testing.B) {
	b.Run("asked", func(b *testing.B) {
		for b.Loop() {
			if _, err := tcpListeners(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("tables", func(b *testing.B) {
		for b.Loop() {
			tabledListeners()
		}
	})
}
