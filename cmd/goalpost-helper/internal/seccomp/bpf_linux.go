package seccomp

import (
	"golang.org/x/sys/unix"
)

// bpfProgram builds a BPF program.
type bpfProgram []unix.SockFilter

func (b *bpfProgram) load(offset uint32) {
	*b = append(*b, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

func (b *bpfProgram) ret(verdict uint32) {
	*b = append(*b, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: verdict})
}

// skipUnless skips the next n instructions unless the accumulator is k.
func (b *bpfProgram) skipUnless(k uint32, n uint8) {
	*b = append(*b, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: n, K: k})
}

// skipIf skips the next n instructions if the accumulator is k.
func (b *bpfProgram) skipIf(k uint32, n uint8) {
	*b = append(*b, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: n, K: k})
}

// skipUnlessBits skips the next n instructions unless the word has one of the bits.
func (b *bpfProgram) skipUnlessBits(bits uint32, n uint8) {
	*b = append(*b, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: n, K: bits})
}

// keepBits clears the other bits of the accumulator.
func (b *bpfProgram) keepBits(bits uint32) {
	*b = append(*b, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: bits})
}
