package results

import (
	"bufio"
	"context"
	"io"

	"simsearch/internal/files/prints"
	"simsearch/internal/index"
)

// PrintBinary writes the fingerprints of an index without their ids, as a file of that extension has them: an array of NumPy, or one after
// the other. It returns the number of documents that have none.
func PrintBinary(ctx context.Context, ix *index.Snapshot, w io.Writer, extension string) (without int, err error) {
	layout, _ := prints.LayoutOf(extension)
	out := bufio.NewWriterSize(w, 1<<20)
	if extension == prints.Array {
		layout = prints.ArrayLayout(ix.Settings().Bits)
		n := int64(0)
		if _, err := eachFingerprint(ctx, ix, func([]byte) error { n++; return nil }, layout); err != nil {
			return 0, err
		}
		if _, err := out.Write(prints.NPYHeader(n, layout)); err != nil {
			return 0, err
		}
	}
	without, err = eachFingerprint(ctx, ix, func(raw []byte) error {
		_, err := out.Write(raw)
		return err
	}, layout)
	if err != nil {
		return without, err
	}
	return without, out.Flush()
}

// eachFingerprint calls do with each fingerprint, in the order of the collection. do must not keep it.
func eachFingerprint(ctx context.Context, ix *index.Snapshot, do func(raw []byte) error, as prints.Layout) (without int, err error) {
	var raw []byte
	for doc := range uint32(ix.Len()) {
		if doc%4096 == 0 && ctx.Err() != nil {
			return without, context.Cause(ctx)
		}
		fp, ok, err := ix.Long(doc)
		if err != nil {
			return without, err
		}
		if !ok {
			without++
			continue
		}
		raw = as.Append(raw[:0], &fp)
		if err := do(raw); err != nil {
			return without, err
		}
	}
	return without, nil
}
