package nsinit

import (
	"runtime"
	"sync"
)

const (
	// maxProcessors bounds the threads that run Go code at the same time. A large machine then needs no large reserve.
	maxProcessors = 8
	// blockingThreads is the number of threads that may wait in system calls at the same time without a new one.
	blockingThreads = 8
)

// reserveThreads starts as many threads as this process will need; Go keeps them. Programs may use all process numbers
// of their sandbox, and Go ends a process that cannot start a thread.
func reserveThreads() {
	processors := min(runtime.GOMAXPROCS(0), maxProcessors)
	runtime.GOMAXPROCS(processors)
	release := make(chan struct{})
	var occupied, released sync.WaitGroup
	for range processors + blockingThreads {
		occupied.Add(1)
		released.Go(func() {
			runtime.LockOSThread() // a goroutine that waits then keeps its thread, and the next one needs another
			occupied.Done()
			<-release
			runtime.UnlockOSThread()
		})
	}
	occupied.Wait()
	close(release)
	released.Wait()
}
