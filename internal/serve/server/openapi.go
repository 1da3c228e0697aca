package server

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"simsearch/internal/serve/service"
)

type object = service.Object

// text is the schema of what is no JSON: a name, or lines.
var text = object{"type": "string"}

// OpenAPI returns the document that describes the operations, made of their table and of the types of requests and
// answers.
func OpenAPI(version string, tokens bool) service.Object {
	schemas, paths := object{}, map[string]object{}
	failure := content(service.SchemaOf(reflect.TypeFor[service.Failure](), schemas))
	add := func(path, method string, described object) {
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path][strings.ToLower(method)] = described
	}
	for i := range service.All {
		o := &service.All[i]
		add(o.Path, o.Method, describe(o, schemas, failure))
	}
	for probe, about := range map[string]string{"/healthz": "say whether each collection answers a query", "/readyz": "say whether requests should come here"} {
		add(probe, http.MethodGet, object{"operationId": probe[1:], "summary": about, "security": []any{}, "responses": object{
			"200": object{"description": "it does", "content": content(object{})},
			"503": object{"description": "it does not", "content": failure},
		}})
	}
	components := object{"schemas": schemas}
	api := object{"openapi": "3.1.0", "paths": paths, "components": components, "info": object{
		"title": "simsearch", "version": version,
		"description": "Near-duplicate search: what is near a text, and whether a text is new. A batch is one JSON value a line; its answer has a line for each, in the same order.",
	}}
	if tokens {
		components["securitySchemes"] = object{"token": object{"type": "http", "scheme": "bearer"}}
		api["security"] = []object{{"token": []any{}}}
	}
	return api
}

// content says which schema a body of JSON has.
func content(schema object) object { return object{"application/json": object{"schema": schema}} }

// describe returns what the document says of an operation.
func describe(o *service.Operation, schemas, failure object) object {
	var parameters []any
	responses := object{"default": object{"description": "an error", "content": failure}}
	op := object{"operationId": o.Name, "summary": o.About, "responses": responses}
	for _, name := range []string{"name", "id"} {
		if strings.Contains(o.Path, "{"+name+"}") {
			parameters = append(parameters, object{"name": name, "in": "path", "required": true, "schema": text})
		}
	}
	if o.Request != nil && o.InQuery {
		parameters = append(parameters, o.Parameters(schemas)...)
	} else if o.Request != nil {
		body := content(service.SchemaOf(o.Request, schemas))
		if o.Lines {
			body["application/x-ndjson"] = object{"schema": text}
		}
		op["requestBody"] = object{"content": body}
		if o.Name != "create" {
			op["requestBody"] = object{"content": body, "required": true}
		}
	}
	if o.Name == "check-and-add" {
		parameters = append(parameters, object{"name": "Idempotency-Key", "in": "header", "schema": text,
			"description": "the answer to a request of this key is that of the first one, for a day"})
	}
	if parameters != nil {
		op["parameters"] = parameters
	}
	for _, status := range o.Statuses {
		response := object{"description": o.About}
		if o.Answer != nil {
			of := object{}
			if !o.Streams {
				of = content(service.SchemaOf(o.Answer, schemas))
			}
			if o.Lines || o.Streams {
				of["application/x-ndjson"] = object{"schema": text}
			}
			response["content"] = of
		}
		responses[strconv.Itoa(status)] = response
	}
	return op
}

// openAPI returns what answers with the document.
func (s *Server) openAPI() http.Handler {
	body, _ := json.Marshal(OpenAPI(s.o.Version, s.o.Tokens != nil)) // which is of strings and numbers
	body = append(body, '\n')
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeHeader(w.Header(), jsonType, len(body))
		_, _ = w.Write(body) // an error is of the client's connection
	})
}
