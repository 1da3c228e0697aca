package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"simsearch/internal/quality/explain"
	"simsearch/internal/serve/service"
)

// A where names a collection.
type where struct {
	Collection string `json:"collection,omitempty" doc:"the collection; it can be left out if there is only one"`
}

// ofCollection is the member of a call that names a collection.
const ofCollection = "collection"

// add adds a tool, which is described by some members of the type of its calls. do gets the name of the collection
// that a call is about, if it is about one.
func add[In any](a *Agent, write bool, tool mcp.Tool, members []string, do func(ctx context.Context, name string, in *In) (any, error)) {
	schema := service.Schema(reflect.TypeFor[In](), members...)
	if limit, ok := schema["properties"].(service.Object)["limit"].(service.Object); ok {
		limit["description"] = "the most of the answer; 10 if it is left out"
	}
	no := false
	tool.InputSchema = schema
	tool.Annotations = &mcp.ToolAnnotations{Title: tool.Title, ReadOnlyHint: !write, OpenWorldHint: &no}
	a.server.AddTool(&tool, func(ctx context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := func() (text []byte, err error) {
			in, err := service.Decode[In](call.Params.Arguments, false)
			if err != nil {
				return nil, err
			}
			var name string
			if slices.Contains(members, ofCollection) {
				name, err = a.collection(ctx, reflect.ValueOf(in[0]).FieldByName("Collection").String(), write)
			}
			if err != nil {
				return nil, err
			}
			out, err := do(ctx, name, &in[0])
			if err != nil {
				return nil, err
			}
			return service.Append(nil, out)
		}()
		result := &mcp.CallToolResult{}
		if err != nil {
			result.SetError(a.told(ctx, err))
			return result, nil
		}
		result.Content, result.StructuredContent = []mcp.Content{&mcp.TextContent{Text: string(answer)}}, json.RawMessage(answer)
		return result, nil
	})
}

// told returns the error that an agent is told of err. If there is no such collection, it names those that there are.
func (a *Agent) told(ctx context.Context, err error) error {
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
	if what, unknown := strings.CutPrefix(message, service.UnknownMember); unknown {
		return errors.New("unknown argument " + what)
	}
	return &service.Error{Code: e.Code, Message: message, Where: e.Where}
}

func (a *Agent) addReading() {
	add(a, false, mcp.Tool{Name: "near", Title: "Find near texts",
		Description: "Find documents that are near-duplicates of a text, or of a document of the collection. The nearest come first, with an excerpt of " +
			"their text. total counts all that are near, beyond limit, too. If nothing is near, nearest is the most similar document that there is. " +
			nearness}, []string{ofCollection, "text", "id", "jaccard", "copy", "contained", "limit", "where"}, a.near)
	add(a, false, mcp.Tool{Name: "compare", Title: "Compare two texts",
		Description: "Say how near two texts are, and why: their Jaccard similarity, what one has of the other, the passages that both have, and " +
			"remarks on numbers, negations and the order of words that differ. Each of a and b is a text, or the id of a document."}, []string{ofCollection, "a", "b"},
		func(ctx context.Context, name string, in *compareIn) (any, error) {
			return a.service.Compare(ctx, name, &in.CompareRequest)
		})
	add(a, false, mcp.Tool{Name: "groups", Title: "List groups of near-duplicates",
		Description: "List groups of documents of a collection that are near-duplicates of each other, the largest group first. The first " +
			"member of a group represents the others. To get the next page, call it again with the cursor of the last one. " + nearness}, []string{ofCollection, "jaccard", "cursor", "limit", "where"}, a.groups)
	add(a, false, mcp.Tool{Name: "document", Title: "Read a document",
		Description: "Read a document of a collection by its id: its whole text, and its fields."}, []string{ofCollection, "id"},
		func(ctx context.Context, name string, in *documentIn) (any, error) {
			return a.service.Document(ctx, name, in.ID)
		})
	add(a, false, mcp.Tool{Name: "collections", Title: "List the collections",
		Description: "List the collections, how many documents each has, and its settings. " +
			"jaccard is the similarity from which on documents of the collection count as near; the default is 0.8."}, []string{},
		func(ctx context.Context, _ string, _ *where) (any, error) {
			all, err := a.service.List(ctx)
			return service.Collections{Collections: append([]service.Info{}, all...)}, err
		})
}

func (a *Agent) addWriting() {
	add(a, true, mcp.Tool{Name: "check_and_add", Title: "Keep a text unless it is known",
		Description: "Keep a text as a document, unless a near-duplicate of it is kept already. The answer says whether it was new. If it " +
			"was not, match is the nearest document that is kept, with its similarity and an excerpt of its text. With differs, the texts have " +
			"other numbers, negations, symbols, names or words, and both are kept. Else nothing has changed: decide then whether your text says more. To keep it beside the other, call it again with if_near=link; to keep it in the other's place, with " +
			"if_near=replace; never to keep it beside one, with if_near=reject. " + nearness}, []string{ofCollection, "text", "id", "fields", "jaccard", "if_near"}, a.checkAndAdd)
	add(a, true, mcp.Tool{Name: "create_collection", Title: "Make a collection",
		Description: "Make a collection, such as notes. A collection of this name with the same settings is left as it is."}, []string{ofCollection, "jaccard"},
		func(ctx context.Context, name string, in *createIn) (any, error) {
			info, _, err := a.service.Create(ctx, name, &service.Settings{Keep: "text", Jaccard: in.Jaccard})
			return info, err
		})
}

// nearness says what is near.
const nearness = "Near is by words: jaccard is the share of the words of both texts that they have in common. 1 is the same words, 0.8 " +
	"a text with a few changes, 0.5 a text that was rewritten in part; unrelated texts have less than 0.2."

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
	service.NearRequest
}

type nearOut struct {
	Collection string `json:"collection"`
	*service.NearAnswer
}

func (a *Agent) near(ctx context.Context, name string, in *nearIn) (any, error) {
	in.Limit, in.WithTexts = cmp.Or(in.Limit, 10), true
	if in.ID != "" && in.Text != nil && *in.Text == "" { // agents fill in members that they do not need
		in.Text = nil
	}
	answer, err := a.service.Near(ctx, name, &in.NearRequest)
	if err != nil {
		return nil, err
	}
	for i := range answer.Matches {
		show(&answer.Matches[i])
	}
	if answer.Nearest != nil {
		show(answer.Nearest)
	}
	return nearOut{name, answer}, nil
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
	service.CheckRequest
}

// A checkOut is the answer, whether the text is kept now, under the id, and what to do otherwise.
type checkOut struct {
	Collection string          `json:"collection"`
	ID         string          `json:"id"`
	New        bool            `json:"new"`
	Kept       bool            `json:"kept"`
	Match      *service.Match  `json:"match,omitempty"`
	Differs    []string        `json:"differs,omitempty"`
	Verdict    explain.Verdict `json:"verdict,omitempty"`
	Advice     string          `json:"advice,omitempty"`
}

func (a *Agent) checkAndAdd(ctx context.Context, name string, in *checkIn) (any, error) {
	answers, err := a.service.CheckAndAdd(ctx, name, "", []service.CheckRequest{in.CheckRequest})
	if err != nil {
		return nil, err
	}
	answer := answers[0]
	if answer.Error != nil {
		return nil, answer.Error
	}
	out := checkOut{Collection: name, ID: answer.ID, New: answer.New, Match: answer.Match, Differs: answer.Differs, Verdict: answer.Verdict,
		Kept: answer.New || answer.Differs != nil || in.IfNear == "link" || in.IfNear == "replace"}
	if out.Match != nil {
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
	service.CompareRequest
}

type groupsIn struct {
	where
	service.GroupsRequest
}

type groupsOut struct {
	Collection string `json:"collection"`
	*service.GroupsPage
}

// mostMembers is how many members of a group an agent is told.
const mostMembers = 10

func (a *Agent) groups(ctx context.Context, name string, in *groupsIn) (any, error) {
	in.Limit, in.Members = cmp.Or(in.Limit, 10), mostMembers
	page, err := a.service.Groups(ctx, name, &in.GroupsRequest)
	return groupsOut{name, page}, err
}

type documentIn struct {
	where
	service.DeleteRequest
}

type createIn struct {
	Collection string  `json:"collection" doc:"the name: letters, digits, - and _"`
	Jaccard    float64 `json:"jaccard,omitempty" minimum:"0" maximum:"1" doc:"the similarity from which on texts count as near; 0.5 for notes that may be reworded"`
}
