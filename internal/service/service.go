package service

import (
	"context"
	"io"
)

// Options say what a Service serves.
type Options struct {
	// Data is the directory of collections, each a directory with an index; "" if there is Index or Mounts alone.
	Data string
	// Index is the directory of an index that is the collection "default".
	Index string
	// Mounts are read-only collections: the name of each, and the directory of its index, which is followed when it grows or is
	// replaced by another one.
	Mounts map[string]string
	// ReadOnly says that nothing is changed: all collections are followed as mounted ones are.
	ReadOnly bool
	// Memory is about how many bytes all collections take; 0 is half of what the machine has.
	Memory int64
	// Threads is the number of goroutines of one operation; 0 is the number of processors.
	Threads int
}

// A Service is collections, and what can be done with them. It is safe for concurrent use. The errors of its methods are an *Error.
type Service struct{}

// Open opens the collections.
func Open(o Options) (*Service, error) { return &Service{}, nil }

// Close ends what is done in the background, makes all changes durable, and releases the indexes.
func (s *Service) Close() error { return nil }

func notYet() error { return Errorf(Internal, "", "not yet") }

// List describes the collections, by name.
func (s *Service) List(ctx context.Context) ([]Info, error) { return nil, notYet() }

// Create makes a collection, or finds one of these settings.
func (s *Service) Create(ctx context.Context, name string, st *Settings) (info Info, created bool, err error) {
	return info, false, notYet()
}

// Drop removes a collection.
func (s *Service) Drop(ctx context.Context, name string) error { return notYet() }

// Info describes a collection.
func (s *Service) Info(ctx context.Context, name string) (Info, error) { return Info{}, notYet() }

// Near finds what is near a query.
func (s *Service) Near(ctx context.Context, name string, r *NearRequest) (*NearAnswer, error) {
	return nil, notYet()
}

// NearAll finds what is near each query of a batch.
func (s *Service) NearAll(ctx context.Context, name string, rs []NearRequest) ([]NearAnswer, error) {
	return nil, notYet()
}

// CheckAndAdd adds documents unless something is near them.
func (s *Service) CheckAndAdd(ctx context.Context, name, key string, rs []CheckRequest) ([]CheckAnswer, error) {
	return nil, notYet()
}

// Put adds documents, which take the places of those with their ids.
func (s *Service) Put(ctx context.Context, name string, docs []Document) ([]Outcome, error) {
	return nil, notYet()
}

// Delete deletes documents.
func (s *Service) Delete(ctx context.Context, name string, ids []string) ([]Outcome, error) {
	return nil, notYet()
}

// Document returns a document.
func (s *Service) Document(ctx context.Context, name, id string) (*Document, error) {
	return nil, notYet()
}

// Compare says how near two texts are, and why.
func (s *Service) Compare(ctx context.Context, name string, r *CompareRequest) (CompareAnswer, error) {
	return nil, notYet()
}

// Groups returns a page of groups of near documents.
func (s *Service) Groups(ctx context.Context, name string, r *GroupsRequest) (*GroupsPage, error) {
	return nil, notYet()
}

// Export writes all documents, a line of JSON each.
func (s *Service) Export(ctx context.Context, name string, w io.Writer) error { return notYet() }

// Health asks a query of each collection.
func (s *Service) Health(ctx context.Context) error { return notYet() }
