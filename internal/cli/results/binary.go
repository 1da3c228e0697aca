package results

import (
	"bufio"
	"cmp"
	"context"
	"io"

	"simsearch/internal/files/document"
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
		none, err := each(ctx, ix, ix.Long, func(uint32, document.Long) error { return nil })
		if err == nil {
			_, err = out.Write(prints.NPYHeader(int64(ix.Len()-none), layout))
		}
		if err != nil {
			return 0, err
		}
	}
	var raw []byte
	without, err = each(ctx, ix, ix.Long, func(_ uint32, fp document.Long) error {
		raw = layout.Append(raw[:0], &fp)
		_, err := out.Write(raw)
		return err
	})
	return without, cmp.Or(err, out.Flush())
}
