package results

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"simsearch/internal/files/document"
	"simsearch/internal/files/prints"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/match/lsh"
)

// ExportKinds are what export writes. The last are extensions of files of fingerprints, without the dot.
var ExportKinds = []string{"fingerprints", "signatures", "sql", "npy", "u64", "u128", "u256"}

// CheckExport returns an error unless export can write a kind of data of an index.
func CheckExport(ix *index.Snapshot, as string, asJSON bool) error {
	switch as {
	case "fingerprints":
		return index.Within(0).Check(ix.Settings())
	case "signatures":
		if !ix.Settings().Signatures() {
			return errors.New("the index has no signatures: make one with --perms 128")
		}
	case "sql":
		if asJSON {
			return errors.New("export --as sql writes SQL, not JSON")
		}
	case "npy", "u64", "u128", "u256":
		if err := index.Within(0).Check(ix.Settings()); err != nil {
			return err
		}
		if asJSON {
			return fmt.Errorf("export --as %s writes numbers in binary, not JSON", as)
		}
		if l, ok := prints.LayoutOf("." + as); ok && l.Check(ix.Settings().Bits) != nil {
			return fmt.Errorf("export --as %s: the fingerprints of the index have %d bits: want --as npy", as, ix.Settings().Bits)
		}
	default:
		near := ints.Closest(as, ExportKinds)
		return fmt.Errorf("export --as%s: want one of %s%s", terminal.If(as != "", " %q", as),
			strings.Join(ExportKinds, ", "), terminal.If(near != "", "; did you mean %s?", near))
	}
	return nil
}

// PrintList prints the id of each document of an index with its fingerprint or, if signatures is set, its
// signature. It returns the number of documents that have none.
func PrintList(ctx context.Context, ix *index.Snapshot, out *terminal.Rows, signatures bool) (without int, err error) {
	of := func(doc uint32) (terminal.Column, bool, error) {
		fp, ok, err := ix.Long(doc)
		return col("fingerprint", prints.Format(&fp, ix.Settings().Bits)), ok, err
	}
	if signatures {
		of = func(doc uint32) (terminal.Column, bool, error) {
			signature, ok, err := ix.Signature(doc)
			return col("signature", hex.EncodeToString(signature)), ok, err
		}
	}
	return each(ctx, ix, of, func(doc uint32, value terminal.Column) error {
		id, err := ix.ID(doc)
		return cmp.Or(err, out.Print(named("id", string(id)), value))
	})
}

// each calls do with what of returns of each document, in the order of the collection. It returns the number of
// documents of which it returns nothing.
func each[T any](ctx context.Context, ix *index.Snapshot, of func(doc uint32) (T, bool, error), do func(doc uint32, of T) error) (without int, err error) {
	for doc := range uint32(ix.Len()) {
		if doc%4096 == 0 && ctx.Err() != nil {
			return without, context.Cause(ctx)
		}
		value, ok, err := of(doc)
		switch {
		case err != nil:
			return without, err
		case !ok:
			without++
			continue
		}
		if err := do(doc, value); err != nil {
			return without, err
		}
	}
	return without, nil
}

// PrintSQL writes an index as statements that make tables, fill them and index them: of the documents, of the pairs
// that are near by what the index is made for, and of the bands of signatures. From rows of (band, key, document) a
// database fetches the candidates of a query with an index of its own, as the course notes on near duplicates describe.
// A comment explains that query. The statements are valid for both SQLite and PostgreSQL. Integers of 64 bits are
// signed.
//
// No reader of the statements can take an id for a part of them. Ids are stored as they are, with one exception: U+FFFD
// and two hexadecimal digits stand for NUL and for each byte that is not UTF-8. U+FFFD itself is doubled where it could
// be taken for such a byte. The errors are those of Pairs, of ctx, and of w.
func PrintSQL(ctx context.Context, ix *index.Snapshot, how index.PairOptions, w io.Writer) error {
	var bands lsh.Bands // of the first segment that has any
	for _, s := range ix.Info().Segments {
		if s.Bands != nil && bands.Bands == 0 {
			bands = *s.Bands
		}
	}
	out := &inserter{Writer: bufio.NewWriterSize(w, 1<<20), ctx: ctx}
	fmt.Fprintf(out, "-- simsearch index: mode %s, %d documents.\n", ix.Settings().Mode, ix.Len())
	if bands.Bands > 0 {
		fmt.Fprintf(out, "-- Candidates of a signature: equal keys of one of %v. Key i is the bytes of the band,\n-- the first as the highest.\n-- %s\n",
			bands, candidates(bands))
	}
	fmt.Fprint(out, "\nBEGIN;\n")
	err := out.documents(ix.Len(), ix.ID)
	near := Nearness{Predicate: index.Default(ix.Settings(), ix.Search())}
	near.WithDistance = near.Kind.Fingerprints
	columns := func(p index.Pair) []terminal.Column {
		return near.AppendColumns([]terminal.Column{col("a", p.A), col("b", p.B)}, ix.Settings(), p.Measures, true)
	}
	if err == nil {
		err = out.table("pairs", columns(index.Pair{}), func() error {
			return ix.Pairs(ctx, near.Predicate, how, func(p index.Pair) error {
				var values []any
				for _, column := range columns(p) {
					values = append(values, column.Value)
				}
				return out.row(values...)
			})
		})
	}
	if err == nil && bands.Bands > 0 {
		err = out.table("bands", []terminal.Column{col("band", 0), col("key", 0), col("document", 0)}, func() error {
			for doc := range uint32(ix.Len()) {
				signature, ok, err := ix.Signature(doc)
				for i := 0; i < bands.Bands && ok && err == nil; i++ {
					err = out.row(i+1, int64(bands.Key(signature, i)), doc)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		fmt.Fprint(out, "CREATE INDEX bands_by_key ON bands (band, key);\n")
	}
	if err != nil {
		return err
	}
	fmt.Fprint(out, "CREATE UNIQUE INDEX documents_by_number ON documents (document);\nCOMMIT;\n")
	return out.Flush()
}

// candidates returns the query for the documents that agree with a signature on one of the bands. A ? stands for each
// of its keys.
func candidates(bands lsh.Bands) string {
	var where []string
	for i := range bands.Bands {
		where = append(where, fmt.Sprintf("(band = %d AND key = ?)", i+1))
	}
	return "SELECT DISTINCT document, id FROM bands JOIN documents USING (document) WHERE " + strings.Join(where, " OR ") + " ORDER BY document;"
}

// An inserter writes tables, many rows a statement.
type inserter struct {
	*bufio.Writer
	ctx  context.Context
	name string
	n    int // rows of the statement that is being written
}

// table writes a table with columns such as those of like, and the rows that fill adds.
func (in *inserter) table(name string, like []terminal.Column, fill func() error) error {
	var columns []string
	for _, c := range like {
		kind := "BIGINT"
		switch c.Value.(type) {
		case terminal.ID:
			kind = "TEXT"
		case float64:
			kind = "DOUBLE PRECISION"
		}
		columns = append(columns, c.Key+" "+kind+" NOT NULL")
	}
	fmt.Fprintf(in, "CREATE TABLE %s (%s);\n", name, strings.Join(columns, ", "))
	in.name = name
	err := fill()
	in.end()
	return err
}

// documents writes the table of documents by their ids.
func (in *inserter) documents(n int, id func(doc uint32) ([]byte, error)) error {
	return in.table("documents", []terminal.Column{col("document", 0), named("id", "")}, func() error {
		for doc := range uint32(n) {
			id, err := id(doc)
			if err := cmp.Or(err, in.row(doc, terminal.ID(id))); err != nil {
				return err
			}
		}
		return nil
	})
}

// rowsTogether is how many rows one statement inserts.
const rowsTogether = 500

// row adds a row to the table. It returns the error of ctx, or that of an earlier write, once a statement.
func (in *inserter) row(values ...any) error {
	if in.n == rowsTogether {
		in.end()
	}
	between := ",\n("
	if in.n == 0 {
		if _, err := in.WriteString("INSERT INTO " + in.name + " VALUES"); err != nil || in.ctx.Err() != nil {
			return cmp.Or(err, context.Cause(in.ctx))
		}
		between = "\n("
	}
	in.n++
	for _, value := range values {
		if id, is := value.(terminal.ID); is {
			value = sqlText([]byte(id))
		}
		fmt.Fprint(in, between, value)
		between = ", "
	}
	return in.WriteByte(')')
}

// end ends the statement that inserts rows, if there is one.
func (in *inserter) end() {
	if in.n > 0 {
		in.n = 0
		fmt.Fprint(in, ";\n")
	}
}

// sqlText returns an SQL expression whose value is an id. The expression is valid for both SQLite
// and PostgreSQL. It has one line, no control character and no backslash, whatever the id contains.
// So no reader can take a part of an id for a command. That includes a shell that reads by lines
// and ends them at a NUL, a shell that takes CR LF for LF, and a server for which a backslash in
// quotes is an escape (standard_conforming_strings = off).
//
// If an id has such characters, ~ and two hexadecimal digits stand for each of them in the literal,
// and for ~ itself. replace restores them: it-~0A-is becomes
//
//	replace('it-~0A-is', '~0A', "char"(10))
//
// In SQLite, "char" is the function that turns a number into a character. In PostgreSQL it is the
// type of one byte, which a number can be cast to. ~ itself is restored last, so that the text
// after it is not taken for digits.
//
// NUL and bytes that are not UTF-8 are not text for these databases. They are written as
// terminal.String does, so that distinct ids stay distinct.
func sqlText(id []byte) string {
	text := string(terminal.String.AppendText(nil, id))
	if strings.IndexFunc(text, escapedInSQL) < 0 {
		return sqlLiteral(text)
	}
	var present [0x80]bool
	var b strings.Builder
	for _, r := range text {
		if r != '~' && !escapedInSQL(r) {
			b.WriteRune(r)
			continue
		}
		present[r] = true
		fmt.Fprintf(&b, "~%02X", r)
	}
	out := sqlLiteral(b.String())
	for r, is := range present {
		if is && r != '~' {
			out = fmt.Sprintf(`replace(%s, '~%02X', "char"(%d))`, out, r, r)
		}
	}
	if present['~'] {
		out = fmt.Sprintf("replace(%s, '~7E', '~')", out)
	}
	return out
}

// escapedInSQL reports whether r cannot stand in a literal that every reader takes literally.
func escapedInSQL(r rune) bool { return r < ' ' || r == 0x7F || r == '\\' }

// sqlLiteral quotes a text that has no backslashes.
func sqlLiteral(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// PrintBinary writes the fingerprints of an index without their ids, as a file of that extension has them: an array
// of NumPy, or one after the other. It returns the number of documents that have none.
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
