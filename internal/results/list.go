package results

import (
	"context"
	"encoding/hex"

	"simsearch/fingerprint"
	"simsearch/index"
	"simsearch/internal/terminal"
)

// PrintList prints the id of each document of an index with its fingerprint or, if signatures is set, its
// signature. It returns the number of documents that have none.
func PrintList(ctx context.Context, ix *index.Snapshot, out *terminal.Rows, signatures bool) (without int, err error) {
	of := func(doc uint32) (terminal.Column, bool, error) {
		fp, ok, err := ix.Fingerprint(doc)
		return col("fingerprint", fingerprint.Format(fp, ix.Settings().Bits)), ok, err
	}
	if signatures {
		of = func(doc uint32) (terminal.Column, bool, error) {
			signature, ok, err := ix.Signature(doc)
			return col("signature", hex.EncodeToString(signature)), ok, err
		}
	}
	for doc := range uint32(ix.Len()) {
		if doc%4096 == 0 && ctx.Err() != nil {
			return without, ctx.Err()
		}
		value, ok, err := of(doc)
		if err != nil {
			return without, err
		}
		if !ok {
			without++
			continue
		}
		id, err := ix.ID(doc)
		if err != nil {
			return without, err
		}
		if err := out.Print(col("id", terminal.ID(id)), value); err != nil {
			return without, err
		}
	}
	return without, nil
}
