package dedup

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/idtext"
)

// aboutVersion is that of what is kept in Options.State. Another version of it is as good as none.
const aboutVersion = 2

// An about says what a run reads and by what it decides, so that another run can tell whether it would do the same. Its
// JSON form is compared byte by byte.
type about struct {
	V         int
	Directory string // the working directory, at which relative paths begin
	Refs      []string
	Inputs    []string
	Corpus    aboutCorpus
	Features  analysis.Settings
	Threshold float64
	Contained float64
	By        string
	MinWords  int
	MaxDF     float64
	Ignore    aboutIgnored
	Chain     bool
	Prefer    []string
	Keep      string
	Annotate  bool
	DryRun    bool
	Files     []aboutFile
}

// An aboutCorpus is the options by which files are found and read.
type aboutCorpus struct {
	Format                               corpus.Format
	IDField, TextField, FingerprintField string
	FieldsOptional                       bool
	Base                                 string
	FilesFrom                            []string
	Hidden                               bool
	Include, Exclude                     []string
	GitIgnore, Lenient                   bool
	MaxDocument, Memory                  int64
	MailWithout                          string `json:",omitempty"`
}

// An aboutIgnored is the file of Options.Ignore, and a digest of its content.
type aboutIgnored struct {
	Path   string
	Digest analysis.Digest
}

// An aboutFile is a file as it was before it was read. Of an index, it is its manifest.
type aboutFile struct {
	Path    string
	Ref     bool
	Index   bool
	Size    int64
	ModTime int64 // in nanoseconds
}

// with returns a copy in which text has changed each string that the user gives, such as a path.
func (a about) with(text func(string) string) about {
	all := func(list []string) []string {
		list = slices.Clone(list)
		for i, s := range list {
			list[i] = text(s)
		}
		return list
	}
	a.Directory, a.Refs, a.Inputs = text(a.Directory), all(a.Refs), all(a.Inputs)
	o := &a.Corpus
	o.IDField, o.TextField, o.FingerprintField, o.Base = text(o.IDField), text(o.TextField), text(o.FingerprintField), text(o.Base)
	o.FilesFrom, o.Include, o.Exclude = all(o.FilesFrom), all(o.Include), all(o.Exclude)
	a.Prefer, a.Ignore.Path, a.Keep = all(a.Prefer), text(a.Ignore.Path), text(a.Keep)
	a.Files = slices.Clone(a.Files)
	for i, f := range a.Files {
		a.Files[i].Path = text(f.Path)
	}
	return a
}

// A plainAbout is an about without its methods.
type plainAbout about

// MarshalJSON escapes bytes that JSON does not allow: the names of files may have them.
func (a about) MarshalJSON() ([]byte, error) {
	return json.Marshal(plainAbout(a.with(idtext.String.Text)))
}

// UnmarshalJSON reads what MarshalJSON has written.
func (a *about) UnmarshalJSON(data []byte) error {
	var plain plainAbout
	err := json.Unmarshal(data, &plain)
	*a = about(plain).with(unescaped)
	return err
}

// escapedNames are names of files, escaped in JSON as those of an about are.
type escapedNames []string

func (n escapedNames) MarshalJSON() ([]byte, error) {
	return json.Marshal(about{Inputs: n}.with(idtext.String.Text).Inputs)
}

func (n *escapedNames) UnmarshalJSON(data []byte) error {
	var list []string
	err := json.Unmarshal(data, &list)
	*n = about{Inputs: list}.with(unescaped).Inputs
	return err
}

// about returns what c is going to do. All files are known.
func (c *Collection) about() (a about, err error) {
	o := c.o.Corpus
	a = about{
		V: aboutVersion, Refs: c.refInputs, Inputs: c.inputs, Features: c.o.Settings, Threshold: c.o.Threshold, Chain: c.o.Chain,
		Contained: c.o.Contained, By: c.o.By.String(), MinWords: c.o.MinWords, MaxDF: c.o.MaxDF, Ignore: aboutIgnored{c.o.Ignore, c.ignored}, Prefer: c.o.Prefer, Keep: c.o.Keep.String(), Annotate: c.o.Annotate, DryRun: c.o.DryRun,
		Corpus: aboutCorpus{
			o.Format, o.IDField, o.TextField, o.FingerprintField, o.FieldsOptional, o.Base, o.FilesFrom, o.Hidden,
			o.Include, o.Exclude, o.GitIgnore, o.Lenient, o.MaxDocument, o.Memory, o.MailWithout,
		},
	}
	if a.Directory, err = os.Getwd(); err != nil {
		return a, err
	}
	for i, f := range c.files {
		is := aboutFile{Path: f.Path, Ref: i < c.refs, Index: c.isIndex(i)}
		info, err := c.o.FS.Stat(c.statPath(i))
		if err != nil {
			return a, err
		}
		is.Size, is.ModTime = info.Size(), info.ModTime().UnixNano()
		a.Files = append(a.Files, is)
	}
	return a, nil
}

// statPath returns the path of what changes if file i does.
func (c *Collection) statPath(i int) string {
	if c.isIndex(i) {
		return filepath.Join(c.files[i].Path, index.ManifestName)
	}
	return c.files[i].Path
}

// options sets what o says of reading.
func (a *aboutCorpus) options(o *corpus.Options) {
	o.Format, o.IDField, o.TextField, o.FingerprintField, o.FieldsOptional, o.Base = a.Format, a.IDField, a.TextField, a.FingerprintField, a.FieldsOptional, a.Base
	o.FilesFrom, o.Hidden, o.Include, o.Exclude, o.GitIgnore, o.Lenient = a.FilesFrom, a.Hidden, a.Include, a.Exclude, a.GitIgnore, a.Lenient
	o.MaxDocument, o.Memory, o.MailWithout = a.MaxDocument, a.Memory, a.MailWithout
}

// differs says why a run cannot go on with what another one, of which was is known, has done. It returns "" if it can.
func (a *about) differs(was *about) string {
	is, before := *a, *was
	is.Files, before.Files, is.Ignore.Digest, before.Ignore.Digest = nil, nil, analysis.Digest{}, analysis.Digest{}
	if string(marshal(is)) != string(marshal(before)) {
		return "it had other inputs or options"
	}
	if changed := changedFile(was.Files, a.Files); changed != "" {
		return changed
	}
	if a.Ignore != was.Ignore {
		return a.Ignore.Path + " has changed"
	}
	return ""
}

// changedFile says what has become of a file that was read, or "" if all are as they were.
func changedFile(was, are []aboutFile) string {
	for i, f := range are {
		if i >= len(was) || f.Path != was[i].Path {
			if slices.ContainsFunc(was, func(other aboutFile) bool { return other.Path == f.Path }) {
				return was[i].Path + " is gone"
			}
			return f.Path + " is new"
		}
		if f != was[i] {
			return f.Path + " has changed"
		}
	}
	if len(are) < len(was) {
		return was[len(are)].Path + " is gone"
	}
	return ""
}

// marshal returns the JSON form of a value that has one.
func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("dedup: %v", err))
	}
	return data
}
