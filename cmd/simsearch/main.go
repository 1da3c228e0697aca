// Simsearch finds near-duplicate documents: see README.md, or
//
//	simsearch help
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A pipe that its reader has closed is a write error, which run handles. It should not end the
	// program by a signal.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr))
}
