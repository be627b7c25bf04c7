package main

import (
	"bufio"
	"encoding/json"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// event is one line on standard output; see bench/peers/README.md.
type event struct {
	Event      string `json:"event"`
	At         int64  `json:"at"`
	Objects    *int   `json:"objects,omitempty"`
	Name       string `json:"name,omitempty"`
	Sequence   int64  `json:"sequence,omitempty"`
	Reconciles *int64 `json:"reconciles,omitempty"`
}

var output sync.Mutex
var reconciles atomic.Int64

func emit(line event) {
	output.Lock()
	defer output.Unlock()
	_ = json.NewEncoder(os.Stdout).Encode(line)
}

// now returns the system's monotonic clock in nanoseconds, which all processes share.
func now() int64 {
	var time unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &time)
	return time.Nano()
}

// obey executes commands from standard input until it ends.
func obey() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		switch lines.Text() {
		case "collect":
			debug.FreeOSMemory()
			count := reconciles.Load()
			emit(event{Event: "collected", At: now(), Reconciles: &count})
		case "quit":
			return
		}
	}
}
