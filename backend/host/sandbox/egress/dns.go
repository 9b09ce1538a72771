package egress

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"goalpost/backend/lib/text"
)

// DNSServer answers the sandbox's DNS queries.
type DNSServer struct {
	proxy *Proxy
}

// The parts of a DNS message that a refusal needs (RFC 1035).
const (
	dnsHeader   = 12
	dnsAnswer   = 0x8000
	dnsRecurs   = 0x0080
	dnsRefused  = 5
	dnsMalform  = 1
	dnsWanted   = 0x0100
	dnsOpcode   = 0x7800
	maxQuestion = 512
)

// ServeDNS answers every query with REFUSED and logs it: the proxy resolves names, so that no data can leave the
// machine in DNS queries. Close closes both sockets.
func (d *DNSServer) ServeDNS(udp net.PacketConn, tcp net.Listener) {
	d.proxy.mu.Lock()
	defer d.proxy.mu.Unlock()
	if d.proxy.closed {
		_, _ = udp.Close(), tcp.Close()
		return
	}
	d.proxy.closers = append(d.proxy.closers, udp, tcp)
	d.proxy.work.Go(func() {
		buf := make([]byte, maxQuestion)
		for {
			n, from, err := udp.ReadFrom(buf)
			if err != nil {
				if errors.Is(err, net.ErrClosed) {
					return
				}
				continue
			}
			if answer := d.answerDNS(buf[:n]); answer != nil {
				_, _ = udp.WriteTo(answer, from)
			}
		}
	})
	d.proxy.work.Go(func() {
		for {
			conn, err := tcp.Accept()
			if err != nil {
				return
			}
			d.proxy.work.Go(func() { d.answerDNSTCP(conn) })
		}
	})
}

// answerDNSTCP answers one query over TCP.
func (d *DNSServer) answerDNSTCP(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(headerTime))
	var length [2]byte
	if _, err := io.ReadFull(conn, length[:]); err != nil {
		return
	}
	question := make([]byte, binary.BigEndian.Uint16(length[:]))
	if _, err := io.ReadFull(conn, question); err != nil {
		return
	}
	if answer := d.answerDNS(question); answer != nil {
		_, _ = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
	}
}

// answerDNS returns the response to a query, or nil if the message is not a query.
func (d *DNSServer) answerDNS(message []byte) []byte {
	if len(message) < dnsHeader {
		return nil
	}
	flags := binary.BigEndian.Uint16(message[2:])
	if flags&dnsAnswer != 0 {
		return nil
	}
	answer := append([]byte{}, message[:dnsHeader]...)
	code := uint16(dnsMalform)
	if host, end, ok := parseDNSQuestion(message); ok {
		code = dnsRefused
		answer = append(answer, message[dnsHeader:end]...)
		reason := "only the goal's proxy resolves names: use a program that reads HTTP_PROXY"
		d.proxy.log.add(Entry{At: time.Now(), From: SourceProgram, Method: "NAME", Host: host, Reason: reason})
	} else {
		binary.BigEndian.PutUint16(answer[4:], 0)
	}
	binary.BigEndian.PutUint16(answer[2:], dnsAnswer|dnsRecurs|flags&(dnsWanted|dnsOpcode)|code)
	clear(answer[6:dnsHeader]) // no answers, authorities, extras
	return answer
}

// parseDNSQuestion returns the queried name and the offset at which the question ends.
func parseDNSQuestion(message []byte) (host string, end int, ok bool) {
	if binary.BigEndian.Uint16(message[4:]) != 1 {
		return "", 0, false
	}
	var labels []string
	at := dnsHeader
	for at < len(message) {
		n := int(message[at])
		at++
		if n == 0 {
			end = at + 4 // type and class
			return strings.ToLower(strings.Join(labels, ".")), end, end <= len(message)
		}
		if n > 63 || at+n > len(message) {
			break
		}
		labels = append(labels, text.ToUTF8(string(message[at:at+n])))
		at += n
	}
	return "", 0, false
}
