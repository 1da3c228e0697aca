// Session draws what a terminal has shown as SVG. It reads the lines from standard input, with their
// escape sequences, and writes the drawing to standard output. scripts/session.sh calls it.
//
//	go run ./session "simsearch in a terminal" < typescript > session.svg
package main

import (
	"io"
	"log"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("want a title")
	}
	shown, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	s := Screen{Title: os.Args[1]}
	for line := range strings.SplitSeq(strings.TrimRight(string(shown), "\r\n"), "\n") {
		line = strings.TrimRight(line, "\r")
		s.Lines = append(s.Lines, line[strings.LastIndexByte(line, '\r')+1:]) // what stands over the rest, such as progress
	}
	if err := s.Write(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
