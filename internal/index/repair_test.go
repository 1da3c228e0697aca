package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
)

// filesOf returns the contents of the files of the index idx, by their paths in it, except for the lock.
func filesOf(t testing.TB, fsys disk.FS) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, part := range []string{"", AsideName} {
		names, err := fsys.ReadDir(filepath.Join("idx", part))
		if part != "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if name == AsideName || name == store.LockName {
				continue
			}
			data, err := fsys.ReadFile(filepath.Join("idx", part, name), 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Join(part, name)] = data
		}
	}
	return files
}

// inMemory returns a file system with files in the directory idx.
func inMemory(t testing.TB, files map[string][]byte) disk.FS {
	t.Helper()
	fsys := disk.NewMemory()
	made := fsys.Mkdir("idx")
	for name, data := range files {
		if strings.HasPrefix(name, AsideName) {
			if err := fsys.Mkdir("idx/" + AsideName); err != nil && !errors.Is(err, fs.ErrExist) {
				t.Fatal(err)
			}
		}
		f, err := fsys.Create(filepath.Join("idx", name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(data); err != nil || f.Close() != nil || made != nil {
			t.Fatal(err, made)
		}
	}
	return fsys
}

// damages returns the index with each damage of each of its files but the manifest.
func damages(t testing.TB, files map[string][]byte) map[string]map[string][]byte {
	t.Helper()
	all := map[string]map[string][]byte{}
	for name, data := range files {
		if name == ManifestName {
			continue
		}
		with := func(what string, damaged []byte) {
			changed := maps.Clone(files)
			if changed[name] = damaged; damaged == nil {
				delete(changed, name)
			}
			all[name+" "+what] = changed
		}
		with("missing", nil)
		with("empty", []byte{})
		with("zeroed", make([]byte, len(data)))
		with("with more behind", append(bytes.Clone(data), data[:64]...))
		for _, n := range []int{1, 63, 64, 100, len(data) / 3, len(data) / 2, len(data) - 33, len(data) - 1} {
			with(fmt.Sprint("truncated to ", n), bytes.Clone(data[:n]))
		}
		for _, at := range []int{0, 8, 20, 40, 64, 96, len(data) / 2, len(data) - 60, len(data) - 20} {
			flipped := bytes.Clone(data)
			flipped[at] ^= 1
			with(fmt.Sprint("flipped at ", at), flipped)
		}
		for other, data := range files {
			if other != name && other != ManifestName && filepath.Ext(other) == filepath.Ext(name) {
				with("is "+other, data)
				swapped := maps.Clone(files)
				swapped[name], swapped[other] = files[other], files[name]
				all[name+" swapped with "+other] = swapped
			}
		}
		if f, err := section.Parse("", bytes.Clone(data)); err == nil {
			f.Sections(func(section string, offset, length uint64) bool {
				if length > 0 {
					flipped := bytes.Clone(data)
					flipped[offset+length/2] ^= 4
					with("flipped in "+section, flipped)
				}
				return true
			})
		}
	}
	return all
}

// inLog reports whether the log of fullIndex changes a document.
func inLog(id string) bool {
	return slices.Contains([]string{"doc1", "doc2", "doc13", "doc24", "doc25", "doc26", "doc27", "doc28", "doc29"}, id)
}

// checkRepaired checks that a repaired index is sound, and has what losses do not name.
func checkRepaired(t testing.TB, what string, fsys disk.FS, want model, losses []Loss) {
	t.Helper()
	if e := mustVerify(t, fsys, "idx"); len(e.Damages) > 0 {
		t.Fatalf("%s: after the repair: %+v", what, e.Damages)
	}
	ix, err := openDir(fsys, "idx")
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer ix.Close()
	lost, count, changes := map[string]string{}, 0, false
	for _, l := range losses {
		if l.ID != "" {
			lost[l.ID+" "+l.What] = l.Reason
		} else {
			count += l.Count
		}
		changes = changes || l.What == "changes"
	}
	var s analysis.Scratch
	lostChanges := changes
	for id, text := range want {
		changes := lostChanges && inLog(id) // it may be missing, or as it was before
		doc, ok, err := ix.Find([]byte(id))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if !ok {
			if count--; lost[id+" document"] == "" && !changes && count < 0 {
				t.Fatalf("%s: %s is lost, and not listed in %+v", what, id, losses)
			}
			continue
		}
		got, err := ix.Text(doc, nil)
		if (err != nil || got != text) && lost[id+" text"] == "" && !changes {
			t.Fatalf("%s: the text of %s is %.20q, %v", what, id, got, err)
		}
		fp, _, err := ix.Fingerprint(doc)
		if wanted, _, err2 := ix.Analysis().Fingerprint(&s, []byte(text)); fp != wanted && !changes || err != nil || err2 != nil {
			t.Fatalf("%s: the fingerprint of %s is %x, %v, %v", what, id, fp, err, err2)
		}
		q, err := ix.Stored(doc)
		if set := ix.Analysis().Set(&s, []byte(text)); err != nil || !changes && fmt.Sprint(q.result.Set) != fmt.Sprint(set) {
			t.Fatalf("%s: the set of %s has %d features, want %d", what, id, len(q.result.Set), len(set))
		}
		if _, ok, err := ix.Signature(doc); err != nil || ok != (len(q.result.Set) > 0) {
			t.Fatalf("%s: signature of %s: %v, %v", what, id, ok, err)
		}
	}
	for doc := range uint32(ix.Len()) {
		id, err := ix.ID(doc)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := want[string(id)]; !ok && lost[string(id)+" revived"] == "" && (!changes || !inLog(string(id))) {
			t.Fatalf("%s: %s is alive again", what, id)
		}
	}
}

// checkKept checks that all files are in the directory or aside.
func checkKept(t testing.TB, what string, fsys disk.FS, files map[string][]byte) {
	t.Helper()
	now := filesOf(t, fsys)
next:
	for name, data := range files {
		if name == ManifestName {
			continue
		}
		for _, other := range now {
			if bytes.Equal(data, other) {
				continue next
			}
		}
		t.Fatalf("%s: %s has been removed", what, name)
	}
}

func runRepair(fsys disk.FS, o RepairOptions) (*Repaired, []Loss, error) {
	var losses []Loss
	o.Lost = func(l Loss) { losses = append(losses, l) }
	r, err := store.Repair(context.Background(), fsys, "idx", o)
	return r, losses, err
}

// Each damage of a single file of an index is repaired, or what it costs is listed.
func TestRepairEveryDamage(t *testing.T) {
	t.Parallel()
	sound := disk.NewMemory()
	want := fullIndex(t, sound, "idx")
	files := filesOf(t, sound)
	undecided, free := 0, 0
	for what, damaged := range damages(t, files) {
		if !testkit.IsLong() && section.Checksum([]byte(what))%4 > 0 {
			continue // some suffice
		}
		fsys := inMemory(t, damaged)
		if e := mustVerify(t, fsys, "idx"); len(e.Damages) == 0 {
			if !strings.Contains(what, ".log flipped") && !strings.Contains(what, ".log with more") {
				t.Errorf("%s is not found", what)
			}
			continue
		}
		dry, dryLosses, dryErr := runRepair(fsys, RepairOptions{DryRun: true})
		if !maps.EqualFunc(filesOf(t, fsys), damaged, bytes.Equal) {
			t.Fatalf("%s: a dry run has changed the index", what)
		}
		r, losses, err := runRepair(fsys, RepairOptions{})
		if errors.Is(err, ErrUndecided) {
			undecided++
			if strings.HasSuffix(what, "with more behind") {
				t.Errorf("%s: all of the file is there, and %v", what, err)
			}
			if !maps.EqualFunc(filesOf(t, fsys), damaged, bytes.Equal) || !errors.Is(dryErr, ErrUndecided) {
				t.Fatalf("%s: an undecided repair has changed the index; dry: %v", what, dryErr)
			}
			dropped := inMemory(t, damaged)
			_, losses, err := runRepair(dropped, RepairOptions{Drop: true})
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			checkRepaired(t, what+", dropped", dropped, want, losses)
			checkKept(t, what+", dropped", dropped, damaged)
			_, losses, err = runRepair(fsys, RepairOptions{Revive: true})
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			checkRepaired(t, what+", revived", fsys, want, losses)
			checkKept(t, what+", revived", fsys, damaged)
			continue
		}
		if err != nil || dryErr != nil {
			t.Fatalf("%s: %v, %v", what, err, dryErr)
		}
		if len(r.Damages) == 0 || len(r.Aside) == 0 && !strings.HasSuffix(what, " missing") || fmt.Sprint(dryLosses) != fmt.Sprint(losses) || fmt.Sprint(dry.Damages) != fmt.Sprint(r.Damages) {
			t.Fatalf("%s: %+v, a dry run said %+v", what, losses, dryLosses)
		}
		for _, name := range r.Aside {
			if _, there := damaged[name]; !there {
				t.Errorf("%s: %s is not there, and said to be moved", what, name)
			}
		}
		if len(losses) == 0 {
			free++
		} else if strings.HasSuffix(what, ".seg with more behind") {
			t.Errorf("%s: all of the file is there, and the losses are %+v", what, losses)
		}
		checkRepaired(t, what, fsys, want, losses)
		checkKept(t, what, fsys, damaged)
		if r, _, err := runRepair(fsys, RepairOptions{}); err != nil || len(r.Damages) > 0 {
			t.Fatalf("%s: a second repair: %+v, %v", what, r, err)
		}
	}
	t.Logf("%d undecided, %d without loss", undecided, free)
	if undecided == 0 || free < testkit.Of(5, 30) {
		t.Errorf("%d undecided, %d without loss", undecided, free)
	}
}

// A repair that fails at any operation, or is cut off there, can be repeated.
func TestRepairIsInterrupted(t *testing.T) {
	t.Parallel()
	sound := disk.NewMemory()
	want := fullIndex(t, sound, "idx")
	files := filesOf(t, sound)
	damaged := maps.Clone(files)
	for name, data := range files {
		data = bytes.Clone(data)
		switch {
		case name == "000001.seg":
			data[100] ^= 1
		case filepath.Ext(name) == store.LogExtension:
			data[len(data)-200] ^= 1
		default:
			continue
		}
		damaged[name] = data
	}
	for n := 0; ; n++ {
		base := inMemory(t, damaged)
		done, failed := 0, false
		fsys := &disktest.FS{Base: base, Before: func(op disktest.Op) (int, error) {
			if !op.Writes() {
				return 0, nil
			}
			if done++; done > n { // nothing is done any more, as after a crash
				failed = true
				return 0, syscall.EIO
			}
			return 0, nil
		}}
		_, losses, err := runRepair(fsys, RepairOptions{})
		if !failed {
			if err != nil || n < 20 {
				t.Fatalf("%d operations: %v", n, err)
			}
			return
		}
		if err == nil {
			t.Fatalf("operation %d fails in silence", n)
		}
		checkKept(t, fmt.Sprint(n), base, damaged)
		_, again, err := runRepair(base, RepairOptions{})
		if err != nil {
			t.Fatalf("after operation %d: %v", n, err)
		}
		checkRepaired(t, fmt.Sprint("after operation ", n), base, want, append(losses, again...))
		checkKept(t, fmt.Sprint(n), base, damaged)
	}
}

// A sound index stays as it is, and so does what cannot be repaired.
func TestRepairLeavesAlone(t *testing.T) {
	t.Parallel()
	sound := disk.NewMemory()
	fullIndex(t, sound, "idx")
	files := filesOf(t, sound)
	check := func(what string, files map[string][]byte, want error) {
		fsys := inMemory(t, files)
		r, _, err := runRepair(fsys, RepairOptions{Revive: true})
		if !errors.Is(err, want) || err == nil && len(r.Damages) > 0 {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
		if !maps.EqualFunc(filesOf(t, fsys), files, bytes.Equal) {
			t.Errorf("%s: it has changed", what)
		}
	}
	check("sound", files, nil)
	change := func(do func(files map[string][]byte)) map[string][]byte {
		changed := maps.Clone(files)
		do(changed)
		return changed
	}
	check("no manifest", change(func(f map[string][]byte) { delete(f, ManifestName) }), ErrNoIndex)
	check("a damaged manifest", change(func(f map[string][]byte) { f[ManifestName] = f[ManifestName][:200] }), ErrNoRepair)
	check("a newer format", change(func(f map[string][]byte) {
		f[ManifestName] = bytes.Replace(f[ManifestName], []byte("index 5"), []byte("index 6"), 1)
	}), ErrVersion)
	check("a later segment", change(func(f map[string][]byte) {
		f["000099.seg"] = f["000001.seg"]
		f["000001.seg"] = f["000001.seg"][:50]
	}), ErrNoRepair)
}

// largeSegment returns the files of an index with a segment of 3,000 documents of so many words, and what is in it.
func largeSegment(t *testing.T, keep Keep, words int) (files map[string][]byte, want model) {
	t.Helper()
	fsys := disk.NewMemory()
	w, err := openWriter(fsys, "idx", changeSettings(), WriterOptions{Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	g, want := testkit.NewWords(9), model{}
	var all []string
	for i := range 3000 {
		id, text := fmt.Sprint("doc", i), g.Text(words)
		want[id] = text
		all = append(all, id, text)
	}
	if err := w.Ingest(context.Background(), docs(all...)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(context.Background()); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return filesOf(t, fsys), want
}

// Of a larger segment, a repair loses only documents that lie in damaged blocks, and none whose text is sound.
func TestRepairOfSomeBlocks(t *testing.T) {
	testkit.Long(t, "each section is damaged")
	t.Parallel()
	files, want := largeSegment(t, KeepText, 100)
	f, err := section.Parse("", files["000001.seg"])
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 9))
	f.Sections(func(name string, offset, length uint64) bool {
		if length == 0 || (strings.HasPrefix(name, "bands.") || strings.HasPrefix(name, "tables.") || strings.HasPrefix(name, "postings.")) && rng.IntN(10) > 0 {
			return true
		}
		data := bytes.Clone(files["000001.seg"])
		at := offset + rng.Uint64N(length)
		clear(data[at:min(at+100, offset+length)])
		data[at] ^= 1
		damaged := maps.Clone(files)
		damaged["000001.seg"] = data
		fsys := inMemory(t, damaged)
		_, losses, err := runRepair(fsys, RepairOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkRepaired(t, name, fsys, want, losses)
		costs := strings.HasPrefix(name, "ids.ends") || name == "ids.bytes" || strings.HasPrefix(name, "texts.")
		if !costs && len(losses) > 0 || len(losses) > 2500 && name != "texts.blocks.ends" {
			t.Errorf("%s: %d losses, such as %+v", name, len(losses), losses[0])
		}
		return true
	})
}

// Fingerprints that cannot be read are in other tables, so that no document is lost, even if no text is kept.
func TestRepairOfFingerprints(t *testing.T) {
	t.Parallel()
	files, want := largeSegment(t, KeepNothing, 20)
	f, err := section.Parse("", bytes.Clone(files["000001.seg"]))
	if err != nil {
		t.Fatal(err)
	}
	repair := func(damaged ...string) (disk.FS, []Loss) {
		changed := maps.Clone(files)
		data := bytes.Clone(files["000001.seg"])
		changed["000001.seg"] = data
		f.Sections(func(name string, offset, length uint64) bool {
			if slices.Contains(damaged, name) {
				clear(data[offset : offset+length])
			}
			return true
		})
		fsys := inMemory(t, changed)
		r, losses, err := runRepair(fsys, RepairOptions{})
		if err != nil || len(r.Damages) == 0 {
			t.Fatalf("%v: %+v, %v", damaged, r, err)
		}
		return fsys, losses
	}
	for _, damaged := range [][]string{{"tables.values"}, {"tables.values", "tables.1.low", "documents.groups"}} {
		fsys, losses := repair(damaged...)
		if len(losses) > 0 {
			t.Fatalf("%v: %d losses, such as %+v", damaged, len(losses), losses[0])
		}
		ix, err := openDir(fsys, "idx")
		if err != nil {
			t.Fatal(err)
		}
		defer ix.Close()
		var s analysis.Scratch
		for id, text := range want {
			doc, ok, err := ix.Find([]byte(id))
			if !ok || err != nil {
				t.Fatalf("%v: %s: %v, %v", damaged, id, ok, err)
			}
			fp, _, err := ix.Fingerprint(doc)
			if wanted, _, err2 := ix.Analysis().Fingerprint(&s, []byte(text)); fp != wanted || err != nil || err2 != nil {
				t.Fatalf("%v: the fingerprint of %s is %x, want %x, %v, %v", damaged, id, fp, wanted, err, err2)
			}
		}
	}
	if _, losses := repair("tables.values", "tables.design"); len(losses) != len(want) {
		t.Errorf("%d losses without a table, want %d", len(losses), len(want))
	}
}
