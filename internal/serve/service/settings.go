package service

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index"
	"simsearch/internal/index/store"
	"simsearch/preprocess"
)

// What a collection holds.
const (
	Texts        = "texts"
	Fingerprints = "fingerprints"
	Sets         = "sets"
)

// Limits of settings, and of collections, each of which has files that stay open.
const mostFields, mostFieldName, mostCollections = 64, 256, 1000

// Plan returns how an index with the settings of a client is made.
func (st *Settings) Plan() (s analysis.Settings, o index.WriterOptions, err error) {
	bad := func(where, format string, args ...any) (analysis.Settings, index.WriterOptions, error) {
		return s, o, Errorf(BadRequest, where, format, args...)
	}
	s = analysis.Default()
	items := preprocess.FeatureSpec{Kind: preprocess.Items}
	holds := cmp.Or(st.Holds, Texts)
	var features preprocess.FeatureSpec
	if st.Features != "" {
		if features, err = preprocess.ParseFeatureSpec(st.Features); err != nil {
			return bad("features", "%v", err)
		}
	}
	switch {
	case holds == Sets:
		if st.Features != "" && features != items {
			return bad("features", "a set has items, and no features %s", st.Features)
		}
		features = items
	case holds != Texts && holds != Fingerprints:
		return bad("holds", "%.80q: want texts, fingerprints or sets", holds)
	case holds == Fingerprints || st.K > 0 && st.Jaccard+st.Copy == 0:
		s = analysis.Classic()
	}
	if features != (preprocess.FeatureSpec{}) {
		if s.Features, s.Language = features, preprocess.NoLanguage; s.Sets() {
			s.SetFeatures, s.SetLanguage = features, preprocess.NoLanguage
		}
	}
	s.Bits = cmp.Or(st.Bits, s.Bits)
	s = s.Canonical()
	if err := s.Validate(); err != nil {
		return bad("", "%v", err)
	}
	switch {
	case holds == Fingerprints && (st.Features != "" || st.Passages || st.Keep == index.KeepText.String()):
		return bad("holds", "a fingerprint has no text, and so no features, no passages and nothing to keep")
	case st.Copy < 0 || st.Copy > 1 || st.Copy > 0 && (st.Jaccard > 0 || st.K > 0 || holds != Texts || st.Keep == index.KeepNothing.String()):
		return bad("copy", "%v: want more than 0 and at most 1, in place of jaccard and k, of texts that are kept", st.Copy)
	case st.K > 0 && st.Jaccard > 0:
		return bad("k", "a collection is made for a similarity or for a distance")
	case !s.Sets() && st.Jaccard > 0:
		return bad("jaccard", "fingerprints have a distance: want k")
	case st.Jaccard < 0 || st.Jaccard > 1:
		return bad("jaccard", "%v: want more than 0 and at most 1", st.Jaccard)
	case st.K < 0 || st.K >= s.Bits:
		return bad("k", "%d: want 1 to %d", st.K, s.Bits-1)
	}
	o.Search.Jaccard, o.Search.Planned, o.Search.Distance = st.Jaccard, st.Jaccard, st.K
	if o.Search.Copy = st.Copy; st.Copy > 0 {
		o.Search.Planned = index.CopyFloor
	}
	o.Distance = cmp.Or(st.K, index.DefaultDistance)
	if o.Input.Holds = store.Texts; holds == Fingerprints {
		o.Input.Holds = store.Fingerprints
	}
	if o.Keep = index.KeepDefault; st.Keep != "" {
		if o.Keep, err = index.ParseKeep(st.Keep); err != nil || o.Keep == index.KeepSource {
			return bad("keep", "%.80q: want text or nothing", st.Keep)
		}
	}
	if o.Passages = st.Passages; o.Passages && o.Keep == index.KeepNothing {
		return bad("keep", "passages are verified in the texts: keep text")
	}
	if len(st.Fields) > mostFields {
		return bad("fields", "%d fields: want %d at most", len(st.Fields), mostFields)
	}
	for i, name := range st.Fields {
		if name == "" || len(name) > mostFieldName || strings.Contains(name, ",") || slices.Contains(st.Fields[:i], name) {
			return bad("fields", "%.80q: want names without a comma, each once, of %d bytes at most", name, mostFieldName)
		}
	}
	o.Input.KeepFields = strings.Join(st.Fields, ",")
	o.ByDefault(s)
	return s, o, nil
}

// settingsOf returns the settings of an index as clients know them.
func settingsOf(s *index.Snapshot) Settings {
	return describe(s.Settings(), s.Search(), s.Input(), s.Keep(), s.HasPassages())
}

func describe(s analysis.Settings, search analysis.Search, in index.Input, keep index.Keep, passages bool) (st Settings) {
	p := index.Default(s, search)
	st = Settings{Holds: Texts, Features: s.Features.String(), Keep: keep.String(), Fields: in.Kept(), Passages: passages}
	if s.Sets() {
		if st.Features, st.Jaccard = s.SetFeatures.String(), p.Threshold; p.Kind == index.Copy {
			st.Jaccard, st.Copy = 0, p.Threshold
		}
	} else {
		st.K = p.Distance
	}
	if s.Fingerprints() {
		st.Bits = s.Bits
	}
	switch {
	case in.Holds == store.Fingerprints:
		st.Holds, st.Features = Fingerprints, ""
	case s.SetFeatures.Kind == preprocess.Items:
		st.Holds = Sets
	}
	return st
}

// Create makes a collection, or finds one of these settings; nil are the usual ones, or those of the collection that
// is there.
func (s *Service) Create(ctx context.Context, name string, st *Settings) (info Info, created bool, err error) {
	info, err = guarded(ctx, func() (Info, error) {
		if err := checkName(name); err != nil {
			return Info{}, err
		}
		s.making.Lock()
		defer s.making.Unlock()
		s.mu.RLock()
		c := s.all[name]
		s.mu.RUnlock()
		if c == nil {
			if c, err = s.create(name, st); err != nil {
				return Info{}, err
			}
			created = true
			return c.info()
		}
		if err := c.open(); err != nil {
			return Info{}, err
		}
		is, err := c.info()
		if err != nil || st == nil {
			return is, err
		}
		want, err := st.described()
		if err == nil && !reflect.DeepEqual(want, is.Settings) {
			err = Errorf(Conflict, "collection", "the collection %s is there, with other settings: they stay as they are", name)
		}
		return is, err
	})
	return info, created && err == nil, err
}

// described returns the settings of a collection that is made by st.
func (st *Settings) described() (Settings, error) {
	s, o, err := st.Plan()
	if o.Keep == index.KeepDefault {
		if o.Keep = index.KeepNothing; s.Sets() || o.Passages {
			o.Keep = index.KeepText
		}
	}
	return describe(s, o.Search, o.Input, o.Keep, o.Passages), err
}

func (s *Service) create(name string, st *Settings) (*collection, error) {
	if s.data == nil || s.o.ReadOnly {
		return nil, Errorf(ReadOnly, "collection", "this server takes no new collections")
	}
	if st == nil {
		st = &Settings{}
	}
	settings, o, err := st.Plan()
	if err != nil {
		return nil, err
	}
	if info, err := s.data.Stat(name); err == nil && !info.IsDir() {
		return nil, Errorf(Conflict, "collection", "something that is no collection has the name %s", name)
	}
	s.mu.RLock()
	n := len(s.all)
	s.mu.RUnlock()
	if n >= mostCollections {
		return nil, Errorf(TooLarge, "collection", "there are %d collections, which is as many as a server has", n)
	}
	c := &collection{service: s, name: name, dir: filepath.Join(s.o.Data, name)}
	if err := c.writeBy(settings, o, true); err != nil {
		if errors.Is(err, index.ErrNoIndex) {
			return nil, Errorf(Conflict, "collection", "something that is no collection has the name %s", name)
		}
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.Join(Errorf(Unavailable, "", "the server is stopping"), c.close())
	}
	s.all[name] = c
	return c, nil
}

// droppedPrefix begins the names of collections that are being removed. No collection is called so.
const droppedPrefix = ".dropped-"

// Drop removes a collection. When it has another name it is gone, even if removing its files is interrupted. What is
// no file of an index is not removed.
func (s *Service) Drop(ctx context.Context, name string) error {
	_, err := guarded(ctx, func() (struct{}, error) {
		if err := checkName(name); err != nil {
			return struct{}{}, err
		}
		s.making.Lock()
		defer s.making.Unlock()
		s.mu.Lock()
		c, inData := s.inData(name)
		s.mu.Unlock()
		switch {
		case c == nil:
			return struct{}{}, Errorf(NotFound, "collection", "there is no collection %s", name)
		case !inData || c.readOnly:
			return struct{}{}, Errorf(ReadOnly, "collection", "the collection %s is not one that clients can drop", name)
		}
		if err := c.open(); errors.Is(err, index.ErrLocked) { // another process writes it; what is damaged can be dropped
			return struct{}{}, err
		}
		s.mu.Lock()
		delete(s.all, name)
		s.mu.Unlock()
		closing := c.close()
		aside := droppedPrefix + name + "-" + rand.Text()
		err := s.data.Rename(name, aside)
		if err != nil { // it is still there
			s.mu.Lock()
			s.all[name] = &collection{service: s, name: name, dir: c.dir}
			s.mu.Unlock()
			return struct{}{}, errors.Join(err, closing)
		}
		if err := s.data.SyncDir("."); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, s.removeDropped(aside)
	})
	return err
}

// removeDropped removes the files of an index that was dropped, and its directory, unless there is something else in
// it.
func (s *Service) removeDropped(name string) error {
	return s.removeFiles(name, func(file string) bool {
		return file == index.ManifestName || file == store.LockName || store.IsNumbered(file) || store.IsTemporary(file) || file == index.AsideName
	})
}

func (s *Service) removeFiles(dir string, ours func(file string) bool) error {
	files, err := s.data.ReadDir(dir)
	if err != nil {
		return nil // a link, or a file: not ours
	}
	for _, file := range files {
		path := filepath.Join(dir, file)
		info, err := s.data.Stat(path)
		switch {
		case err != nil || !ours(file):
			continue
		case info.IsDir():
			err = s.removeFiles(path, store.IsNumbered)
		default:
			err = s.data.Remove(path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if left, err := s.data.ReadDir(dir); err != nil || len(left) > 0 {
		return err
	}
	return s.data.Remove(dir)
}
