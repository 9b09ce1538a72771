package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
)

// orders is an init's descriptor for what the keeper passes on; it answers the
// app itself.
const orders = 4

// begin is the first process of a room: it builds the room's files and starts
// programs in it. It ignores every signal that those send, and its end is theirs.
func begin(domain string) error {
	catch()
	unix.CloseOnExec(wire.Socket)
	unix.CloseOnExec(orders)
	r, fds, err := receive(orders)
	closeAll(fds)
	switch {
	case errors.Is(err, errEnd):
		return nil
	case err != nil:
		return err
	case r.Walls == nil:
		return errors.New("no walls are named")
	}
	if domain == "check" {
		return oneCheck(*r.Walls)
	}
	s, err := furnish(*r.Walls, false, nil)
	if err != nil {
		return send(orders, wire.Answer{Error: asRefusal(err)})
	}
	if err := send(orders, wire.Answer{Hello: wire.Version}); err != nil {
		return err
	}
	go s.reap()
	return s.read()
}

// oneCheck runs one program in a room and ends with it.
func oneCheck(w wire.Spec) error {
	r, fds, err := receive(orders)
	if errors.Is(err, errEnd) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := furnish(w, true, r.Held)
	if err != nil {
		return send(wire.Socket, wire.Answer{ID: r.ID, Error: asRefusal(err)})
	}
	s.only = r.ID
	err = s.handle(r, fds)
	closeAll(fds)
	if err != nil || len(s.byID) == 0 { // refused, and said so
		return err
	}
	go s.reap()
	return s.read()
}

// furnish builds the room's files and prepares what each of its programs needs.
func furnish(w wire.Spec, check bool, held []wire.FileOverride) (*set, error) {
	limitPids(w.Limits.Processes)
	granted, covered := &sockets{}, &lasting{}
	if err := build(w, check, held, granted, covered); err != nil {
		return nil, err
	}
	if err := covered.watch(); err != nil {
		return nil, walled("watching what is mounted", err)
	}
	rules, err := landlock(covered.there(w), check)
	if err != nil {
		return nil, &wire.Error{Code: wire.SandboxError, Text: "Landlock: " + err.Error()}
	}
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, walled("opening /dev/null", err)
	}
	// Here, on the main thread, and not by each program: one listener hears them
	// all, and a start costs nothing more.
	domain := wire.DomainAgent
	if check {
		domain = wire.DomainCheck
	}
	var hears *listener
	files := &mounted{}
	files.add(w.Mounts, check)
	fd, silent, err := filter()
	switch {
	case err != nil:
		return nil, walled("seccomp", err)
	case silent != nil:
		_ = send(wire.Socket, wire.Answer{Attempt: &wire.Violation{Domain: domain, Times: 1, Text: "what the kernel refuses is not told here: " + silent.Error()}})
	default:
		hears = listenTo(fd, domain, w, granted, files)
	}
	return &set{
		in: orders, out: wire.Socket, null: null, started: make(chan struct{}, 1), byID: map[uint64]int{}, byPid: map[int]uint64{},
		inside: &inside{walls: w, rules: rules, given: map[uint64][]int{}, sockets: granted, mounted: files, lasting: covered}, hears: hears,
	}, nil
}

// asRefusal is an error as the app hears of it.
func asRefusal(err error) *wire.Error {
	var refused *wire.Error
	if errors.As(err, &refused) {
		return refused
	}
	return &wire.Error{Code: wire.SandboxError, Text: err.Error()}
}

// reservedPids are those that the kernel gives out once and not again.
const reservedPids = 300

// limitPids bounds the processes of this room where the kernel counts them for
// each room (Linux 6.14): for root it is the only bound, because RLIMIT_NPROC
// does not hold for him. An older kernel refuses, and the other bound stays.
func limitPids(most int) {
	if most > 0 {
		_ = os.WriteFile("/proc/sys/kernel/pid_max", fmt.Append(nil, most+reservedPids), 0)
	}
}
