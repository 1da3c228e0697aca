package objects

import (
	"strings"
	"testing"
)

// A name that is taken for one of an object comes back from its parts, and no part leads to another bucket.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"s3://bucket/key", "s3://bucket", "s3://bucket/", "s3://b/../c", "s3://buck..et/a", "S3://bucket/a",
		"s3:/bucket/a", "/s3://a", "s3://bucket//a/./../b?x#y%2f"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		bucket, key, err := parse(name)
		if err != nil {
			return
		}
		if !Is(name) || strings.TrimSuffix(Scheme+bucket+"/"+key, "/") != strings.TrimSuffix(name, "/") {
			t.Errorf("%q has the bucket %q and the key %q", name, bucket, key)
		}
		if strings.ContainsAny(bucket, "/?#%@:\\ ") || strings.Contains(bucket, "..") || len(bucket) < 3 {
			t.Errorf("%q has the bucket %q", name, bucket)
		}
		if below, ok := Below(Join(name, "x"), name); !ok || below != "x" {
			t.Errorf("%q: %q %v", name, below, ok)
		}
	})
}
