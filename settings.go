package simsearch

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index"
	"simsearch/internal/serve/gate"

	"simsearch/internal/serve/service"
)

// Settings say how a new index is made. An index keeps them for ever. The zero value is what the command index does:
// texts are compared by their sets of words, have fingerprints beside them, and are kept.
type Settings struct {
	// Near is what is near if a search does not say, and what the index is fast for. An index for a Hamming distance
	// has fingerprints alone, which take a tenth of the space, and keeps no texts.
	Near Criterion
	// Features of texts are "words", "word:N" for sequences of N words, "char:N" for sequences of N characters, or
	// "code:N" for sequences of N tokens of sources, with N in [1, 64].
	Features string
	// Language is that of the stop words that fingerprints leave out, such as "de", or "none", or "auto" for the
	// language of each text. "" is "en" for words, and "none" for other features.
	Language string
	// Preset is the name of a choice of features and what is near, such as "shingles" or "fineweb", in place of
	// Features; Near and Language may say otherwise. docs/SETTINGS.md lists them.
	Preset string
	// Fields are the names of fields that are kept with the documents.
	Fields []string
	// Passages makes an index in which Passages is fast.
	Passages bool
	// Forget keeps no texts: Get and Passages have none.
	Forget bool
}

// Open opens the index in a directory, and makes it with the default settings if there is none. It is Settings{}.Open.
func Open(dir string) (*Index, error) { return Settings{}.Open(dir) }

// Memory returns an empty index in memory with the default settings. It is Settings{}.Memory.
func Memory() (*Index, error) { return Settings{}.Memory() }

// Open opens the index in a directory, and makes it if there is none. An index that is there, which the command may
// have made, keeps its settings: Open returns ErrSettings if s asks for others, which the zero value never does. One
// process at a time can have an index open. The caller closes the Index. The errors are those of opening an index,
// ErrInvalid, or that of the file system.
func (s Settings) Open(dir string) (*Index, error) {
	made, o, err := s.plan()
	if err != nil {
		return nil, err
	}
	if s.isZero() {
		switch stored, err := index.ReadManifest(dir); {
		case err == nil:
			made, o = stored.Settings, index.WriterOptions{}
		case !errors.Is(err, fs.ErrNotExist) && !errors.As(err, new(*index.AbsentError)):
			return nil, err
		}
	}
	o.Threads = threads()
	return open(index.OpenLive(dir, made, o))
}

// Memory returns an empty index in memory, which is gone when it is closed. The error is ErrInvalid.
func (s Settings) Memory() (*Index, error) {
	made, o, err := s.plan()
	if err != nil {
		return nil, err
	}
	o.Threads = threads()
	return open(index.NewMemory(made, o))
}

func (s Settings) isZero() bool {
	return s.Near.near.Kind == nil && s.Features == "" && s.Language == "" && s.Preset == "" && len(s.Fields) == 0 && !s.Passages && !s.Forget
}

// plan returns how an index is made.
func (s Settings) plan() (made analysis.Settings, o index.WriterOptions, err error) {
	p, err := analysis.ParsePreset(s.Preset)
	if err == nil && p.Name != "" && s.Features != "" {
		err = errors.New("a preset chooses the features: leave out Features or Preset")
	}
	if err = errors.Join(err, s.Near.check()); err != nil {
		return made, o, fmt.Errorf("%w: settings: %w", ErrInvalid, err)
	}
	of := service.Settings{Features: s.Features, Fields: s.Fields, Passages: s.Passages, Jaccard: p.Jaccard, K: p.K}
	switch near := s.Near.near; near.Kind {
	case index.Jaccard:
		of.Jaccard, of.Copy, of.K = near.Threshold, 0, 0
	case index.Distance:
		of.Jaccard, of.Copy, of.K = 0, 0, max(near.Distance, 1)
	case index.Copy:
		of.Copy, of.Jaccard, of.K = near.Threshold, 0, 0
	case index.Contained:
		return made, o, fmt.Errorf("%w: settings: no index is made for Contained: ask for it in Options", ErrInvalid)
	}
	if s.Forget {
		of.Keep = index.KeepNothing.String()
	}
	if made, o, err = of.Plan(); err != nil {
		return made, o, fmt.Errorf("%w: settings: %w", ErrInvalid, err)
	}
	if p.Name != "" {
		with := p.Over(made)
		if with.Mode != made.Mode {
			return made, o, fmt.Errorf("%w: settings: the preset %s is for another measure than Near", ErrInvalid, p.Name)
		}
		made, o.Search.Preset = with, p.Name
	}
	made.Language = cmp.Or(s.Language, made.Language)
	made = made.Canonical()
	if err = made.Validate(); err != nil {
		return made, o, fmt.Errorf("%w: settings: %w", ErrInvalid, err)
	}
	return made, o, nil
}

func threads() int { return runtime.GOMAXPROCS(0) }

func open(live *index.Live, err error) (*Index, error) {
	if err != nil {
		return nil, err
	}
	door, err := gate.New(live, 0)
	if err != nil {
		return nil, errors.Join(err, live.Close())
	}
	ix := &Index{door: door}
	err = ix.door.See(func(v *gate.View) error {
		ix.query, ix.fields = index.Default(v.Settings(), v.Search()), v.Input()
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, door.Close())
	}
	return ix, nil
}
