package results

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/prints"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/match/lsh"
	"simsearch/tables"
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
		if ix.Settings().Wide() {
			return fmt.Errorf("export --as sql is of fingerprints of 64 or 32 bits, and these have %d: want --as fingerprints", ix.Settings().Bits)
		}
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
		return fmt.Errorf("export --as %q: want one of %s", as, strings.Join(ExportKinds, ", "))
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

// A Relational is an index in relational form: rows of (table, header, document) and of (band, key, document). From these
// rows a database fetches the candidates of a query with an index of its own, as the course notes on near duplicates
// describe. The statements are valid for both SQLite and PostgreSQL. Integers of 64 bits are signed.
type Relational struct {
	c      collection
	tables []tables.Permutation // of the bits, with the header of each table at the top; none without fingerprints
	bands  lsh.Bands
}

// A collection is the part of an index that a Relational needs.
type collection interface {
	Settings() analysis.Settings
	Analysis() *analysis.Analysis
	Len() int
	ID(doc uint32) ([]byte, error)
	Fingerprint(doc uint32) (fp uint64, ok bool, err error)
	Signature(doc uint32) (signature []byte, ok bool, err error)
}

// NewRelational returns the relational form of an index. Its tables are planned for distance k, whatever
// tables the segments have. Its bands are those of the first segment that has any.
func NewRelational(ix *index.Snapshot, k int) *Relational {
	distinct := 0
	var bands lsh.Bands
	for _, s := range ix.Info().Segments {
		distinct += s.Distinct
		if s.Bands != nil && bands.Bands == 0 {
			bands = *s.Bands
		}
	}
	return newRelational(ix, distinct, k, bands)
}

// newRelational returns the form of a collection with the given number of distinct fingerprints.
func newRelational(c collection, distinct, k int, bands lsh.Bands) *Relational {
	f := &Relational{c: c, bands: bands}
	if c.Settings().Fingerprints() {
		f.tables = tables.Choose(c.Settings().Bits, distinct, k, 0).Design.Permutations()
	}
	return f
}

// rowsTogether is how many rows one statement inserts.
const rowsTogether = 500

// Write writes the statements that make the tables, fill them and index them, and a comment that
// explains the queries. No reader of the statements can take an id for a part of them. Ids are
// stored as they are, with one exception: U+FFFD and two hexadecimal digits stand for NUL and for
// each byte that is not UTF-8. U+FFFD itself is doubled where it could be taken for such a byte.
// The error is ErrCorrupt, that of ctx, or that of w.
func (r *Relational) Write(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<20)
	fmt.Fprintf(out, "-- simsearch index: mode %s, %d documents.\n", r.c.Settings().Mode, r.c.Len())
	for line := range strings.Lines(r.Queries()) {
		fmt.Fprintf(out, "-- %s", line)
	}
	fmt.Fprint(out, "\nBEGIN;\n")
	in := &inserter{ctx: ctx, Writer: out}
	in.table("documents", "document BIGINT PRIMARY KEY, id TEXT NOT NULL", r.c.Len(), func(doc uint32) error {
		id, err := r.c.ID(doc)
		in.row("%d, %s", doc, sqlText(id))
		return err
	})
	if r.tables != nil {
		each := func(do func(doc uint32, fp uint64)) func(doc uint32) error {
			return func(doc uint32) error {
				fp, ok, err := r.c.Fingerprint(doc)
				if ok {
					do(doc, fp)
				}
				return err
			}
		}
		in.table("header_masks", "tbl INTEGER PRIMARY KEY, mask BIGINT NOT NULL", len(r.tables), func(t uint32) error {
			in.row("%d, %d", t+1, int64(r.tables[t].Header()))
			return nil
		})
		in.table("fingerprints", "document BIGINT PRIMARY KEY, fingerprint BIGINT NOT NULL", r.c.Len(), each(func(doc uint32, fp uint64) {
			in.row("%d, %d", doc, int64(fp))
		}))
		in.table("headers", "tbl INTEGER NOT NULL, header BIGINT NOT NULL, document BIGINT NOT NULL", r.c.Len(), each(func(doc uint32, fp uint64) {
			for t, p := range r.tables {
				in.row("%d, %d, %d", t+1, header(p, fp), doc)
			}
		}))
		fmt.Fprint(out, "CREATE INDEX headers_by_value ON headers (tbl, header);\n")
	}
	if r.bands.Bands > 0 {
		in.table("bands", "band INTEGER NOT NULL, key BIGINT NOT NULL, document BIGINT NOT NULL", r.c.Len(), func(doc uint32) error {
			signature, ok, err := r.c.Signature(doc)
			for i := range r.bands.Bands {
				if ok {
					in.row("%d, %d, %d", i+1, int64(r.bands.Key(signature, i)), doc)
				}
			}
			return err
		})
		fmt.Fprint(out, "CREATE INDEX bands_by_key ON bands (band, key);\n")
	}
	fmt.Fprint(out, "COMMIT;\n")
	if in.err != nil {
		return in.err
	}
	return out.Flush()
}

// header returns the bits of fp that form its header in a table, moved together.
func header(p tables.Permutation, fp uint64) int64 {
	return int64(p.Apply(fp) >> (p.Width() - p.HeaderBits()))
}

// Queries returns the queries for candidates, in words and in SQL. A ? stands for each value that
// comes from the query.
func (r *Relational) Queries() string {
	var b strings.Builder
	if r.tables != nil {
		fmt.Fprintf(&b, "Candidates of a fingerprint: equal headers in one of %d tables. Header t is the bits of\nthe fingerprint that "+
			"mask t of header_masks has, moved together, the highest first.\n%s\n",
			len(r.tables), candidates("headers", "tbl", "header", len(r.tables)))
	}
	if r.bands.Bands > 0 {
		fmt.Fprintf(&b, "Candidates of a signature: equal keys of one of %v. Key i is the bytes of the band,\nthe first as the highest.\n%s\n",
			r.bands, candidates("bands", "band", "key", r.bands.Bands))
	}
	return b.String()
}

// candidates returns a query for the documents that agree in one of n places.
func candidates(table, place, value string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " OR (%s = %d AND %s = ?)", place, i+1, value)
	}
	return fmt.Sprintf("SELECT DISTINCT document, id FROM %s JOIN documents USING (document) WHERE %s ORDER BY document;",
		table, strings.TrimPrefix(b.String(), " OR "))
}

// An inserter writes tables, many rows per statement. It keeps the first error, and writes nothing after it.
type inserter struct {
	*bufio.Writer
	ctx  context.Context
	name string
	n    int // rows of the statement that is being written
	err  error
}

// table writes a table with the rows that are written for each number up to n.
func (in *inserter) table(name, columns string, n int, rows func(i uint32) error) {
	fmt.Fprintf(in, "CREATE TABLE %s (%s);\n", name, columns)
	in.name = name
	for i := 0; i < n && in.err == nil; i++ {
		if i%(1<<10) == 0 {
			if _, in.err = in.Write(nil); in.err == nil && in.ctx.Err() != nil {
				in.err = context.Cause(in.ctx)
			}
		}
		if in.err == nil {
			in.err = rows(uint32(i))
		}
	}
	in.end()
}

// row adds a row to the table.
func (in *inserter) row(format string, values ...any) {
	if in.n == rowsTogether {
		in.end()
	}
	between := ",\n"
	if in.n == 0 {
		between = "INSERT INTO " + in.name + " VALUES\n"
	}
	in.n++
	fmt.Fprintf(in, between+"("+format+")", values...)
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
