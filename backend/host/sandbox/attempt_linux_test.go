package sandbox_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"goalpost/backend/lib/waittest"
)

// attemptVariable names what the test program tries when it is started inside a
// sandbox in place of the tests. It succeeds with exit 0.
const attemptVariable = "SANDBOX_TEST_ATTEMPT"

func attempted(name string, args []string) {
	runtime.LockOSThread()
	try, ok := calls[name]
	if !ok {
		fmt.Println("no such attempt")
		os.Exit(3)
	}
	if err := try(args); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// patience is how long an answer may take. No attempt takes that long unless it hangs.
var patience = waittest.Scale(time.Minute)

// calls are the attempts that no shell can make.
var calls = map[string]func([]string) error{
	"listen-above": func(a []string) error { // installs a filter with a listener above the helper's own filter
		program := unix.SockFprog{Len: 1, Filter: &unix.SockFilter{
			Code: unix.BPF_RET | unix.BPF_K,
			K:    unix.SECCOMP_RET_ALLOW,
		}}
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return err
		}
		if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
			unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&program))); errno != 0 {
			return errno
		}
		socket := os.NewFile(3, "socket")
		c := exec.Command(a[0], a[1:]...)
		c.ExtraFiles, c.Stderr = []*os.File{socket}, os.Stderr
		if err := errors.Join(c.Start(), socket.Close()); err != nil {
			return err
		}
		return c.Wait()
	},
	"fork-often": func(a []string) error {
		times, err := strconv.Atoi(a[0])
		for i := 0; i < times && err == nil; i++ {
			err = exec.Command(a[1]).Run()
		}
		return err
	},
	"get":            func(a []string) error { return get(a[0], "") },
	"via":            func(a []string) error { return get(a[1], a[0]) },
	"by-environment": func(a []string) error { return getBy(a[0], http.ProxyFromEnvironment) },
	"tunnel":         func(a []string) error { return tunnel(a[0], a[1]) },
	"serve": func(a []string) error { // serves until a client has sent something
		l, err := net.Listen(a[0], a[1])
		if err != nil {
			return err
		}
		defer l.Close()
		fmt.Println("ready")
		c, err := l.Accept()
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = io.Copy(os.Stdout, c)
		return err
	},
	"dial": func(a []string) error {
		conn, err := net.DialTimeout(a[0], a[1], patience)
		if err != nil {
			return err
		}
		defer conn.Close()
		_, err = conn.Write([]byte("escaped"))
		return err
	},
	"ptrace": func([]string) error { return errnoOf(unix.PTRACE_TRACEME, unix.SYS_PTRACE, unix.PTRACE_TRACEME) },
	"seize": func([]string) error { // the process that starts programs
		return errnoOf(0, unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(os.Getppid()), 0)
	},
	"tiocsti": func([]string) error {
		master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			return err
		}
		if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
			return err
		}
		// Each program leads a session, so the terminal becomes its controlling terminal.
		tty, _, errno := unix.Syscall(unix.SYS_IOCTL, master.Fd(), unix.TIOCGPTPEER, unix.O_RDWR)
		if errno != 0 {
			return errno
		}
		key := byte('x')
		return errnoOf(0, unix.SYS_IOCTL, tty, unix.TIOCSTI, uintptr(unsafe.Pointer(&key)))
	},
	"process_vm_readv": func([]string) error {
		var from, to [1]byte
		local, remote := unix.Iovec{Base: &to[0], Len: 1}, unix.RemoteIovec{Base: uintptr(unsafe.Pointer(&from[0])), Len: 1}
		_, err := unix.ProcessVMReadv(os.Getpid(), []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0)
		return err
	},
	"senseless": func(a []string) error { // a system call with arguments that make no sense
		number, err := strconv.ParseUint(a[0], 10, 64)
		if err != nil {
			return err
		}
		_, _, errno := unix.Syscall6(uintptr(number), ^uintptr(0), unix.TIOCLINUX, 0, 0, 0, 0)
		if errno != 0 {
			return errno
		}
		return nil
	},
	"clone3":   func([]string) error { return exists(unix.SYS_CLONE3) },
	"io_uring": func([]string) error { return exists(unix.SYS_IO_URING_SETUP) },
	"namespace": func([]string) error {
		c := exec.Command("/bin/true")
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}
		return c.Run()
	},
	"bpf":         func([]string) error { return exists(unix.SYS_BPF) },
	"userfaultfd": func([]string) error { return errnoOf(0, unix.SYS_USERFAULTFD, 1) },
	// the keyring of the session
	"keyring": func([]string) error { return errnoOf(0, unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, ^uintptr(2), 0) },
	"handle": func([]string) error {
		_, _, err := unix.NameToHandleAt(unix.AT_FDCWD, "/etc/passwd", 0)
		return err
	},
	"mount": func(a []string) error {
		if err := unix.Mount("x", a[0], "tmpfs", 0, ""); err != nil {
			return err
		}
		return unix.Unmount(a[0], 0)
	},
	"chroot": func(a []string) error { return unix.Chroot(a[0]) },
	"setns": func([]string) error {
		fd, err := unix.Open("/proc/self/ns/ipc", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Setns(fd, unix.CLONE_NEWIPC)
	},
	"mknod": func([]string) error {
		defer os.Remove("device")
		return unix.Mknod("device", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5)))
	},
	"setid": func(a []string) error {
		defer os.Remove("setid")
		const mode = unix.S_ISUID | 0o755
		switch a[0] {
		case "open":
			return made(unix.Open("setid", unix.O_CREAT|unix.O_WRONLY, mode))
		case "openat2":
			return made(unix.Openat2(unix.AT_FDCWD, "setid", &unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: mode}))
		case "tmpfile":
			return made(unix.Open(".", unix.O_TMPFILE|unix.O_WRONLY, mode))
		case "mknod":
			return unix.Mknod("setid", unix.S_IFREG|mode, 0)
		}
		if err := made(unix.Open("setid", unix.O_CREAT|unix.O_WRONLY, 0o600)); err != nil {
			return err
		}
		return unix.Fchmodat(unix.AT_FDCWD, "setid", mode, unix.AT_SYMLINK_NOFOLLOW) // fchmodat2
	},
	"socket": func(a []string) error {
		var family, kind, protocol int
		if _, err := fmt.Sscan(a[0], &family, &kind, &protocol); err != nil {
			return err
		}
		_, err := unix.Socket(family, kind, protocol)
		return err
	},
	"open": func(a []string) error { // opens for writing, but writes nothing
		f, err := os.OpenFile(a[0], os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return f.Close()
	},
	"exchange": func(a []string) error {
		if err := os.WriteFile(a[0], []byte("[core] pager = evil\n"), 0o644); err != nil {
			return err
		}
		return unix.Renameat2(unix.AT_FDCWD, a[0], unix.AT_FDCWD, a[1], unix.RENAME_EXCHANGE)
	},
	"rename": func(a []string) error { // renames many times, and prints how long that took
		n, err := strconv.Atoi(a[0])
		if err != nil {
			return err
		}
		names := []string{"one", "other"}
		if err := os.WriteFile(names[0], nil, 0o600); err != nil {
			return err
		}
		began := time.Now()
		for i := range n {
			if err := unix.Rename(names[i%2], names[(i+1)%2]); err != nil {
				return err
			}
		}
		fmt.Println(time.Since(began))
		return nil
	},
	"memfd": func([]string) error { // written but not mapped, so it belongs to no process's memory
		fd, err := unix.MemfdCreate("hog", 0)
		if err != nil {
			return err
		}
		return hog(os.NewFile(uintptr(fd), "hog").Write)
	},
	"mapped": func([]string) error { // shared, so it is in no process's private memory
		b, err := unix.Mmap(-1, 0, hogged, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
		if err != nil {
			return err
		}
		return hog(func(zeros []byte) (int, error) { n := copy(b, zeros); b = b[n:]; return n, nil })
	},
	"sockets": func([]string) error { // written to, but never read
		return hog(func(zeros []byte) (n int, err error) {
			for n < len(zeros) {
				pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
				if err != nil {
					return n, err
				}
				_ = unix.SetsockoptInt(pair[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 1<<20)
				for wrote := 0; err == nil; n += max(wrote, 0) {
					wrote, err = unix.Write(pair[0], zeros[:1<<16])
				}
			}
			return n, nil
		})
	},
	"full-pipes": func([]string) error { // written to, but never read
		var limit unix.Rlimit
		if err := errors.Join(unix.Getrlimit(unix.RLIMIT_NOFILE, &limit),
			unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: limit.Max, Max: limit.Max})); err != nil {
			return err
		}
		return hog(func(zeros []byte) (n int, err error) {
			for n < len(zeros) {
				pair := make([]int, 2)
				if err := unix.Pipe2(pair, unix.O_NONBLOCK); err != nil {
					return n, err
				}
				for wrote := 0; err == nil; n += max(wrote, 0) {
					wrote, err = unix.Write(pair[1], zeros[:1<<12])
				}
			}
			return n, nil
		})
	},
	"messages": func([]string) error { // in message queues, which outlive the process
		message := make([]byte, 8+8192) // begins with its type; the rest is as long as a message may be
		message[0] = 1
		for range hogged >> 14 {
			id, _, errno := unix.Syscall(unix.SYS_MSGGET, unix.IPC_PRIVATE, unix.IPC_CREAT|0o600, 0)
			for range 2 {
				if errno == 0 {
					_, _, errno = unix.Syscall6(unix.SYS_MSGSND, id, uintptr(unsafe.Pointer(&message[0])), uintptr(len(message)-8),
						unix.IPC_NOWAIT, 0, 0)
				}
			}
			if errno == unix.EINVAL || errno == unix.EIDRM { // the queue was removed after it was created
				return nil
			}
			if errno != 0 {
				return errno
			}
		}
		return nil
	},
	"segment": func([]string) error { // a shared memory segment, which outlives its creator
		id, err := unix.SysvShmGet(unix.IPC_PRIVATE, hogged/2, unix.IPC_CREAT|0o600)
		if err != nil {
			return err
		}
		b, err := unix.SysvShmAttach(id, 0, 0)
		if err != nil {
			return err
		}
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		return unix.SysvShmDetach(b)
	},
	"hardlink": func(a []string) error { // connects to a socket by another name
		defer os.Remove("hard.sock")
		if err := os.Link(a[0], "hard.sock"); err != nil {
			return err
		}
		return speak(unix.SOCK_STREAM, "hard.sock")
	},
	"longname": func(a []string) error { // connects to a path of the maximum length, which has no terminating zero
		const most = 108
		pad := most - len(a[0])
		return speak(unix.SOCK_STREAM, strings.Repeat("/", pad%2)+strings.Repeat("./", pad/2)+a[0])
	},
	"packets": func(a []string) error { return speak(unix.SOCK_SEQPACKET, a[0]) },
	"fastopen": func(a []string) error { // connects without calling connect
		port, err := strconv.Atoi(a[0])
		if err != nil {
			return err
		}
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fd, []byte("escaped"), unix.MSG_FASTOPEN,
			&unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	},
	"attach": func(a []string) error { // attaches shared memory from outside the sandbox
		key, err := strconv.Atoi(a[0]) // the kernel's id of the segment
		if err != nil {
			return err
		}
		b, err := unix.SysvShmAttach(key, 0, unix.SHM_RDONLY)
		if err != nil {
			return err
		}
		return unix.SysvShmDetach(b)
	},
	"getfd": func([]string) error { // from the process that starts programs
		fd, err := unix.PidfdOpen(os.Getppid(), 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 3, 0)
		return err
	},
	"prlimit": func([]string) error {
		var have unix.Rlimit
		if err := unix.Prlimit(os.Getppid(), unix.RLIMIT_CORE, nil, &have); err != nil {
			return err
		}
		return unix.Prlimit(os.Getppid(), unix.RLIMIT_CORE, &have, nil)
	},
	"schedule": func([]string) error {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(os.Getppid(), &set); err != nil {
			return err
		}
		return unix.SchedSetaffinity(os.Getppid(), &set)
	},
	"capability": func([]string) error {
		if err := os.WriteFile("capped", nil, 0o755); err != nil {
			return err
		}
		defer os.Remove("capped")
		raw := make([]byte, 20)
		raw[3], raw[5] = 2, 0x20 // version 2; net_raw is permitted
		return unix.Setxattr("capped", "security.capability", raw, 0)
	},
	"highbits": func([]string) error { // the kernel ignores the high half of these arguments
		fd, _, errno := unix.Syscall(unix.SYS_SOCKET, 1<<32|unix.AF_PACKET, 1<<32|unix.SOCK_RAW, 0)
		if errno != 0 {
			return errno
		}
		return unix.Close(int(fd))
	},
	"reconnect": func(a []string) error { // connects many times, and prints how long that took
		n, err := strconv.Atoi(a[1])
		if err != nil {
			return err
		}
		address := map[string]string{"tcp": "127.0.0.1:0", "unix": "bench.sock"}[a[0]]
		l, err := net.Listen(a[0], address)
		if err != nil {
			return err
		}
		defer l.Close()
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_ = c.Close()
			}
		}()
		began := time.Now()
		for range n {
			c, err := net.Dial(a[0], l.Addr().String())
			if err != nil {
				return err
			}
			if err := c.Close(); err != nil {
				return err
			}
		}
		fmt.Println(time.Since(began))
		return nil
	},
	"hostname": func([]string) error { return unix.Sethostname([]byte(must(os.Hostname()))) },
}

// speak connects to a Unix socket and sends a word.
func speak(kind int, path string) error {
	fd, err := unix.Socket(unix.AF_UNIX, kind, 0)
	if err != nil {
		return err
	}
	raw := append([]byte{unix.AF_UNIX, 0}, path...)
	if len(path) < 108 {
		raw = append(raw, 0)
	}
	if err := errnoOf(0, unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&raw[0])), uintptr(len(raw))); err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte("escaped"))
	return err
}

// hogged is the memory that hog fills, in bytes: more than the limit in the tests.
const hogged = 160 << 20

// hog fills memory, and holds it until the process is killed.
func hog(write func([]byte) (int, error)) error {
	zeros := make([]byte, 1<<20)
	for range hogged >> 20 {
		if _, err := write(zeros); err != nil {
			return err
		}
	}
	return unix.Pause() // until the process is killed
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func errnoOf(_ int, number uintptr, args ...uintptr) error {
	args = append(args, 0, 0, 0)
	if _, _, errno := unix.Syscall(number, args[0], args[1], args[2]); errno != 0 {
		return errno
	}
	return nil
}

// exists returns an error if a system call with meaningless arguments fails because the call does not exist or is not
// permitted.
func exists(number uintptr) error {
	_, _, errno := unix.Syscall(number, 1<<20, 0, 0)
	if errno == unix.ENOSYS || errno == unix.EPERM || errno == unix.EACCES {
		return errno
	}
	return nil
}

func get(address, proxy string) error {
	if proxy == "" {
		return getBy(address, nil)
	}
	return getBy(address, func(*http.Request) (*url.URL, error) { return url.Parse(proxy) })
}

func getBy(address string, proxy func(*http.Request) (*url.URL, error)) error {
	c := http.Client{Transport: &http.Transport{Proxy: proxy}, Timeout: patience}
	res, err := c.Post(address, "text/plain", nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && string(body) != "outside" {
		err = fmt.Errorf("%d %s", res.StatusCode, body)
	}
	return err
}

// tunnel asks a proxy for a connection and speaks HTTP through it.
func tunnel(proxy, to string) error {
	conn, err := net.DialTimeout("tcp", proxy, patience)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", to, to); err != nil {
		return err
	}
	answer := make([]byte, 12)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return err
	}
	if string(answer) != "HTTP/1.1 200" {
		return errors.New(string(answer))
	}
	return nil
}

func made(fd int, err error) error {
	if err == nil {
		err = unix.Close(fd)
	}
	return err
}
