package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"simsearch/internal/serve/service"
)

// A where names a collection.
type where struct {
	Collection string `json:"collection,omitempty" jsonschema:"the collection; it can be left out if there is only one"`
}

func (w where) named() string { return w.Collection }

// add adds a tool. do gets the name of the collection that a call is about, if it is about one.
func add[In, Out any](a *Agent, write bool, tool mcp.Tool, change func(*jsonschema.Schema),
	do func(ctx context.Context, name string, in *In) (Out, error)) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // In cannot be written as JSON
	}
	if change != nil {
		change(schema)
	}
	no := false
	tool.InputSchema = schema
	tool.Annotations = &mcp.ToolAnnotations{Title: tool.Title, ReadOnlyHint: !write, OpenWorldHint: &no}
	mcp.AddTool(a.server, &tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		var name string
		var out Out
		var err error
		if of, ok := any(in).(interface{ named() string }); ok {
			name, err = a.collection(ctx, of.named(), write)
		}
		if err == nil {
			out, err = do(ctx, name, &in)
		}
		return read(out), out, a.told(ctx, err)
	})
}

// told returns the error that an agent is told of err. If there is no such collection, it names those that there are.
func (a *Agent) told(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	e, told := service.ErrorOf(err)
	if !told {
		a.log.Printf("a tool failed: %v", err)
	}
	message := e.Message
	if e.Code == service.NotFound && e.Where == "collection" && !strings.HasPrefix(message, noneYet) {
		if names, err := a.names(ctx); err == nil && len(names) == 0 {
			message += ", and no other yet"
		} else if err == nil {
			message = fmt.Sprintf("%s; there are %d: %q", message, len(names), names)
		}
	}
	return &service.Error{Code: e.Code, Message: message, Where: e.Where}
}

// read returns the result of a tool with what the agent reads: the JSON of out, in the order of its fields.
func read(out any) *mcp.CallToolResult {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if e.Encode(out) != nil {
		return nil // the structured content cannot be made of it either, which is reported
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.TrimSuffix(text.String(), "\n")}}}
}

func (a *Agent) addReading() {
	add(a, false, mcp.Tool{Name: "near", Title: "Find near texts",
		Description: "Find documents that are near-duplicates of a text, or of a document of the collection. The nearest come first, with an excerpt of " +
			"their text. total counts all that are near, beyond limit, too. If nothing is near, nearest is the most similar document that there is. " +
			nearness}, bounded, a.near)
	add(a, false, mcp.Tool{Name: "compare", Title: "Compare two texts",
		Description: "Say how near two texts are, and why: their Jaccard similarity, what one has of the other, the passages that both have, and " +
			"remarks on numbers, negations and the order of words that differ. Each of a and b is a text, or the id of a document."}, nil,
		func(ctx context.Context, name string, in *compareIn) (any, error) {
			return a.service.Compare(ctx, name, &service.CompareRequest{A: in.A, B: in.B})
		})
	add(a, false, mcp.Tool{Name: "groups", Title: "List groups of near-duplicates",
		Description: "List groups of documents of a collection that are near-duplicates of each other, the largest group first. The first " +
			"member of a group represents the others. To get the next page, call it again with the cursor of the last one. " + nearness}, bounded, a.groups)
	add(a, false, mcp.Tool{Name: "document", Title: "Read a document",
		Description: "Read a document of a collection by its id: its whole text, and its fields."}, nil,
		func(ctx context.Context, name string, in *documentIn) (*service.Document, error) {
			return a.service.Document(ctx, name, in.ID)
		})
	add(a, false, mcp.Tool{Name: "collections", Title: "List the collections",
		Description: "List the collections, how many documents each has, and its settings. " +
			"jaccard is the similarity from which on documents of the collection count as near; the default is 0.8."}, nil,
		func(ctx context.Context, _ string, _ *struct{}) (service.Collections, error) {
			all, err := a.service.List(ctx)
			return service.Collections{Collections: append([]service.Info{}, all...)}, err
		})
}

func (a *Agent) addWriting() {
	add(a, true, mcp.Tool{Name: "check_and_add", Title: "Keep a text unless it is known",
		Description: "Keep a text as a document, unless a near-duplicate of it is kept already. The answer says whether it was new. If it " +
			"was not, match is the nearest document that is kept, with its similarity and an excerpt of its text. With differs, the texts have " +
			"other numbers, negations, symbols, names or words, and both are kept. Else nothing has changed: decide then whether your text says more. To keep it beside the other, call it again with if_near=link; to keep it in the other's place, with " +
			"if_near=replace; never to keep it beside one, with if_near=reject. " + nearness}, func(schema *jsonschema.Schema) {
		bounded(schema)
		schema.Properties["if_near"].Enum = []any{"reject", "link", "replace"}
	}, a.checkAndAdd)
	add(a, true, mcp.Tool{Name: "create_collection", Title: "Make a collection",
		Description: "Make a collection, such as notes. A collection of this name with the same settings is left as it is."}, bounded, a.create)
}

// nearness says what is near.
const nearness = "Near is by words: jaccard is the share of the words of both texts that they have in common. 1 is the same words, 0.8 " +
	"a text with a few changes, 0.5 a text that was rewritten in part; unrelated texts have less than 0.2."

// bounded sets the bounds of numbers.
func bounded(schema *jsonschema.Schema) {
	for name, most := range map[string]float64{"jaccard": 1, "copy": 1, "contained": 1, "limit": 100} {
		if p := schema.Properties[name]; p != nil {
			least := 0.0
			p.Minimum, p.Maximum = &least, &most
		}
	}
}

// longestExcerpt is how many bytes of a text an answer shows.
const longestExcerpt = 1500

// excerpt returns the beginning of a text.
func excerpt(text string) string {
	if len(text) <= longestExcerpt {
		return text
	}
	end := longestExcerpt
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d more bytes; the tool document reads them)", text[:end], len(text)-end)
}

type nearIn struct {
	where
	Text      string   `json:"text,omitempty" jsonschema:"the text whose near-duplicates are wanted"`
	ID        string   `json:"id,omitempty" jsonschema:"in place of text: the id of a document of the collection"`
	Jaccard   float64  `json:"jaccard,omitempty" jsonschema:"the least similarity that counts as near, if not that of the collection"`
	Copy      float64  `json:"copy,omitempty" jsonschema:"in place of jaccard: near is a text of which one was made from the other with at least this probability, such as 0.5; it finds texts with many mistakes, and leaves out forms about other things"`
	Contained float64  `json:"contained,omitempty" jsonschema:"in place of jaccard: near is a text that has this share of the words of the other, such as 0.9 for quotes of a long text"`
	Limit     int      `json:"limit,omitempty" jsonschema:"the most matches; 10 if it is left out"`
	Where     []string `json:"where,omitempty" jsonschema:"conditions on fields of documents, such as lang=en; all must hold"`
}

type nearOut struct {
	Collection string `json:"collection"`
	service.NearAnswer
}

func (a *Agent) near(ctx context.Context, name string, in *nearIn) (out nearOut, err error) {
	r := &service.NearRequest{ID: in.ID, Limit: cmp.Or(in.Limit, 10), Where: in.Where, WithTexts: true}
	r.Jaccard, r.Copy, r.Contained = in.Jaccard, in.Copy, in.Contained
	if in.Text != "" || in.ID == "" {
		r.Text = &in.Text
	}
	answer, err := a.service.Near(ctx, name, r)
	if err != nil {
		return out, err
	}
	out = nearOut{name, *answer}
	out.Matches = append([]service.Match{}, out.Matches...)
	for i := range out.Matches {
		show(&out.Matches[i])
	}
	if out.Nearest != nil {
		show(out.Nearest)
	}
	return out, nil
}

// show makes a match what an agent is told of it: with an excerpt of its text, and with one measure.
func show(m *service.Match) {
	m.Text = excerpt(m.Text)
	if m.Jaccard != nil || m.Copy != nil || m.Contained != nil {
		m.Distance = nil
	}
}

type checkIn struct {
	where
	Text    string         `json:"text" jsonschema:"the text to keep"`
	ID      string         `json:"id,omitempty" jsonschema:"the id to keep it under; one is made of the text if it is left out"`
	Fields  map[string]any `json:"fields,omitempty" jsonschema:"values to keep with it, if the collection has fields of these names"`
	Jaccard float64        `json:"jaccard,omitempty" jsonschema:"the least similarity that counts as near, if not that of the collection; 0.5 finds notes that were reworded"`
	IfNear  string         `json:"if_near,omitempty" jsonschema:"what to do if something near is kept: reject the text whatever it says, link (keep it beside the other) or replace (keep it in the place of all that are near)"`
}

type checkOut struct {
	Collection string         `json:"collection"`
	ID         string         `json:"id"`
	New        bool           `json:"new" jsonschema:"nothing near was kept"`
	Kept       bool           `json:"kept" jsonschema:"the text is kept now, under id"`
	Match      *service.Match `json:"match,omitempty" jsonschema:"the nearest document that was kept"`
	Differs    []string       `json:"differs,omitempty" jsonschema:"facts in which the text differs from match, for which it is kept"`
	Verdict    string         `json:"verdict,omitempty" jsonschema:"what the text is to match: same, part, form (near, with other facts) or copy"`
	Advice     string         `json:"advice,omitempty"`
}

func (a *Agent) checkAndAdd(ctx context.Context, name string, in *checkIn) (out checkOut, err error) {
	r := service.CheckRequest{IfNear: in.IfNear}
	r.ID, r.Text, r.Fields, r.Jaccard = in.ID, &in.Text, in.Fields, in.Jaccard
	answers, err := a.service.CheckAndAdd(ctx, name, "", []service.CheckRequest{r})
	if err != nil {
		return out, err
	}
	answer := answers[0]
	if answer.Error != nil {
		return out, answer.Error
	}
	out = checkOut{Collection: name, ID: answer.ID, New: answer.New, Differs: answer.Differs, Verdict: string(answer.Verdict),
		Kept: answer.New || answer.Differs != nil || in.IfNear == "link" || in.IfNear == "replace"}
	if out.Match = answer.Match; out.Match != nil {
		if doc, err := a.service.Document(ctx, name, out.Match.ID); err == nil && doc.Text != nil { // it may have been deleted meanwhile
			out.Match.Text = *doc.Text
		}
		show(out.Match)
	}
	if !out.Kept {
		out.Advice = "The text was not kept, since match says the same but for some words. If yours says something that match does not, " +
			"call check_and_add again with if_near=link, or with if_near=replace and a text that has both."
	}
	return out, nil
}

type compareIn struct {
	where
	A service.Side `json:"a" jsonschema:"a text, or the id of a document of the collection"`
	B service.Side `json:"b" jsonschema:"a text, or the id of a document of the collection"`
}

type groupsIn struct {
	where
	Jaccard float64  `json:"jaccard,omitempty" jsonschema:"the least similarity that counts as near, if not that of the collection"`
	Cursor  string   `json:"cursor,omitempty" jsonschema:"where the last page ended"`
	Limit   int      `json:"limit,omitempty" jsonschema:"the most groups of a page; 10 if it is left out"`
	Where   []string `json:"where,omitempty" jsonschema:"conditions on fields of documents, such as lang=en; all must hold"`
}

type groupsOut struct {
	Collection string `json:"collection"`
	service.GroupsPage
}

// mostMembers is how many members of a group an agent is told.
const mostMembers = 10

func (a *Agent) groups(ctx context.Context, name string, in *groupsIn) (out groupsOut, err error) {
	r := &service.GroupsRequest{Cursor: in.Cursor, Limit: cmp.Or(in.Limit, 10), Where: in.Where, Members: mostMembers}
	r.Jaccard = in.Jaccard
	page, err := a.service.Groups(ctx, name, r)
	if err != nil {
		return out, err
	}
	return groupsOut{name, *page}, nil
}

type documentIn struct {
	where
	ID string `json:"id" jsonschema:"the id of the document"`
}

type createIn struct {
	Collection string  `json:"collection" jsonschema:"the name: letters, digits, - and _"`
	Jaccard    float64 `json:"jaccard,omitempty" jsonschema:"the similarity from which on texts count as near; 0.8 if it is left out, 0.5 for notes that may be reworded"`
}

func (in createIn) named() string { return in.Collection }

func (a *Agent) create(ctx context.Context, name string, in *createIn) (service.Info, error) {
	info, _, err := a.service.Create(ctx, name, &service.Settings{Keep: "text", Jaccard: in.Jaccard})
	return info, err
}
