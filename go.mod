module simsearch

go 1.26.0

require (
	github.com/bbalet/stopwords v1.0.0
	github.com/clipperhouse/uax29/v2 v2.7.0
	golang.org/x/sys v0.49.0
	golang.org/x/text v0.43.0
)

require (
	github.com/klauspost/compress v1.20.3
	github.com/spaolacci/murmur3 v1.1.0
	github.com/valyala/fastjson v1.6.10
)

require github.com/gofrs/flock v0.13.1
