module simsearch/bench

go 1.26.0

require simsearch v0.0.0

require (
	github.com/spaolacci/murmur3 v1.1.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace simsearch => ../
