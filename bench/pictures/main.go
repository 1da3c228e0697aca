// Pictures measures at which distances of their hashes copies of pictures are found, by copies that it makes of the
// pictures in a directory. It prints a report.
//
//	go run ./pictures -sample 100 photographs/
package main

import (
	"context"
	"flag"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"runtime"

	"simsearch/bench/markdown"
	"simsearch/internal/files/corpus"
	"simsearch/internal/quality/report"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("pictures: ")
	sample := flag.Int("sample", picturesSampled, "how many pictures to make copies of")
	seed := flag.Uint64("seed", 0, "of the pictures that are drawn")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("want a directory of pictures")
	}
	r, err := run(context.Background(), flag.Arg(0), *sample, *seed)
	if err == nil {
		err = markdown.Write(os.Stdout, r, 1, markdown.NoPlots)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run measures the pictures of a directory.
func run(ctx context.Context, dir string, sample int, seed uint64) (*report.Report, error) {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return Evaluate(ctx, len(paths), func(i int) ([]byte, error) { return corpus.PictureFile(paths[i]) }, Options{Name: dir, Sample: sample, Seed: seed, Threads: runtime.NumCPU()})
}
