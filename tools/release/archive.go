package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"time"
)

// An entry is a file of an archive, or a directory if its name ends with a slash.
type entry struct {
	name    string
	content []byte
	mode    int64
	owner   int // the number of a user and of a group
}

// tarred returns a tar archive of entries, in their order.
func tarred(entries []entry, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		h := &tar.Header{
			Name: e.name, Size: int64(len(e.content)), Mode: e.mode, ModTime: at, Uid: e.owner, Gid: e.owner,
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		}
		if e.name[len(e.name)-1] == '/' {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// gzipped returns content, compressed, without a name and a time.
func gzipped(content []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(content)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
}

// zipped returns a zip archive of entries, in their order.
func zipped(entries []entry, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		h.SetMode(os.FileMode(e.mode))
		f, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(f, bytes.NewReader(e.content)); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// archives writes an archive for each platform: the program and what belongs to it, in a directory of their name.
func (r *release) archives() error {
	for _, p := range platforms {
		program, err := os.ReadFile(r.programFile(p))
		if err != nil {
			return err
		}
		name := "simsearch_" + r.version + "_" + p.os + "_" + p.arch
		entries := []entry{
			{name: name + "/LICENSE", content: r.licence, mode: 0o644},
			{name: name + "/NOTICES", content: r.notices, mode: 0o644},
			{name: name + "/" + p.program(), content: program, mode: 0o755},
			{name: name + "/simsearch.1", content: r.man, mode: 0o644},
			{name: name + "/completions/simsearch.bash", content: r.completions["bash"], mode: 0o644},
			{name: name + "/completions/_simsearch", content: r.completions["zsh"], mode: 0o644},
			{name: name + "/completions/simsearch.fish", content: r.completions["fish"], mode: 0o644},
		}
		var packed []byte
		if p.os == "windows" {
			packed, err = zipped(entries, r.time)
			name += ".zip"
		} else {
			packed, err = tarred(entries, r.time)
			packed = gzipped(packed)
			name += ".tar.gz"
		}
		if err != nil {
			return err
		}
		if err := r.write(name, packed); err != nil {
			return err
		}
	}
	return nil
}
