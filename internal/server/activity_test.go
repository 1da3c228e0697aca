package server

import (
	"net/http"
	"strings"
	"testing"

	"simsearch/internal/report"
	"simsearch/internal/service"
)

// The page is told of each operation how often it was asked for, how often in vain, and how long it took, the most frequent first.
func TestActivity(t *testing.T) {
	t.Parallel()
	var told func() []report.Fact
	r := start(t, filled(), Options{Page: func(activity func() []report.Fact) http.Handler {
		told = activity
		return http.NotFoundHandler()
	}})
	if facts := told(); len(facts) != 1 || facts[0].Name != "running for" {
		t.Errorf("%v is told before anything was asked", facts)
	}
	near := sent{method: "POST", path: "/v1/collections/default/near", body: `{"text":"some text"}`, header: asJSON}
	r.want(t, near, 200, "")
	r.want(t, near, 200, "")
	near.body = "{"
	r.want(t, near, 400, service.BadRequest)
	r.want(t, sent{method: "GET", path: "/v1/collections/default/info"}, 200, "")
	facts := told()
	if len(facts) != 3 || facts[1].Name != "near" || !strings.HasPrefix(facts[1].Value, "3 requests, ") || !strings.HasSuffix(facts[1].Value, " ms each, 1 refused") ||
		facts[2].Name != "info" || !strings.HasPrefix(facts[2].Value, "1 request, ") {
		t.Errorf("%v", facts)
	}
}
