package server

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"simsearch/internal/operations"
)

// OpenAPI returns the document that describes the operations, made of their table and of the types of requests and answers.
func OpenAPI(version string, tokens bool) *huma.OpenAPI {
	api := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "simsearch", Version: version,
			Description: "Near-duplicate search: what is near a text, and whether a text is new. A batch is one JSON value a line; its answer has a line for each, in the same order.",
		},
		Components: &huma.Components{Schemas: operations.Schemas},
	}
	if tokens {
		api.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
		api.Security = []map[string][]string{{"token": {}}}
	}
	failure := operations.SchemaOf(reflect.TypeFor[operations.Failure](), true)
	for i := range operations.All {
		api.AddOperation(describe(&operations.All[i], failure))
	}
	for _, probe := range []string{"/healthz", "/readyz"} {
		api.AddOperation(&huma.Operation{
			OperationID: probe[1:], Method: http.MethodGet, Path: probe, Summary: map[string]string{
				"/healthz": "say whether each collection answers a query", "/readyz": "say whether requests should come here",
			}[probe], Security: []map[string][]string{},
			Responses: map[string]*huma.Response{"200": answerOf("it does", "application/json", &huma.Schema{}), "503": answerOf("it does not", "application/json", failure)},
		})
	}
	return api
}

func answerOf(about, kind string, schema *huma.Schema) *huma.Response {
	return &huma.Response{Description: about, Content: map[string]*huma.MediaType{kind: {Schema: schema}}}
}

// describe returns what the document says of an operation.
func describe(o *operations.Operation, failure *huma.Schema) *huma.Operation {
	op := &huma.Operation{
		OperationID: o.Name, Method: o.Method, Path: o.Path, Summary: o.About,
		Responses: map[string]*huma.Response{"default": answerOf("an error", "application/json", failure)},
	}
	text := &huma.Schema{Type: huma.TypeString}
	for _, name := range []string{"name", "id"} {
		if strings.Contains(o.Path, "{"+name+"}") {
			op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "path", Required: true, Schema: text})
		}
	}
	if o.Request != nil && o.InQuery {
		schema := operations.SchemaOf(o.Request, false)
		for _, f := range reflect.VisibleFields(o.Request) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if property := schema.Properties[name]; property != nil {
				op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "query", Schema: property, Description: property.Description})
			}
		}
	} else if o.Request != nil {
		schema := operations.SchemaOf(o.Request, true)
		op.RequestBody = &huma.RequestBody{Required: o.Name != "create", Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
		if o.Lines {
			op.RequestBody.Content["application/x-ndjson"] = &huma.MediaType{Schema: text}
		}
	}
	if o.Name == "check-and-add" {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "Idempotency-Key", In: "header", Schema: text,
			Description: "the answer to a request of this key is that of the first one, for a day",
		})
	}
	for _, status := range o.Statuses {
		r := &huma.Response{Description: o.About}
		if o.Answer != nil {
			schema := operations.SchemaOf(o.Answer, true)
			r.Content = map[string]*huma.MediaType{}
			if !o.Streams {
				r.Content["application/json"] = &huma.MediaType{Schema: schema}
			}
			if o.Lines || o.Streams {
				r.Content["application/x-ndjson"] = &huma.MediaType{Schema: text}
			}
		}
		op.Responses[strconv.Itoa(status)] = r
	}
	return op
}

// openAPI returns what answers with the document.
func (s *Server) openAPI() http.Handler {
	body, err := json.Marshal(OpenAPI(s.o.Version, s.o.Tokens != nil))
	if err != nil {
		panic(err) // the table is constant
	}
	body = append(body, '\n')
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeHeader(w.Header(), jsonType, len(body))
		_, _ = w.Write(body) // an error is of the client's connection
	})
}
