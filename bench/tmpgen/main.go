package main

import (
	"bufio"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"simsearch/bench/documents"
)

// tmpgen OUTDIR BYTES ITEMS DEV
func main() {
	out, dev := os.Args[1], os.Args[4]
	bytes, _ := strconv.ParseInt(os.Args[2], 10, 64)
	items, _ := strconv.Atoi(os.Args[3])
	var paths []string
	for _, n := range []string{"aclimdb", "reuters21578", "powershell-docs", "scoop-news"} {
		paths = append(paths, filepath.Join(dev, n, "docs.jsonl"))
	}
	w, err := newWriter(paths, 0)
	if err != nil {
		log.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	// items: sentences of aclimdb after its first 20 MB, 12 % of words changed
	q := &writer{random: r}
	n := 0
	for doc, err := range documents.Read(filepath.Join(dev, "aclimdb", "docs.jsonl")) {
		if err != nil {
			log.Fatal(err)
		}
		if n += len(doc.Text); n > 16<<20 {
			q.learn(string(doc.Text))
		}
	}
	fmt.Println(len(w.sentences), len(q.sentences))
	f, _ := os.Create(filepath.Join(out, "items.jsonl"))
	b := bufio.NewWriterSize(f, 1<<20)
	var kept [][]string
	for i := range items {
		question := q.changed(nil, q.sentence(), .3)
		for len(question) < 15 {
			question = q.changed(question, q.sentence(), .3)
		}
		answer := q.changed(nil, q.sentence(), .3)
		if i%100 == 0 {
			kept = append(kept, question)
		}
		fmt.Fprintf(b, "{\"id\":\"q%07d\",\"question\":\"%s?\",\"answer\":\"%s.\"}\n", i, strings.Join(question, " "), strings.Join(answer, " "))
	}
	b.Flush()
	f.Close()
	f, _ = os.Create(filepath.Join(out, "train.jsonl"))
	b = bufio.NewWriterSize(f, 1<<20)
	p, _ := os.Create(filepath.Join(out, "planted.txt"))
	var written int64
	for i := 0; written < bytes; i++ {
		text := w.document()
		if i%300 == 7 && i/300 < len(kept) {
			k := kept[i/300]
			from := r.IntN(len(k) - 12)
			to := from + 13
			if i%600 == 7 {
				from, to = 0, len(k)
			}
			text += " " + strings.Join(k[from:to], " ") + " . " + w.document()
			fmt.Fprintf(p, "q%07d d%09d %d %d\n", i/300*100, i, to-from, len(k))
		}
		m, _ := fmt.Fprintf(b, "{\"id\":\"d%09d\",\"text\":\"%s\",\"n\":%d}\n", i, text, i%977)
		written += int64(m)
	}
	b.Flush()
	f.Close()
	p.Close()
}
