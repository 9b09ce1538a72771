package sandbox_test

import (
	"net"
	"path/filepath"
	"testing"
	"time"
)

// TestSocketpair_OfDatagrams_KeepsMessagesApart: a pair of datagram sockets preserves message boundaries, and cannot
// send to another socket.
func TestSocketpair_OfDatagrams_KeepsMessagesApart(t *testing.T) {
	w := newSpec(t)
	server, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(w.Dir, "server"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s := openSandbox(t, w)
	const script = `import os, socket
for kind in 0, socket.SOCK_CLOEXEC, socket.SOCK_NONBLOCK:
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM | kind)
    assert os.get_inheritable(a.fileno()) is False # Python sets it itself
    a.send(b"one"); a.send(b"two")
    print(b.recv(100).decode(), b.recv(100).decode())
b.setblocking(False)
try: b.recv(1)
except BlockingIOError: print("empty")
try: a.sendto(b"escaped", "server")
except OSError as e: print(e.strerror)
try: a.sendmsg([b"escaped"], [], 0, "server")
except OSError as e: print(e.strerror)
`
	text, status := output(t, s, inside(w, `exec python3 -c "$1"`, script))
	t.Logf("%s", text)
	const want = "one two\none two\none two\nempty\n"
	if len(text) < len(want) || text[:len(want)] != want || status.Code != 0 {
		t.Errorf("%q %v", text, status)
	}
	if err := server.SetReadDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	if n, _, err := server.ReadFromUnix(make([]byte, 100)); err == nil {
		t.Errorf("the server of the machine received %d bytes", n)
	}
}
