// Stores measures dedup and index on files and on objects, which a store on this machine has in memory:
//
//	stores SIMSEARCH DIRECTORY FILE...
//
// The store is gofakes3. It runs in this process, on the same processors, so what it takes is told, too, and how fast
// it is by itself. Runs on files and on objects take turns; of each, the one with the least time counts.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"simsearch/bench/machine"
)

const (
	bucket = "bench"
	times  = 3
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("stores: ")
	if len(os.Args) < 4 {
		log.Fatal("want the program, a directory and files")
	}
	if err := measure(os.Args[1], filepath.Join(os.Args[2], "stores"), os.Args[3:]); err != nil {
		log.Fatal(err)
	}
}

func measure(program, dir string, files []string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	address, size, err := serve(files)
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"AWS_ENDPOINT_URL": address, "AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench",
		"XDG_CACHE_HOME": filepath.Join(dir, "cache")} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	fmt.Println(machine.Line())
	raw, err := download(address, files)
	if err != nil {
		return err
	}
	fmt.Printf("%d files, %.0f MB; the store alone, one request at a time: %.0f MB/s\n", len(files), mb(size), mb(size)/raw.Seconds())
	out, clean := filepath.Join(dir, "out"), "s3://"+bucket+"/clean"
	of := func(args ...string) func(inputs ...string) []string {
		return func(inputs ...string) []string { return append(args, inputs...) }
	}
	for _, c := range []struct {
		name           string
		local, inStore func(inputs ...string) []string
	}{
		{"index", of("index", "--quiet", "--index", out), of("index", "--quiet", "--index", out)},
		{"dedup", of("dedup", "--quiet", "--out", out), of("dedup", "--quiet", "--out", out)},
		{"dedup, published", of("dedup", "--quiet", "--out", out), of("dedup", "--quiet", "--out", clean)},
	} {
		var best [2]machine.Sample
		var server time.Duration
		for i := range times {
			for which, args := range [][]string{c.local(files...), c.inStore("s3://" + bucket + "/in/")} {
				if err := clear(dir, address); err != nil {
					return err
				}
				before := machine.ProcessorTime()
				s, err := machine.Process(program, args...)
				if err != nil {
					return err
				}
				if i == 0 || s.Wall < best[which].Wall {
					best[which] = s
					if which == 1 {
						server = time.Duration((machine.ProcessorTime() - before) * float64(time.Second))
					}
				}
			}
		}
		const line = "%s: files %.2f s (processor %.2f s), objects %.2f s (processor %.2f s, and the store %.2f s): %.0f %% of the speed; " +
			"by processor time %.0f %%\n"
		fmt.Printf(line, c.name, best[0].Wall.Seconds(), best[0].Processor.Seconds(), best[1].Wall.Seconds(), best[1].Processor.Seconds(),
			server.Seconds(),
			100*best[0].Wall.Seconds()/best[1].Wall.Seconds(), 100*best[0].Processor.Seconds()/best[1].Processor.Seconds())
	}
	return nil
}

func mb(n int64) float64 { return float64(n) / 1e6 }

// serve starts a store that has files, and returns its address and the bytes of all.
func serve(files []string) (address string, size int64, err error) {
	store := s3mem.New()
	if err := store.CreateBucket(bucket); err != nil {
		return "", 0, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", 0, err
	}
	go func() { log.Fatal(http.Serve(l, gofakes3.New(store, gofakes3.WithoutVersioning()).Server())) }()
	address = "http://" + l.Addr().String()
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return "", 0, err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return "", 0, err
		}
		size += info.Size()
		r, err := http.NewRequest(http.MethodPut, address+"/"+bucket+"/in/"+filepath.Base(file), f)
		if err != nil {
			return "", 0, err
		}
		r.ContentLength = info.Size()
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return "", 0, err
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return "", 0, fmt.Errorf("%s: %s", file, answer.Status)
		}
	}
	return address, size, nil
}

// download reads all objects once, and returns how long that took.
func download(address string, files []string) (time.Duration, error) {
	began := time.Now()
	for _, file := range files {
		answer, err := http.Get(address + "/" + bucket + "/in/" + filepath.Base(file))
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// clear removes what a run has written.
func clear(dir, address string) error {
	for _, name := range []string{"out", "cache"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	answer, err := http.Get(address + "/" + bucket + "?prefix=clean/&max-keys=1000000")
	if err != nil {
		return err
	}
	list, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil {
		return err
	}
	for _, part := range strings.Split(string(list), "<Key>")[1:] {
		key, _, _ := strings.Cut(part, "</Key>")
		r, err := http.NewRequest(http.MethodDelete, address+"/"+bucket+"/"+key, nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		answer.Body.Close()
	}
	return nil
}
