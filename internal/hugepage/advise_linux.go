package hugepage

import "golang.org/x/sys/unix"

// advise asks; a refusal costs speed alone.
func advise(p []byte) { _ = unix.Madvise(p, unix.MADV_HUGEPAGE) }
