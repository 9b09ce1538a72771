package hostsocket

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"syscall"

	"goalpost/backend/lib/fault"
)

// Command is a command line that the host runs for another program, with what belongs to that program.
type Command struct {
	Name       string   `json:"name"` // of the program
	Args       []string `json:"args"`
	Dir        string   `json:"dir"` // its working folder
	Env        []string `json:"env"`
	IsTerminal [3]bool  `json:"isTerminal"` // its standard input, output and error
}

// callerFrame and hostFrame are what the two send each other while a command runs.
type callerFrame struct {
	Command *Command       `json:"command,omitempty"` // the first frame
	Signal  syscall.Signal `json:"signal,omitempty"`
	Input   []byte         `json:"input,omitempty"` // what the host has asked for
	IsEnd   bool           `json:"isEnd,omitempty"` // there is no input, or no more
}

type hostFrame struct {
	Out     []byte `json:"out,omitempty"`
	Err     []byte `json:"err,omitempty"`
	Ask     string `json:"ask,omitempty"`     // for input
	Signals bool   `json:"signals,omitempty"` // the command handles signals from now on
	Exit    *int   `json:"exit,omitempty"`    // the last frame
}

// What the host asks for. A program reads its standard input only then: the rest belongs to other programs.
const (
	askInput      = "input"
	askPassphrase = "passphrase"
)

// Caller is the program for which the host runs a command. All methods may be called concurrently.
type Caller struct {
	Command
	gone    chan struct{}
	signals chan os.Signal
	input   chan callerFrame

	asking sync.Mutex // one question at a time
	rest   []byte     // of the last answer

	mu  sync.Mutex
	out *json.Encoder // nil once the command has ended, whose last calls may still write
	end *http.ResponseController
}

// Gone is closed when the program has ended, or does not wait for the command any more.
func (c *Caller) Gone() <-chan struct{} { return c.gone }

// Signals makes the program pass its signals on, also that nobody reads its output (SIGPIPE).
func (c *Caller) Signals() <-chan os.Signal {
	_ = c.send(hostFrame{Signals: true}) // a caller that is gone sends none
	return c.signals
}

// Read reads from the program's standard input.
func (c *Caller) Read(p []byte) (int, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	if len(c.rest) == 0 {
		b, err := c.ask(askInput)
		if err != nil {
			return 0, err
		}
		c.rest = b
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// Close does nothing: the program's input belongs to it.
func (*Caller) Close() error { return nil }

// AskPassphrase asks the user of the program for the passphrase of the secrets.
func (c *Caller) AskPassphrase(context.Context) (string, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	b, err := c.ask(askPassphrase)
	return string(b), err
}

func (c *Caller) ask(what string) ([]byte, error) {
	if err := c.send(hostFrame{Ask: what}); err != nil {
		return nil, err
	}
	select {
	case f := <-c.input:
		if f.IsEnd {
			return nil, io.EOF
		}
		return f.Input, nil
	case <-c.gone:
		return nil, io.EOF
	}
}

// Stdout and Stderr write to the program's output.
func (c *Caller) Stdout() io.Writer {
	return writerFunc(func(p []byte) error { return c.send(hostFrame{Out: p}) })
}

func (c *Caller) Stderr() io.Writer {
	return writerFunc(func(p []byte) error { return c.send(hostFrame{Err: p}) })
}

type writerFunc func(p []byte) error

func (w writerFunc) Write(p []byte) (int, error) {
	if err := w(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (c *Caller) send(f hostFrame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.out == nil {
		return os.ErrClosed
	}
	if err := errors.Join(c.out.Encode(f), c.end.Flush()); err != nil {
		return endedError(err)
	}
	return nil
}

// receive reads what the program sends until it is gone.
func (c *Caller) receive(in *json.Decoder) {
	defer close(c.gone)
	for {
		var f callerFrame
		if in.Decode(&f) != nil {
			return
		}
		if f.Signal == 0 {
			c.input <- f
			continue
		}
		select {
		case c.signals <- f.Signal:
		default: // it has enough of them
		}
	}
}

// command runs a command for a program. The command is not cut off if that program ends: it sees Gone.
func (s *Server) command(w http.ResponseWriter, r *http.Request) {
	in, out := json.NewDecoder(r.Body), http.NewResponseController(w)
	var first callerFrame
	if err := in.Decode(&first); err != nil || first.Command == nil {
		s.writeJSON(w, http.StatusBadRequest, fault.New(fault.Refused, "the command cannot be read", "run it again"))
		return
	}
	if err := out.EnableFullDuplex(); err != nil {
		s.writeJSON(w, http.StatusInternalServerError, fault.Of(err))
		return
	}
	const signals = 4
	c := &Caller{
		Command: *first.Command, gone: make(chan struct{}), signals: make(chan os.Signal, signals),
		input: make(chan callerFrame, 1), out: json.NewEncoder(w), end: out,
	}
	if out.Flush() != nil {
		return
	}
	go c.receive(in)
	code := s.o.Run(s.ctx, c) //nolint:contextcheck // it is never left half done
	_ = c.send(hostFrame{Exit: &code})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = nil
}

// Console is where a command is shown that the host runs.
type Console struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Passphrase     func(context.Context) (string, error) // nil if nobody can be asked
	Signals        func() <-chan os.Signal               // begins to receive signals
}

// Run runs a command in the host and returns its exit code. It returns ErrNone if there is no host.
func (c *Client) Run(ctx context.Context, command Command, console Console) (code int, err error) {
	read, write := io.Pipe()
	defer func() { _ = write.Close() }()
	sender := &frameSender{out: json.NewEncoder(write)}
	go sender.send(callerFrame{Command: &command})
	resp, err := c.sendBody(ctx, http.MethodPost, "/run", read)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }() // the command has ended
	if resp.StatusCode != http.StatusOK {
		return 0, decode(resp, nil)
	}
	return console.show(ctx, json.NewDecoder(resp.Body), sender)
}

// frameSender sends frames to the host. Its errors mean that the host has ended, which its reader notices.
type frameSender struct {
	mu  sync.Mutex
	out *json.Encoder
}

func (s *frameSender) send(f callerFrame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.out.Encode(f)
}

func (c Console) show(ctx context.Context, in *json.Decoder, sender *frameSender) (int, error) {
	done := make(chan struct{})
	defer close(done)
	for {
		var f hostFrame
		if err := in.Decode(&f); err != nil {
			return 0, endedError(err)
		}
		switch {
		case f.Exit != nil:
			return *f.Exit, nil
		case f.Ask != "":
			go func() { sender.send(c.answer(ctx, f.Ask)) }()
		case f.Signals:
			go passOn(c.Signals(), done, sender)
		}
		if err := errors.Join(writeAll(c.Stdout, f.Out), writeAll(c.Stderr, f.Err)); err != nil {
			c.Stdout = io.Discard
			sender.send(callerFrame{Signal: syscall.SIGPIPE})
		}
	}
}

func writeAll(w io.Writer, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := w.Write(b)
	return err //nolint:wrapcheck // only whether there is one matters
}

func passOn(signals <-chan os.Signal, done <-chan struct{}, sender *frameSender) {
	for {
		select {
		case sig := <-signals:
			if number, ok := sig.(syscall.Signal); ok {
				sender.send(callerFrame{Signal: number})
			}
		case <-done:
			return
		}
	}
}

func (c Console) answer(ctx context.Context, what string) callerFrame {
	if what == askPassphrase {
		if c.Passphrase == nil {
			return callerFrame{IsEnd: true}
		}
		passphrase, err := c.Passphrase(ctx)
		return callerFrame{Input: []byte(passphrase), IsEnd: err != nil}
	}
	const maxInput = 32 << 10
	b := make([]byte, maxInput)
	n, err := c.Stdin.Read(b)
	return callerFrame{Input: b[:n], IsEnd: n == 0 && err != nil}
}
