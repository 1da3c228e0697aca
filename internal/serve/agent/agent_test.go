package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"simsearch/internal/serve/service"
	"simsearch/internal/tests/testkit"
)

// notes are a Service with documents in memory: near are texts with the same first word.
type notes struct {
	service.API
	collections map[string][]service.Document
}

func (n *notes) List(context.Context) (all []service.Info, err error) {
	for name := range n.collections {
		all = append(all, service.Info{Name: name, Documents: len(n.collections[name]), Settings: service.Settings{Keep: "text"}})
	}
	slices.SortFunc(all, func(a, b service.Info) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func (n *notes) Info(_ context.Context, name string) (service.Info, error) {
	if _, ok := n.collections[name]; !ok {
		return service.Info{}, service.Errorf(service.NotFound, "collection", "there is no collection %s", name)
	}
	return service.Info{Name: name, Settings: service.Settings{Keep: "text"}}, nil
}

func (n *notes) Create(_ context.Context, name string, st *service.Settings) (service.Info, bool, error) {
	n.collections[name] = nil
	return service.Info{Name: name, Settings: *st}, true, nil
}

func (n *notes) match(name, text string) []service.Match {
	matches := []service.Match{}
	one := 1.0
	for _, doc := range n.collections[name] {
		if strings.Fields(*doc.Text)[0] == strings.Fields(text)[0] {
			matches = append(matches, service.Match{ID: doc.ID, Jaccard: &one})
		}
	}
	return matches
}

func (n *notes) Near(ctx context.Context, name string, r *service.NearRequest) (*service.NearAnswer, error) {
	if _, err := n.Info(ctx, name); err != nil {
		return nil, err
	}
	m := n.match(name, *r.Text)
	for i := range m {
		doc, _ := n.Document(ctx, name, m[i].ID)
		m[i].Text = *doc.Text
	}
	return &service.NearAnswer{Matches: m, Total: len(m)}, nil
}

func (n *notes) CheckAndAdd(ctx context.Context, name, _ string, rs []service.CheckRequest) ([]service.CheckAnswer, error) {
	if _, err := n.Info(ctx, name); err != nil {
		return nil, err
	}
	r := rs[0]
	a := service.CheckAnswer{ID: r.ID, New: true}
	if m := n.match(name, *r.Text); len(m) > 0 {
		a.New, a.Match = false, &m[0]
	}
	if a.New || r.IfNear == "link" {
		n.collections[name] = append(n.collections[name], r.Document)
	}
	return []service.CheckAnswer{a}, nil
}

func (n *notes) Document(_ context.Context, name, id string) (*service.Document, error) {
	for _, doc := range n.collections[name] {
		if doc.ID == id {
			return &doc, nil
		}
	}
	return nil, service.Errorf(service.NotFound, "id", "there is no document %s", id)
}

func (n *notes) Compare(context.Context, string, *service.CompareRequest) (service.CompareAnswer, error) {
	return json.RawMessage(`{"jaccard":0.5}`), nil
}

func (n *notes) Groups(context.Context, string, *service.GroupsRequest) (*service.GroupsPage, error) {
	return &service.GroupsPage{Groups: []service.Group{{Size: 2, Members: []service.Match{{ID: "a"}, {ID: "b"}}}}, Total: 1}, nil
}

// doors are the ways by which an agent reaches the tools.
var doors = map[string]func(t *testing.T, a *Agent) mcp.Transport{
	"a pipe": func(t *testing.T, a *Agent) mcp.Transport {
		in, requests := io.Pipe()
		answers, out := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- a.Serve(t.Context(), in, out) }()
		t.Cleanup(func() {
			if err := <-ended; err != nil {
				t.Errorf("after the end: %v", err)
			}
		})
		return &mcp.IOTransport{Reader: answers, Writer: requests}
	},
	"HTTP": func(t *testing.T, a *Agent) mcp.Transport {
		s := httptest.NewServer(a.Handler())
		t.Cleanup(s.Close)
		return &mcp.StreamableClientTransport{Endpoint: s.URL, DisableStandaloneSSE: true}
	},
}

func connect(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// call returns what a tool answers, as an agent reads it.
func call(t *testing.T, c *mcp.ClientSession, tool, arguments string) string {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return "refused: " + err.Error()
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError {
		return "error: " + text
	}
	return text
}

func TestKeepsNotes(t *testing.T) {
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			c := connect(t, door(t, New(&notes{collections: map[string][]service.Document{}}, Options{Version: "1", Write: true})))
			long := "cats " + strings.Repeat("ä", longestExcerpt)
			for _, step := range []struct{ tool, arguments, want string }{
				{"near", `{"text":"cats"}`, "error: collection: there is none yet, so that nothing is near anything"},
				{"check_and_add", `{"id":"1","text":"cats purr"}`, `{"collection":"default","id":"1","new":true,"kept":true}`},
				{"check_and_add", `{"id":"2","text":"cats meow"}`, `{"collection":"default","id":"2","new":false,"kept":false,"match":{"id":"1","jaccard":1,"text":"cats purr"},"advice":"The`},
				{"check_and_add", `{"id":"2","text":"` + long + `","if_near":"link"}`, `{"collection":"default","id":"2","new":false,"kept":true,"match":{"id":"1","jaccard":1,"text":"cats purr"}}`},
				{"near", `{"text":"cats"}`, `{"collection":"default","matches":[{"id":"1","jaccard":1,"text":"cats purr"},{"id":"2","jaccard":1,"text":"cats ` +
					strings.Repeat("ä", 747) + `… (1506 more bytes; the tool document reads them)"}],"total":2}`},
				{"document", `{"id":"1"}`, `{"id":"1","text":"cats purr"}`},
				{"compare", `{"a":{"id":"1"},"b":{"text":"cats"}}`, `{"jaccard":0.5}`},
				{"groups", `{}`, `{"collection":"default","groups":[{"members":[{"id":"a"},{"id":"b"}],"size":2}],"total":1}`},
				{"create_collection", `{"collection":"notes"}`, `{"name":"notes","documents":0,"bytes":0,"settings":{"keep":"text"}}`},
				{"collections", `{}`, `{"collections":[{"name":"default","documents":2,"bytes":0,"settings":{"keep":"text"}},{"name":"notes",`},
				{"near", `{"text":"cats"}`, "error: collection: which one? There are default, notes"},
				{"near", `{"text":"cats","collection":"no"}`, `error: collection: there is no collection no; there are 2: ["default" "notes"]`},
				{"document", `{"id":"7","collection":"notes"}`, "error: id: there is no document 7"},
				{"near", `{"text":"cats","jaccard":1.5}`, "error: "},
				{"check_and_add", `{"text":"cats","if_near":"perhaps"}`, "error: "},
				{"near", `{"text":"cats","jacard":0.5}`, `error: unknown argument "jacard": did you mean "jaccard"?`},
				{"near", `{"text":"cats","zzz":0.5}`, `error: unknown argument "zzz"`},
				{"drop", `{}`, "refused: "},
			} {
				if got := call(t, c, step.tool, step.arguments); !strings.HasPrefix(got, step.want) {
					t.Errorf("%s %s: got\n%s, want\n%s", step.tool, step.arguments, got, step.want)
				}
			}
		})
	}
}

// The first note makes the collection that it names. Further ones want a collection that there is, since a name may
// be misspelt.
func TestFirstNoteMakesItsCollection(t *testing.T) {
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			c := connect(t, door(t, New(&notes{collections: map[string][]service.Document{}}, Options{Write: true})))
			for _, step := range []struct{ tool, arguments, want string }{
				{"near", `{"text":"cats","collection":"memory"}`, "error: collection: there is no collection memory, and no other yet"},
				{"check_and_add", `{"id":"1","text":"cats purr","collection":"memory"}`, `{"collection":"memory","id":"1","new":true,"kept":true}`},
				{"check_and_add", `{"id":"2","text":"dogs bark","collection":"memroy"}`, `error: collection: there is no collection memroy; there are 1: ["memory"]`},
				{"check_and_add", `{"id":"2","text":"dogs bark"}`, `{"collection":"memory","id":"2","new":true,"kept":true}`},
			} {
				if got := call(t, c, step.tool, step.arguments); !strings.HasPrefix(got, step.want) {
					t.Errorf("%s %s: got\n%s, want\n%s", step.tool, step.arguments, got, step.want)
				}
			}
		})
	}
}

// tools returns the names of the tools that an agent is offered.
func tools(t *testing.T, c *mcp.ClientSession) (names []string) {
	t.Helper()
	all, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range all.Tools {
		names = append(names, tool.Name)
		if tool.Description == "" || tool.InputSchema == nil {
			t.Errorf("the tool %s is not described", tool.Name)
		}
		properties, _ := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
		for at, p := range properties {
			if p.(map[string]any)["description"] == nil {
				t.Errorf("%s of the tool %s is not described", at, tool.Name)
			}
		}
	}
	return names
}

var readingTools = []string{"collections", "compare", "document", "groups", "near"}

func TestWritesOnlyIfAllowed(t *testing.T) {
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			c := connect(t, door(t, New(&notes{}, Options{})))
			if got := tools(t, c); !slices.Equal(got, readingTools) {
				t.Errorf("tools are %v, want %v", got, readingTools)
			}
			if got := call(t, c, "check_and_add", `{"text":"x"}`); !strings.HasPrefix(got, "refused: ") {
				t.Errorf("check_and_add answers %s", got)
			}
		})
	}
}

// TestStops has an agent that stays while the program is told to end.
func TestStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- New(&notes{}, Options{}).Serve(ctx, in, out) }()
	connection, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: answers, Writer: requests}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	stop()
	if err := <-ended; err != nil {
		t.Errorf("got %v", err)
	}
}

// TestAnswersWhatIsPipedIn has an input that ends before its calls have been answered.
func TestAnswersWhatIsPipedIn(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	for id := range 20 {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id+2) + "\n"
	}
	var out strings.Builder
	if err := New(&notes{}, Options{}).Serve(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	for id := range 21 {
		if !strings.Contains(out.String(), fmt.Sprintf(`"id":%d,"result":{`, id+1)) {
			t.Errorf("there is no answer to %d", id+1)
		}
	}
}

// TestBadLines has lines between good ones that are no messages: each gets an error, and what follows is answered.
func TestBadLines(t *testing.T) {
	head := `{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	for line, want := range map[string]string{
		"no json":                     `"id":null,"error":{"code":-32700,`,
		`{"jsonrpc":"2.0","id":7,`:    `"id":null,"error":{"code":-32700,`,
		`{"jsonrpc":"2.0","id":7} {}`: `"id":null,"error":{"code":-32700,`,
		"{\x00}":                      `"id":null,"error":{"code":-32700,`,
		"\xff\xfe":                    `"id":null,"error":{"code":-32700,`,
		`1`:                           `"id":null,"error":{"code":-32600,`,
		`null`:                        `"id":null,"error":{"code":-32600,`,
		`[]`:                          `"id":null,"error":{"code":-32600,`,
		`[{"jsonrpc":"2.0","id":1,"method":"x"}]`: `"id":null,"error":{"code":-32600,`,
		`{}`:                             `"id":null,"error":{"code":-32600,`,
		`{"id":7,"method":"tools/list"}`: `"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}`:                    `"id":null,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":7,"method":5}`:                                     `"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":99,"result":{}}`:                                   ``, // an answer to nothing
		`{"jsonrpc":"2.0","id":7,"method":"none"}`:                                `"id":7,"error":{"code":-32`,
		`{"jsonrpc":"2.0","method":"none"}`:                                       ``,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":5}`:               `"id":7,"error":{"code":-32`,
		strings.Repeat("[", 100_000):                                              `"id":null,"error":{"code":-32700,`,
		`{"jsonrpc":"2.0","id":7,"x":"` + strings.Repeat("a", longestBody) + `"}`: `"id":null,"error":{"code":-32600,`,
		" \t\r": ``,
	} {
		if testkit.Race && len(line) >= longestBody {
			continue // it would take a minute
		}
		begun := time.Now()
		out := &strings.Builder{}
		in := head + line + "\n" + `{"jsonrpc":"2.0","id":"last","method":"tools/list"}` + "\n" + line
		err := New(&notes{}, Options{}).Serve(t.Context(), strings.NewReader(in), out)
		if err != nil || strings.Count(out.String(), want) < 2 && want != "" || !strings.Contains(out.String(), `"id":"last","result":{`) {
			t.Errorf("%.80q: …%s, %v", line, out.String()[min(out.Len(), 600):min(out.Len(), 1000)], err)
		}
		if took := time.Since(begun); took > patience/2 && len(line) < longestBody { // reading a long line takes seconds
			t.Errorf("%.80q: a call has no answer for %v", line, took)
		}
		for answer := range strings.Lines(out.String()) {
			if !json.Valid([]byte(answer)) {
				t.Errorf("%.80q: the answer %.100q is no JSON", line, answer)
			}
		}
	}
}
