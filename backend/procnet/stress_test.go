package procnet_test

import (
	"net"
	"sync"
	"testing"
	"time"

	"goalpost/backend/procnet"
)

func TestStress(t *testing.T) {
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	go func() { for { c, err := l.Accept(); if err != nil { return }; go func() { b := make([]byte, 1); c.Read(b); c.Close() }() } }()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); var keep []net.Conn
			for { select { case <-stop: return; default: }
				c, err := net.Dial("tcp", l.Addr().String()); if err != nil { time.Sleep(time.Millisecond); continue }
				c.(*net.TCPConn).SetLinger(0)
				keep = append(keep, c); if len(keep) > 100 { keep[0].Close(); keep = keep[1:] } } }()
	}
	n, miss := 0, 0
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		c, err := net.Dial("tcp", l.Addr().String()); if err != nil { continue }
		n++
		if procnet.SocketUser(c.LocalAddr().(*net.TCPAddr).AddrPort(), c.RemoteAddr().(*net.TCPAddr).AddrPort()) == "" { miss++ }
		c.Close()
	}
	close(stop); wg.Wait()
	t.Logf("%d lookups, %d missed", n, miss)
}
