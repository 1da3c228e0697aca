package hugepage

import "golang.org/x/sys/unix"

// advise collapses p, whole huge pages, into huge pages at once. The system collapses only what
// has a page already, so one word of each is touched before. A refusal costs speed alone.
func advise(p []byte) {
	for at := 0; at < len(p); at += size {
		p[at] = 0
	}
	_ = unix.Madvise(p, unix.MADV_COLLAPSE)
}
