package explorer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"simsearch/internal/match/sequences"
	"simsearch/internal/serve/service"
)

// A fake is collections in memory, whose answers are made the plain way: near is the Jaccard similarity of sets of
// words.
type fake struct {
	service.API // nil: nothing else is asked

	infos []service.Info
	docs  map[string][]service.Document
	err   error // of Health, and of all questions if it is a *service.Error
}

// manyOf returns a fake that says it has more than a page compares.
func manyOf(f *fake) *fake {
	f.infos[0].Documents = mostWeighed + 1
	return f
}

func newFake(name string, docs ...service.Document) *fake {
	f := &fake{docs: map[string][]service.Document{}}
	f.add(service.Info{Name: name, Settings: service.Settings{Jaccard: 0.8, Passages: true, Keep: "text", Fields: []string{"lang"}}}, docs...)
	return f
}

func (f *fake) add(info service.Info, docs ...service.Document) {
	info.Documents = len(docs)
	for _, d := range docs {
		if d.Text != nil {
			info.Bytes += uint64(len(*d.Text))
		}
	}
	f.infos = append(f.infos, info)
	f.docs[info.Name] = docs
}

func document(id, text string) service.Document {
	return service.Document{ID: id, Content: service.Content{Text: &text}, Fields: map[string]any{"lang": "en"}}
}

func (f *fake) Picture(context.Context, string, string, int) (*service.Picture, error) {
	return nil, service.Errorf(service.NotFound, "id", "there are no pictures")
}

func (f *fake) List(context.Context) ([]service.Info, error) { return f.infos, nil }
func (f *fake) Health(context.Context) error                 { return f.err }

func (f *fake) Info(_ context.Context, name string) (service.Info, error) {
	for _, i := range f.infos {
		if i.Name == name {
			return i, nil
		}
	}
	return service.Info{}, service.Errorf(service.NotFound, "", "there is no collection %q", name)
}

func (f *fake) Document(_ context.Context, name, id string) (*service.Document, error) {
	for _, d := range f.docs[name] {
		if d.ID == id {
			return &d, nil
		}
	}
	return nil, service.Errorf(service.NotFound, "id", "there is no document %q", id)
}

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(strings.ToLower(text)) {
		if w = strings.Trim(w, ".,;:!?"); w != "" {
			set[w] = true
		}
	}
	return set
}

func similarity(a, b string) float64 {
	x, y := words(a), words(b)
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(x)+len(y)-both))
}

func textOf(c service.Content) string {
	if c.Text == nil {
		return ""
	}
	return *c.Text
}

func (f *fake) NearAll(ctx context.Context, name string, rs []service.NearRequest) ([]service.NearAnswer, error) {
	var out []service.NearAnswer
	for _, r := range rs {
		a, err := f.nearOne(ctx, name, &r)
		if err != nil {
			return nil, err
		}
		out = append(out, *a)
	}
	return out, ctx.Err()
}

func (f *fake) Near(ctx context.Context, name string, r *service.NearRequest) (*service.NearAnswer, error) {
	return f.nearOne(ctx, name, r)
}

func (f *fake) nearOne(ctx context.Context, name string, r *service.NearRequest) (*service.NearAnswer, error) {
	query := textOf(r.Content)
	if r.ID != "" {
		d, err := f.Document(ctx, name, r.ID)
		if err != nil {
			return nil, err
		}
		query = textOf(d.Content)
	}
	a := &service.NearAnswer{Matches: []service.Match{}, Empty: len(words(query)) == 0}
	nearest := service.Match{}
	for _, d := range f.docs[name] {
		if d.ID == r.ID {
			continue
		}
		text, m := textOf(d.Content), service.Match{ID: d.ID, Fields: map[string]string{"lang": fmt.Sprint(d.Fields["lang"])}}
		if r.WithTexts {
			m.Text = text
		}
		if r.Passages {
			q, t := sequences.NewQuery(sequences.NewText([]byte(query)), sequences.Bounds{Words: 12, Edits: 0.2}), sequences.NewText([]byte(text))
			in, of := 0, 0
			for _, p := range q.Find(t) {
				var shared service.Passage
				shared.Query[0], shared.Query[1] = q.Text.Bytes(p.Query[0], p.Query[1])
				shared.Document[0], shared.Document[1] = t.Bytes(p.Document[0], p.Document[1])
				shared.Words, shared.Edits = p.Words, p.Edits
				m.Passages = append(m.Passages, shared)
				in, of = in+p.Query[1]-p.Query[0], of+p.Document[1]-p.Document[0]
			}
			if len(m.Passages) > 0 {
				share, other := min(1, float64(in)/float64(len(q.Text.Words))), min(1, float64(of)/float64(len(t.Words)))
				m.QueryShare, m.DocumentShare = &share, &other
				a.Matches = append(a.Matches, m)
			}
			continue
		}
		j := similarity(query, text)
		m.Jaccard = &j
		if least := cmp.Or(r.Jaccard, 0.8); j >= least {
			a.Matches = append(a.Matches, m)
		}
		if nearest.Jaccard == nil || j > *nearest.Jaccard {
			nearest = m
		}
	}
	slices.SortStableFunc(a.Matches, func(x, y service.Match) int {
		if x.Jaccard == nil {
			return 0
		}
		return cmp.Compare(*y.Jaccard, *x.Jaccard)
	})
	if r.Nearest > 0 && nearest.ID != "" {
		a.Matches = []service.Match{nearest}
	}
	if a.Total = len(a.Matches); a.Total == 0 && nearest.ID != "" && !a.Empty && !r.Passages {
		a.Nearest = &nearest
	}
	a.Matches = a.Matches[:min(len(a.Matches), cmp.Or(r.Limit, 20))]
	return a, nil
}

func (f *fake) Browse(_ context.Context, name, prefix, cursor string, limit int) (page []service.Document, next string, err error) {
	from, _ := strconv.Atoi(cursor)
	for i := from; i < len(f.docs[name]); i++ {
		if d := f.docs[name][i]; strings.Contains(d.ID, prefix) {
			if len(page) == limit {
				return page, strconv.Itoa(i), nil
			}
			page = append(page, d)
		}
	}
	return page, "", nil
}

func (f *fake) Groups(ctx context.Context, name string, r *service.GroupsRequest) (*service.GroupsPage, error) {
	p := &service.GroupsPage{Histogram: make([]int, 101)}
	done := map[string]bool{}
	for _, d := range f.docs[name] {
		if done[d.ID] {
			continue
		}
		a, err := f.nearOne(ctx, name, &service.NearRequest{ID: d.ID, Nearness: r.Nearness, Limit: 1000})
		if err != nil {
			return nil, err
		}
		least := 1.0
		g := service.Group{Members: []service.Match{{ID: d.ID}}, Jaccard: &least}
		for _, m := range a.Matches {
			if !done[m.ID] && !strings.HasPrefix(d.ID, m.ID) {
				g.Members = append(g.Members, m)
				least = min(least, *m.Jaccard)
				p.Histogram[int(*m.Jaccard*100)]++
				done[m.ID] = true
			}
		}
		done[d.ID] = true
		if g.Size = len(g.Members); g.Size > 1 && strings.Contains(d.ID, r.Prefix) && (len(r.Where) == 0 || r.Where[0] == "lang=en") {
			p.Groups = append(p.Groups, g)
		}
	}
	slices.SortStableFunc(p.Groups, func(a, b service.Group) int { return cmp.Compare(b.Size, a.Size) })
	p.Total = len(p.Groups)
	from, _ := strconv.Atoi(r.Cursor)
	if r.Of != "" {
		from = len(p.Groups)
	}
	for i := range p.Groups {
		if slices.ContainsFunc(p.Groups[i].Members, func(m service.Match) bool { return m.ID == r.Of }) {
			from = i
		}
		p.Groups[i].Members = p.Groups[i].Members[:min(p.Groups[i].Size, cmp.Or(r.Members, 20))]
	}
	to := min(len(p.Groups), from+cmp.Or(r.Limit, 20))
	if to < len(p.Groups) {
		p.Cursor = strconv.Itoa(to)
	}
	p.Groups = p.Groups[min(from, to):to]
	return p, nil
}
