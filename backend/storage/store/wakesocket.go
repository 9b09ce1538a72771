package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// PeerSockets finds and wakes the other processes on the same data folder.
type PeerSockets struct {
	*connection

	wakeSocketMu sync.Mutex
	wakeSocket   *WakeSocket // nil unless this process listens
}

// WakeSocket lets processes on one data folder wake each other. It is a Unix socket beside the lock files, which only
// the same user may use. A wake-up carries no data: the woken process reads the database, and polling would find
// everything a little later anyway. All methods may be called concurrently.
//
// A client sends one line. "order GOAL" wakes the process for a goal, and the connection ends. "follow" keeps the
// connection and gets a byte after each commit of this process.
type WakeSocket struct {
	sockets *PeerSockets
	listen  net.Listener
	onWake  func(goal.ID)
	work    sync.WaitGroup

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]chan struct{} // by follower: a commit to report; nil for other connections
}

// wakeTimeout is how long one process waits for another on the wake socket.
const wakeTimeout = 5 * time.Second

// ListenWake opens the wake socket. onWake is called with the id of each goal that it is woken for, and must
// not block.
func (p *PeerSockets) ListenWake(ctx context.Context, onWake func(goal.ID)) (*WakeSocket, error) {
	var config net.ListenConfig
	path := ""
	for n := 1; ; n++ {
		path = p.wakeSocketPath(n)
		if sendWake(ctx, path, "") == nil { // another store of this process: tests have two
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("wake socket: %w", err)
		}
		break
	}
	l, err := config.Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("wake socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("wake socket: %w", err), l.Close())
	}
	b := &WakeSocket{sockets: p, listen: l, onWake: onWake, conns: map[net.Conn]chan struct{}{}}
	p.wakeSocketMu.Lock()
	p.wakeSocket = b
	p.wakeSocketMu.Unlock()
	b.work.Go(b.accept)
	return b, nil
}

func (p *PeerSockets) wakeSocketPath(n int) string {
	name := fmt.Sprintf("%d.sock", os.Getpid())
	if n > 1 {
		name = fmt.Sprintf("%d-%d.sock", os.Getpid(), n)
	}
	return filepath.Join(p.dir, "run", name)
}

// Close closes the socket and waits for its connections.
func (w *WakeSocket) Close() error {
	w.sockets.wakeSocketMu.Lock()
	w.sockets.wakeSocket = nil
	w.sockets.wakeSocketMu.Unlock()
	err := w.listen.Close() // which removes the file
	w.mu.Lock()
	w.closed = true
	for c := range w.conns {
		err = errors.Join(err, c.Close())
	}
	w.mu.Unlock()
	w.work.Wait()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("wake socket: %w", err)
	}
	return nil
}

func (w *WakeSocket) accept() {
	for {
		c, err := w.listen.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			w.sockets.log.Warn("wake socket: stopped listening", "error", err)
			return
		}
		if !IsSameUser(c) {
			w.sockets.log.Warn("wake socket: refused a connection of another user")
			_ = c.Close()
			continue
		}
		if w.add(c) {
			w.work.Go(func() { w.serve(c) })
		}
	}
}

func (w *WakeSocket) add(c net.Conn) bool {
	const maxConns = 64
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || len(w.conns) >= maxConns {
		_ = c.Close() // the peer polls the database without it
		return false
	}
	w.conns[c] = nil
	return true
}

func (w *WakeSocket) serve(c net.Conn) {
	defer func() {
		w.mu.Lock()
		delete(w.conns, c)
		w.mu.Unlock()
		_ = c.Close() // perhaps by Close already
	}()
	_ = c.SetDeadline(time.Now().Add(wakeTimeout)) // a socket takes any deadline
	line, err := readLine(c)
	if err != nil {
		return
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "order":
		w.onWake(goal.ID(rest))
	case "follow":
		_ = c.SetDeadline(time.Time{})
		w.notifyFollower(c)
	}
}

// readLine reads one line.
func readLine(c net.Conn) (string, error) {
	const maxBytes = 64
	line, one := []byte{}, make([]byte, 1)
	for len(line) < maxBytes {
		if _, err := c.Read(one); err != nil {
			return "", fmt.Errorf("wake socket: %w", err)
		}
		if one[0] == '\n' {
			break
		}
		line = append(line, one[0])
	}
	return string(line), nil
}

// notifyFollower writes a byte for commits since the last one.
func (w *WakeSocket) notifyFollower(c net.Conn) {
	commits, disconnect := make(chan struct{}, 1), make(chan struct{})
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return
	}
	w.conns[c] = commits
	w.mu.Unlock()
	w.work.Go(func() {
		defer close(disconnect)
		_, _ = c.Read(make([]byte, 1)) // returns when the connection ends: the peer sends nothing more
	})
	for {
		select {
		case <-disconnect:
			return
		case <-commits:
		}
		_ = c.SetWriteDeadline(time.Now().Add(wakeTimeout))
		if _, err := c.Write([]byte{'.'}); err != nil {
			_ = c.Close()
			<-disconnect
			return
		}
	}
}

// notifyFollowers wakes the followers. It does not block.
func (p *PeerSockets) notifyFollowers() {
	p.wakeSocketMu.Lock()
	b := p.wakeSocket
	p.wakeSocketMu.Unlock()
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, commits := range b.conns {
		select {
		case commits <- struct{}{}:
		default: // nil, or a notification is already pending
		}
	}
}

// WakeAll wakes the process that owns a goal, so that it processes the goal's orders now. It wakes all processes: for
// a queued or parked goal no run names the owner.
func (p *PeerSockets) WakeAll(ctx context.Context, id goal.ID) {
	for _, path := range p.wakeSockets() {
		if err := sendWake(ctx, path, "order "+string(id)); err != nil {
			p.log.Debug("waking another process", "error", err)
		}
	}
}

func dialSocket(ctx context.Context, path string) (net.Conn, error) {
	d := net.Dialer{Timeout: wakeTimeout}
	return d.DialContext(ctx, "unix", path) //nolint:wrapcheck // the caller adds the context
}

// sendWake sends one line to the wake socket of a process.
func sendWake(ctx context.Context, path, line string) error {
	c, err := dialSocket(ctx, path)
	if err != nil {
		return fmt.Errorf("wake another process: %w", err)
	}
	_ = c.SetDeadline(time.Now().Add(wakeTimeout)) // a socket takes any deadline
	_, err = c.Write([]byte(line + "\n"))
	if err = errors.Join(err, c.Close()); err != nil {
		return fmt.Errorf("wake another process: %w", err)
	}
	return nil
}

// wakeSockets lists the paths of the wake sockets of all other processes.
func (p *PeerSockets) wakeSockets() []string {
	all, err := filepath.Glob(filepath.Join(p.dir, "run", "*.sock"))
	if err != nil {
		return nil // the pattern is well formed
	}
	p.wakeSocketMu.Lock()
	defer p.wakeSocketMu.Unlock()
	var others []string
	for _, path := range all {
		if p.wakeSocket == nil || path != p.wakeSocket.listen.Addr().String() {
			others = append(others, path)
		}
	}
	return others
}

// Processes lists the other processes that work on this data folder.
func (p *PeerSockets) Processes() []int {
	var list []int
	for _, path := range p.wakeSockets() {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".sock"), "-")
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() {
			list = append(list, pid)
		}
	}
	return list
}

// commitListener receives the commits of other processes. It belongs to one Follow.
type commitListener struct {
	sockets *PeerSockets
	wakeUps chan struct{}
	work    sync.WaitGroup

	mu    sync.Mutex
	conns map[string]net.Conn
}

// connect connects to new wake sockets, and removes those of dead processes.
func (cl *commitListener) connect(ctx context.Context) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	for _, path := range cl.sockets.wakeSockets() {
		if cl.conns[path] != nil || ctx.Err() != nil {
			continue
		}
		c, err := dialSocket(ctx, path)
		if errors.Is(err, syscall.ECONNREFUSED) && cl.sockets.write != nil {
			_ = os.Remove(path) // its process was killed
		}
		if err != nil {
			continue
		}
		cl.conns[path] = c
		cl.work.Go(func() { cl.read(path, c) })
	}
}

func (cl *commitListener) read(path string, c net.Conn) {
	if _, err := c.Write([]byte("follow\n")); err == nil {
		for in := bufio.NewReader(c); ; {
			if _, err := in.ReadByte(); err != nil {
				break
			}
			select {
			case cl.wakeUps <- struct{}{}:
			default: // it is already awake
			}
		}
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	delete(cl.conns, path)
	_ = c.Close() // perhaps by close already
}

func (cl *commitListener) close() {
	cl.mu.Lock()
	for _, c := range cl.conns {
		_ = c.Close() // the reading goroutine ends with it
	}
	cl.mu.Unlock()
	cl.work.Wait()
}

// publishAndNotify publishes events and wakes the followers.
func (j *Journal) publishAndNotify(events []event.Event) {
	for _, ev := range events {
		j.publish(ev)
	}
	if len(events) > 0 {
		j.sockets.notifyFollowers()
	}
}
