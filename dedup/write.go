package dedup

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/disk"
	"simsearch/internal/join"
	"simsearch/internal/parallel"
	"simsearch/internal/rewrite"
)

// Names of what Write makes in its directory.
const (
	KeptName     = "kept"
	AsideName    = "removed" // with Options.KeepRemoved
	RemovedName  = "removed.jsonl"
	ClustersName = "clusters.jsonl"
)

// Prepare reports whether Write can write to a directory: there is none, or it is empty, has what Write has begun and not
// finished, or has the result of the same command, which is then made anew. It must not be one of inputs, nor in one or
// around one: they would be read and written at the same time.
func Prepare(dir, command string, inputs []string) error {
	for _, input := range inputs {
		if isBelow(absolute(dir), absolute(input)) || isBelow(absolute(input), absolute(dir)) {
			return fmt.Errorf("%s would be read and written: name a directory apart from %s", dir, input)
		}
	}
	names, err := disk.OS.ReadDir(dir)
	if err != nil && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && len(names) > 0 && !slices.Contains(names, unfinishedName) && (command == "" || madeBy(dir) != command) {
		err = fmt.Errorf("%s is not empty: name another directory, or remove it", dir)
	}
	return err
}

// absolute returns an absolute path, or the path as it is if there is no working directory.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// madeBy returns the command that has made what is in a directory, or "".
func madeBy(dir string) string {
	data, err := disk.OS.ReadFile(filepath.Join(dir, ReportName))
	var report struct{ Command string }
	if err != nil || json.Unmarshal(data, &report) != nil {
		return ""
	}
	return report.Command
}

// begin marks dir as unfinished, and removes what an earlier run has written, which may have had other options. The mark
// is locked until the caller closes it.
func begin(fsys disk.FS, dir string) (mark disk.Lock, err error) {
	if mark, err = fsys.Lock(filepath.Join(dir, unfinishedName), "simsearch dedup"); err != nil {
		return nil, err
	}
	if err := clearResult(fsys, dir); err != nil {
		return nil, errors.Join(err, mark.Close())
	}
	return mark, nil
}

// clearResult removes what an earlier run has written, for good: nothing of it comes back after a crash.
func clearResult(fsys disk.FS, dir string) error {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		ours := slices.Contains([]string{KeptName, AsideName, RemovedName, ClustersName, ReportName, PageName, StateName, readingName}, name)
		temporary, _ := filepath.Match(disk.TempPattern, name)
		part, _ := filepath.Match(partPattern, name)
		if ours || temporary || part {
			if err := removeAll(fsys, filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return fsys.SyncDir(dir)
}

// removeAll removes a file, or a directory with all that is in it.
func removeAll(fsys disk.FS, path string) error {
	info, err := fsys.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		names, err := fsys.ReadDir(path)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := removeAll(fsys, filepath.Join(path, name)); err != nil {
				return err
			}
		}
		if err := fsys.SyncDir(path); err != nil {
			return err
		}
	}
	return fsys.Remove(path)
}

// unfinishedName is the name of a file that is in the directory of Write until all is written.
const unfinishedName = "unfinished"

// Write writes the files of the collection to dir/kept, as rewrite.File does, and the lists of what is removed and
// of clusters. Files appear complete or not at all. Options.Annotate keeps all documents. The error is that of
// rewrite.File, of the file system, or the cause of ctx.
func (c *Collection) Write(ctx context.Context, d *Decisions, dir string) error {
	c.phase(Writing)
	if c.mark == nil {
		if err := Prepare(dir, c.o.Command, c.paths()); err != nil {
			return err
		}
		if _, err := disk.MkdirAll(c.o.FS, dir); err != nil {
			return err
		}
		mark, err := begin(c.o.FS, dir)
		if err != nil {
			return err
		}
		c.mark = mark
	}
	if err := c.writeAll(ctx, d, dir); err != nil {
		if errors.Is(err, rewrite.ErrChanged) { // what was decided is of no use
			err = errors.Join(err, clearResult(c.o.FS, dir))
		}
		return err
	}
	sync := func(dir string, _ []string) error { return c.o.FS.SyncDir(dir) }
	err := errors.Join(eachDirectory(c.o.FS, filepath.Join(dir, KeptName), sync), c.o.FS.SyncDir(dir))
	if err != nil {
		return err
	}
	err = c.mark.Close()
	c.mark = nil
	if err != nil {
		return err
	}
	return c.o.FS.Remove(filepath.Join(dir, unfinishedName))
}

// paths returns the paths of all files.
func (c *Collection) paths() (paths []string) {
	for _, f := range c.files {
		paths = append(paths, f.Path)
	}
	return paths
}

func (c *Collection) writeAll(ctx context.Context, d *Decisions, dir string) (err error) {
	files := c.files[c.refs:]
	var clusters []cluster
	if clusters, err = d.writeClusters(ctx, dir); err != nil {
		return err
	}
	written, err := c.writtenFiles(dir)
	if err != nil {
		return err
	}
	texts := newTexts(d, d.borderline())
	for file := range c.files {
		if file < c.refs || c.o.DryRun || written[file-c.refs] {
			if err := texts.read(ctx, c, file, file+1); err != nil {
				return err
			}
		}
	}
	if c.o.DryRun {
		return errors.Join(d.writeRemoved(ctx, dir), d.writeReport(ctx, dir, clusters, texts))
	}
	note := d.notes(clusters)
	write := func(ctx context.Context, i int) (struct{}, error) {
		if written[i] {
			return struct{}{}, nil
		}
		to := c.decider(d, c.refs+i, note, texts)
		_, err := rewrite.File(files[i], filepath.Join(dir, KeptName, filepath.FromSlash(c.names[i])), c.rewriteOptions(ctx), to.decide)
		if err == nil {
			err = to.finish()
		}
		return struct{}{}, err
	}
	done := 0
	err = parallel.Ordered(ctx, c.o.Threads, len(files), write, func(struct{}) error {
		if done++; c.o.Progress != nil {
			c.o.Progress(int64(c.starts[c.refs+done]-c.starts[c.refs]), int64(c.Len()))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(d.writeRemoved(ctx, dir), d.writeReport(ctx, dir, clusters, texts))
}

// commonBase returns the directory that names of outputs begin at: base, or the working directory if that is "", if all
// files are below it, and otherwise the directory that all are in.
func commonBase(base string, files []corpus.File) string {
	if base == "" {
		base, _ = os.Getwd() // or none
	}
	var common string
	below := true
	for i, f := range files {
		path, err := filepath.Abs(f.Path)
		if err != nil {
			return base
		}
		dir := filepath.Dir(path)
		if i == 0 {
			common = dir
		}
		for !isBelow(dir, common) && common != filepath.Dir(common) {
			common = filepath.Dir(common)
		}
		below = below && base != "" && isBelow(dir, base)
	}
	if below {
		return base
	}
	return common
}

// isBelow reports whether a directory is another one or below it.
func isBelow(dir, other string) bool {
	rel, err := filepath.Rel(other, dir)
	return err == nil && filepath.IsLocal(rel)
}

// Stream writes standard input, which Read has read, to w without the documents that are removed.
func (c *Collection) Stream(ctx context.Context, d *Decisions, w io.Writer) error {
	c.phase(Writing)
	out := bufio.NewWriterSize(w, 1<<16)
	to := c.decider(d, c.refs, d.notes(d.clusters()), newTexts(d, nil))
	if _, err := rewrite.Stream(out, c.rewriteOptions(ctx), to.decide); err != nil {
		return err
	}
	if err := to.finish(); err != nil {
		return err
	}
	return out.Flush()
}

func (c *Collection) rewriteOptions(ctx context.Context) rewrite.Options {
	o := rewrite.Options{Corpus: c.o.Corpus, FS: c.o.FS}
	o.Corpus.Context, o.Corpus.FilesFrom = ctx, nil
	if c.o.Annotate {
		o.Fields = annotations
	}
	return o
}

// annotations are the fields of Options.Annotate.
var annotations = []rewrite.Field{
	{Name: "dup_cluster", Kind: rewrite.Int}, {Name: "dup_size", Kind: rewrite.Int}, {Name: "dup_kept", Kind: rewrite.Bool},
	{Name: "dup_kept_id", Kind: rewrite.String}, {Name: "dup_similarity", Kind: rewrite.Float},
}

// A decider decides on the documents of a file, whose texts it shows to texts.
type decider struct {
	d         *Decisions
	path      string
	next, end uint32 // documents
	note      func(doc uint32) []any
	texts     *textsOf
}

func (c *Collection) decider(d *Decisions, file int, note func(doc uint32) []any, texts *textsOf) *decider {
	return &decider{d, c.files[file].Path, c.starts[file], c.starts[file+1], note, texts}
}

// decide decides on the next document. The error is rewrite.ErrChanged if it is not the one that was read before.
func (t *decider) decide(doc *document.Document) (rewrite.Decision, error) {
	c, at := t.d.c, t.next
	if at == t.end || c.digests[at] != digest(doc.Text) || string(c.id(at)) != string(doc.ID) {
		return rewrite.Decision{}, fmt.Errorf("%s: %w", t.path, rewrite.ErrChanged)
	}
	t.next++
	t.texts.see(at, doc)
	if c.o.Annotate {
		return rewrite.Decision{Values: t.note(at)}, nil
	}
	return rewrite.Decision{Drop: t.d.kept[at] != at}, nil
}

// finish returns rewrite.ErrChanged if there were fewer documents than before.
func (t *decider) finish() error {
	if t.next < t.end {
		return fmt.Errorf("%s: %w", t.path, rewrite.ErrChanged)
	}
	return nil
}

// notes returns a function for the values of the annotations of a document.
func (d *Decisions) notes(clusters []cluster) func(doc uint32) []any {
	if !d.c.o.Annotate {
		return nil
	}
	number := map[uint32]int{} // of the cluster of each kept document
	for i, g := range clusters {
		number[g.kept] = i
	}
	return func(doc uint32) []any {
		kept := d.kept[doc]
		i, ok := number[kept]
		if !ok {
			return []any{nil, int64(1), true, nil, nil}
		}
		if kept == doc {
			return []any{int64(i + 1), int64(len(clusters[i].documents)), true, nil, nil}
		}
		return []any{int64(i + 1), int64(len(clusters[i].documents)), false, string(d.c.id(kept)), d.similarity(doc)}
	}
}

// A removedRow is a line of the list of removed documents.
type removedRow struct {
	ID         string  `json:"id"`
	KeptID     string  `json:"kept_id"`
	Similarity float64 `json:"similarity"`
	Source     string  `json:"source"`
}

func (d *Decisions) writeRemoved(ctx context.Context, dir string) error {
	return d.c.rows(ctx, filepath.Join(dir, RemovedName), func(row func(any) error) error {
		for file := d.c.refs; file < len(d.c.files); file++ {
			for doc := d.c.starts[file]; doc < d.c.starts[file+1]; doc++ {
				if d.kept[doc] == doc {
					continue
				}
				err := row(removedRow{string(d.c.id(doc)), string(d.c.id(d.kept[doc])), d.similarity(doc), d.c.files[file].Path})
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// A clusterRow is a line of the list of clusters.
type clusterRow struct {
	Cluster       int      `json:"cluster"` // from 1
	Size          int      `json:"size"`
	KeptID        string   `json:"kept_id"`
	IDs           []string `json:"ids"` // the one that is kept first
	MinSimilarity float64  `json:"min_similarity"`
	Estimated     bool     `json:"estimated,omitempty"` // only some pairs of so large a cluster were compared
}

func (d *Decisions) writeClusters(ctx context.Context, dir string) (clusters []cluster, err error) {
	clusters = d.clusters()
	err = d.c.rows(ctx, filepath.Join(dir, ClustersName), func(row func(any) error) error {
		measure := func(ctx context.Context, i int) (clusterRow, error) { return d.measure(ctx, i, clusters[i]) }
		return parallel.Ordered(ctx, d.c.o.Threads, len(clusters), measure, func(r clusterRow) error { return row(r) })
	})
	return clusters, err
}

// measure returns the row of a cluster.
func (d *Decisions) measure(ctx context.Context, i int, g cluster) (clusterRow, error) {
	r := clusterRow{Cluster: i + 1, Size: len(g.documents), KeptID: string(d.c.id(g.kept)), MinSimilarity: 1}
	r.IDs = append(r.IDs, r.KeptID)
	for _, doc := range g.documents {
		if doc != g.kept {
			r.IDs = append(r.IDs, string(d.c.id(doc)))
		}
	}
	sets, kept, err := join.Distinct(g.documents, g.kept, func(doc uint32) (uint32, bool, error) { return d.c.of[doc], true, nil })
	if err != nil {
		return r, err
	}
	r.Estimated, err = join.Comparisons(ctx, len(sets), kept, func(a, b int) error {
		shared, n, m, err := d.coded.Shared(sets[a], sets[b])
		r.MinSimilarity = min(r.MinSimilarity, float64(shared)/float64(n+m-shared))
		return err
	})
	return r, err
}

// rows writes lines of JSON to a file, which appears complete or not at all.
func (c *Collection) rows(ctx context.Context, path string, write func(row func(any) error) error) error {
	file, err := disk.CreateAtomic(c.o.FS, path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<16)
	to := json.NewEncoder(out)
	to.SetEscapeHTML(false)
	err = write(func(row any) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return to.Encode(row)
	})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}
