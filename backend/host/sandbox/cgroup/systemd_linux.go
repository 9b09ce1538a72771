package cgroup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/godbus/dbus/v5"

	"goalpost/backend/lib/fault"
)

// The interface of systemd, see org.freedesktop.systemd1(5).
const (
	service    = "org.freedesktop.systemd1"
	object     = "/org/freedesktop/systemd1"
	manager    = service + ".Manager"
	jobRemoved = "JobRemoved"
)

// The slices of scopes, so that a user can bound all goals together with systemctl set-property.
const (
	userSlice   = "app-goalpost.slice"
	systemSlice = "system-goalpost.slice"
)

func slice() string {
	if os.Geteuid() == 0 {
		return systemSlice
	}
	return userSlice
}

// property is a property of a unit: (sv) on the bus.
type property struct {
	Name  string
	Value dbus.Variant
}

// auxiliaryUnit is (sa(sv)) on the bus. Scopes need none.
type auxiliaryUnit struct {
	Name       string
	Properties []property
}

// Open moves a process into a new scope, with everything that it starts from then on, and returns once the kernel
// enforces the limits there. The scope ends when its last process does. name is part of the unit's name.
//
// The error says why the kernel does not enforce the limits here; it is a *fault.Error if the user can do something
// about that.
func (m *Manager) Open(ctx context.Context, name string, pid int, l Limits) (*Scope, error) {
	files, err := findKernelFiles(cmp.Or(m.proc, "/proc"))
	if err != nil {
		return nil, err
	}
	if !files.hasController("memory") || !files.hasController("pids") {
		return nil, fault.New(fault.Unavailable,
			"the memory controller of this kernel is off or belongs to cgroups of version 1", controllerHint)
	}
	if err := files.validateOwnUnit(); err != nil {
		return nil, err
	}
	address, err := m.findBus()
	if err != nil {
		return nil, err
	}
	timeout := cmp.Or(m.timeout, answerTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout,
		fault.New(fault.Unavailable, fmt.Sprintf("systemd did not answer within %s", timeout), statusHint()))
	defer cancel()
	unit := unitName(name, pid)
	if err := startScope(ctx, address, unit, properties(name, pid, l)); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return files.openScope(pid, unit, l)
}

// forOwner adds --user to a command of systemd, unless this process runs as root.
func forOwner(command string) string {
	if os.Geteuid() == 0 {
		return command
	}
	return command + " --user"
}

// statusHint returns the hint for errors of systemd itself.
func statusHint() string { return forOwner("systemctl") + " status shows its state" }

// findBus returns the address of the bus on which the systemd of this user is: the system's for root.
func (m *Manager) findBus() (string, error) {
	if m.Address != "" {
		return m.Address, nil
	}
	if os.Geteuid() == 0 {
		return findSystemBus()
	}
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return address, nil
	}
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" { // unset, for example after su; only this user can write to the folder
		dir = filepath.Join("/run/user", strconv.Itoa(os.Geteuid()))
	}
	if path := filepath.Join(dir, "bus"); isSocket(path) {
		return "unix:path=" + dbus.EscapeBusAddressValue(path), nil
	}
	return "", fault.New(fault.Unavailable, "no session bus of this user runs",
		"install dbus-user-session (Debian's name) and log in, or keep the user's systemd running without a login: "+
			"sudo loginctl enable-linger "+strconv.Itoa(os.Geteuid()))
}

func findSystemBus() (string, error) {
	if address := os.Getenv("DBUS_SYSTEM_BUS_ADDRESS"); address != "" {
		return address, nil
	}
	const path = "/run/dbus/system_bus_socket"
	if isSocket(path) {
		return "unix:path=" + path, nil
	}
	return "", fault.New(fault.Unavailable, "no system bus runs", "run Goalpost on a system that systemd has started")
}

func isSocket(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&os.ModeSocket != 0
}

// maxNameLength keeps the name of a unit far below systemd's limit of 255 bytes.
const maxNameLength = 64

// unitName returns a name that no other scope has: the process lives as long as its scope.
func unitName(name string, pid int) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
	return fmt.Sprintf("goalpost-%s-%d.scope", name[:min(len(name), maxNameLength)], pid)
}

// properties describes a scope to systemd.
func properties(name string, pid int, l Limits) []property {
	var list []property
	for _, p := range []struct {
		name  string
		value any
	}{
		{"Description", "Programs of Goalpost's goal " + name},
		{"Slice", slice()},
		{"PIDs", []uint32{uint32(pid)}},
		{"MemoryAccounting", true},
		{"MemoryMax", uint64(l.Memory)},
		{"MemorySwapMax", uint64(0)},
		{"TasksAccounting", true},
		{"TasksMax", uint64(l.Tasks)},
		{"CollectMode", "inactive-or-failed"}, // a scope in which memory ran out leaves nothing behind, either
		{oomPolicy, "continue"},
	} {
		list = append(list, property{p.name, dbus.MakeVariant(p.value)})
	}
	return list
}

// oomPolicy is a property of scopes from systemd 253 on; with it, one ended program does not end the others. In older
// versions, none of systemd's policies applied to scopes.
const oomPolicy = "OOMPolicy"

// startScope asks systemd for a scope and waits until it is there.
func startScope(ctx context.Context, address, unit string, list []property) error {
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return fault.New(fault.Unavailable, fmt.Sprintf("the bus of systemd cannot be used: %v", err), statusHint())
	}
	defer func() { _ = conn.Close() }()
	if err := validatePIDs(ctx, conn); err != nil {
		return err
	}
	ended := make(chan *dbus.Signal, 64)
	conn.Signal(ended)
	if err := conn.AddMatchSignalContext(ctx, dbus.WithMatchInterface(manager), dbus.WithMatchMember(jobRemoved),
		dbus.WithMatchSender(service)); err != nil {
		return fmt.Errorf("waiting for systemd: %w", err)
	}
	systemd := conn.Object(service, object)
	if err := systemd.CallWithContext(ctx, manager+".Subscribe", dbus.FlagNoAutoStart).Err; err != nil {
		return describeRefusal(err)
	}
	var job dbus.ObjectPath
	start := func() error {
		return systemd.CallWithContext(ctx, manager+".StartTransientUnit", dbus.FlagNoAutoStart, unit, "fail", list,
			[]auxiliaryUnit{}).Store(&job)
	}
	err = start()
	var dbusErr dbus.Error
	if errors.As(err, &dbusErr) && dbusErr.Name == "org.freedesktop.DBus.Error.PropertyReadOnly" {
		list = list[:len(list)-1] // without oomPolicy, which an older systemd does not know
		err = start()
	}
	if err != nil {
		return describeRefusal(err)
	}
	if err := awaitJob(ctx, ended, job); err != nil {
		return err
	}
	// The scopes of goals share their slice, which stands beside those of the user's programs. A systemd that refuses
	// leaves the usual weights.
	_ = systemd.CallWithContext(ctx, manager+".SetUnitProperties", dbus.FlagNoAutoStart, slice(), true, sliceWeights()).Err
	return nil
}

// sliceWeights gives the programs of goals a fifth of the processor time and of the disk access of another program
// that wants as much.
func sliceWeights() []property {
	const weight uint64 = 20 // of usually 100
	return []property{{"CPUWeight", dbus.MakeVariant(weight)}, {"IOWeight", dbus.MakeVariant(weight)}}
}

// validatePIDs makes sure that a PID names the same process here and for systemd. This process may run in a container
// with its own PIDs and the machine's bus, and then the scope would bound another process.
func validatePIDs(ctx context.Context, conn *dbus.Conn) error {
	var pid uint32
	if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetConnectionUnixProcessID", 0,
		conn.Names()[0]).Store(&pid); err != nil {
		return fmt.Errorf("asking the bus for this process: %w", err)
	}
	if int(pid) != os.Getpid() {
		return errors.New("the systemd that answers is outside of the container that Goalpost runs in")
	}
	return nil
}

// describeRefusal turns an error of the bus into what the user can do about it.
func describeRefusal(err error) error {
	var dbusErr dbus.Error
	if !errors.As(err, &dbusErr) {
		return fmt.Errorf("asking systemd for a cgroup: %w", err)
	}
	switch dbusErr.Name {
	case "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.ServiceUnknown":
		return fault.New(fault.Unavailable, "no systemd answers on the bus of this session",
			"start Goalpost in a session of the user's systemd, not below dbus-run-session or dbus-launch")
	}
	return fault.New(fault.Unavailable, "systemd refuses a cgroup: "+dbusErr.Error(), statusHint())
}

// awaitJob waits until systemd has finished a job.
func awaitJob(ctx context.Context, ended <-chan *dbus.Signal, job dbus.ObjectPath) error {
	for {
		select {
		case signal, open := <-ended:
			if !open {
				return errors.New("the bus of systemd ended before the cgroup was there")
			}
			var id uint32
			var path dbus.ObjectPath
			var unit, result string
			if signal.Name != manager+"."+jobRemoved || dbus.Store(signal.Body, &id, &path, &unit, &result) != nil ||
				path != job {
				continue // the signal is about another job
			}
			if result != "done" {
				return fault.New(fault.Unavailable, "systemd could not make the cgroup: "+result,
					forOwner("journalctl")+" --unit "+unit+" says why")
			}
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
