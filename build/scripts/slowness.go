//go:build ignore

// slowness prints how many times slower this machine is at the moment than a usual one, as a whole number from 1 on.
// The limits of tests are multiplied by it (TEST_SLOWNESS). It measures what tests wait for most: the start of programs,
// and computing on all processors at once, which is slow if something else uses them.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"time"
)

// What the two measurements take on a usual machine that is idle: two processors of a cloud server of 2024.
const (
	usualCompute = 450 * time.Millisecond
	usualStarts  = 100 * time.Millisecond
)

func main() {
	compute, starts := timed(computeOnAllProcessors), timed(startPrograms)
	slowness := max(compute.Seconds()/usualCompute.Seconds(), starts.Seconds()/usualStarts.Seconds(), 1)
	fmt.Fprintf(os.Stderr, "computing took %d ms (usually %d), starting programs %d ms (usually %d)\n",
		compute.Milliseconds(), usualCompute.Milliseconds(), starts.Milliseconds(), usualStarts.Milliseconds())
	fmt.Println(math.Ceil(slowness - 0.25)) // a quarter more or less is usual
}

func timed(work func()) time.Duration {
	started := time.Now()
	work()
	return time.Since(started)
}

func computeOnAllProcessors() {
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			random, numbers := rand.New(rand.NewPCG(1, 2)), make([]uint32, 1<<16)
			for range 100 {
				for i := range numbers {
					numbers[i] = random.Uint32()
				}
				slices.Sort(numbers)
			}
		})
	}
	wg.Wait()
}

func startPrograms() {
	for range 100 {
		if err := exec.Command("/bin/true").Run(); err != nil {
			fmt.Fprintln(os.Stderr, "slowness:", err)
			os.Exit(1)
		}
	}
}
