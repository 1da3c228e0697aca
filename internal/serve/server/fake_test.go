package server

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"simsearch/internal/serve/service"
)

// A fake is a service in memory, in which texts are near if they are equal. The collection "slow" takes its time,
// "stuck" answers nothing before the request is given up, "damaged" has errors, and "panics" panics.
type fake struct {
	mu        sync.Mutex
	documents map[string]service.Document
	running   atomic.Int64
	most      atomic.Int64 // that ran at once
	slow      time.Duration
	health    func(context.Context) error // nil is sound
}

func newFake() *fake {
	return &fake{documents: map[string]service.Document{}, slow: 20 * time.Millisecond}
}

var _ service.API = (*service.Service)(nil)

// enter says what becomes of a request for a collection.
func (f *fake) enter(ctx context.Context, name string) error {
	n := f.running.Add(1)
	defer f.running.Add(-1)
	for most := f.most.Load(); n > most && !f.most.CompareAndSwap(most, n); most = f.most.Load() {
	}
	switch name {
	case "default":
		return nil
	case "slow":
		time.Sleep(f.slow)
		return nil
	case "stuck":
		<-ctx.Done()
		return ctx.Err()
	case "damaged":
		return io.ErrUnexpectedEOF
	case "panics":
		panic("a bug")
	}
	return service.Errorf(service.NotFound, "name", "there is no collection %s", name)
}

func (f *fake) List(context.Context) ([]service.Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return []service.Info{{Name: "default", Documents: len(f.documents)}, {Name: "slow"}}, nil
}

func (f *fake) Create(ctx context.Context, name string, _ *service.Settings) (service.Info, bool, error) {
	if name == "new" {
		return service.Info{Name: name}, true, nil
	}
	return service.Info{Name: name}, false, f.enter(ctx, name)
}
func (f *fake) Drop(ctx context.Context, name string) error { return f.enter(ctx, name) }
func (f *fake) Info(ctx context.Context, name string) (service.Info, error) {
	return service.Info{Name: name}, f.enter(ctx, name)
}

func (f *fake) Near(ctx context.Context, name string, r *service.NearRequest) (*service.NearAnswer, error) {
	if err := f.enter(ctx, name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	a := &service.NearAnswer{Matches: []service.Match{}}
	one := 1.0
	for _, d := range f.documents {
		if r.Text != nil && d.Text != nil && *d.Text == *r.Text {
			a.Matches = append(a.Matches, service.Match{ID: d.ID, Jaccard: &one})
		}
	}
	a.Total = len(a.Matches)
	return a, nil
}

func (f *fake) NearAll(ctx context.Context, name string, rs []service.NearRequest) ([]service.NearAnswer, error) {
	var all []service.NearAnswer
	for i := range rs {
		a, err := f.Near(ctx, name, &rs[i])
		if err != nil {
			return nil, err
		}
		all = append(all, *a)
	}
	return all, nil
}

func (f *fake) CheckAndAdd(ctx context.Context, name, _ string, rs []service.CheckRequest) ([]service.CheckAnswer, error) {
	var all []service.CheckAnswer
	for i := range rs {
		near, err := f.Near(ctx, name, &service.NearRequest{Content: rs[i].Content})
		if err != nil {
			return nil, err
		}
		a := service.CheckAnswer{ID: rs[i].ID, New: near.Total == 0}
		if a.New {
			_, err = f.Put(ctx, name, []service.Document{rs[i].Document})
		} else {
			a.Match = &near.Matches[0]
		}
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func (f *fake) Put(ctx context.Context, name string, docs []service.Document) ([]service.Outcome, error) {
	if err := f.enter(ctx, name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []service.Outcome
	for _, d := range docs {
		if d.Text == nil {
			all = append(all, service.Outcome{ID: d.ID, Error: service.Errorf(service.BadRequest, "text", "is missing")})
			continue
		}
		f.documents[d.ID] = d
		all = append(all, service.Outcome{ID: d.ID, Outcome: "added"})
	}
	return all, nil
}

func (f *fake) Delete(ctx context.Context, name string, ids []string) ([]service.Outcome, error) {
	if err := f.enter(ctx, name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []service.Outcome
	for _, id := range ids {
		o := service.Outcome{ID: id, Outcome: "absent"}
		if _, ok := f.documents[id]; ok {
			o.Outcome = "deleted"
		}
		delete(f.documents, id)
		all = append(all, o)
	}
	return all, nil
}

func (f *fake) Document(ctx context.Context, name, id string) (*service.Document, error) {
	if err := f.enter(ctx, name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	d, ok := f.documents[id]
	if !ok {
		return nil, service.Errorf(service.NotFound, "id", "there is no document %s", id)
	}
	return &d, nil
}

func (f *fake) Compare(ctx context.Context, name string, _ *service.CompareRequest) (service.CompareAnswer, error) {
	return service.CompareAnswer(`{"jaccard":1}`), f.enter(ctx, name)
}

func (f *fake) Groups(ctx context.Context, name string, _ *service.GroupsRequest) (*service.GroupsPage, error) {
	return &service.GroupsPage{Groups: []service.Group{{Members: []service.Match{{ID: "a"}}, Size: 1}}, Total: 1}, f.enter(ctx, name)
}

func (f *fake) Export(ctx context.Context, name string, w io.Writer) error {
	if err := f.enter(ctx, name); err != nil {
		return err
	}
	f.mu.Lock()
	var lines []string
	for _, d := range f.documents {
		line, err := json.Marshal(d)
		if err != nil {
			panic(err)
		}
		lines = append(lines, string(line)+"\n")
	}
	f.mu.Unlock()
	slices.Sort(lines)
	_, err := io.WriteString(w, strings.Join(lines, ""))
	return err
}

func (f *fake) Health(ctx context.Context) error {
	if f.health == nil {
		return nil
	}
	return f.health(ctx)
}
