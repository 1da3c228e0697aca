package lines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"simsearch/internal/serve/service"
	"simsearch/internal/tests/testkit"
)

// BenchmarkLines has requests for the service, singly and in lists, that come at once.
func BenchmarkLines(b *testing.B) {
	words := testkit.NewWords(1)
	texts := make([]string, 2000)
	for i := range texts {
		texts[i] = words.Text(100)
	}
	for _, op := range []string{"near", "check_and_add"} {
		for _, size := range []int{1, 100} {
			b.Run(fmt.Sprintf("%s/%d", op, size), func(b *testing.B) {
				svc, err := service.Open(service.Options{Data: b.TempDir()})
				if err != nil {
					b.Fatal(err)
				}
				defer svc.Close() //nolint:errcheck // of a benchmark
				if _, _, err := svc.Create(b.Context(), "default", nil); err != nil {
					b.Fatal(err)
				}
				in := &bytes.Buffer{}
				for i := 0; i < b.N; i += size {
					var bodies []string
					for j := range size {
						doc := map[string]string{"text": texts[(i+j)%len(texts)]}
						if op != "near" {
							doc["id"], doc["text"] = fmt.Sprint(i+j), fmt.Sprint(doc["text"], i+j)
						}
						body, err := json.Marshal(doc)
						if err != nil {
							b.Fatal(err)
						}
						bodies = append(bodies, string(body))
					}
					body := bodies[0]
					if size > 1 {
						body = "[" + strings.Join(bodies, ",") + "]"
					}
					fmt.Fprintf(in, `{"id":%d,"op":%q,"body":%s}`+"\n", i, op, body)
				}
				if op == "near" {
					var rs []service.Document
					for i := range texts {
						rs = append(rs, service.Document{ID: fmt.Sprint(i), Content: service.Content{Text: &texts[i]}})
					}
					if _, err := svc.Put(b.Context(), "default", rs); err != nil {
						b.Fatal(err)
					}
				}
				b.ResetTimer()
				if err := Serve(b.Context(), svc, in, io.Discard, Options{}); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
