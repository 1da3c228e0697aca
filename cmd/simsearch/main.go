// Simsearch finds near-duplicate documents: see README.md, or
//
//	simsearch help
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"simsearch/internal/files/inputs"
)

func main() {
	// A pipe that its reader has closed is a write error, which run handles. It should not end the
	// program by a signal.
	signal.Ignore(syscall.SIGPIPE)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as it is by nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the program at once
		if inputs.Stuck(3 * time.Second) {
			fmt.Fprintln(os.Stderr, "simsearch: interrupted while a file could not be read")
			os.Exit(statusInterrupted)
		}
	})
	os.Exit(runProgram(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr))
}
