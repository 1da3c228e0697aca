package explorer

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strings"

	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/serve/service"
)

const (
	// addressBytes is the longest text that stands in the address of its page.
	addressBytes = 1500
	// fileBytes is the largest file out of which texts are read.
	fileBytes = 8_000_000
	// mostEntries is how many entries a .zip may have. Most are left out by the number of texts before.
	mostEntries = 20_000
	// notesOfFiles is how many files that are left out are named.
	notesOfFiles = 10
)

// pasted is what a text is called that was pasted.
const pasted = "pasted text"

// ask takes the texts of a form, and leads to the page about them.
func (x *explorer) ask(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	to, err := func() (string, error) {
		info, err := x.svc.Info(r.Context(), name)
		if err = cmp.Or(err, checkQuery(r, "")); err != nil {
			return "", err
		}
		q, err := x.read(w, r, info.Pictures)
		if err != nil {
			return "", err
		}
		if len(q.texts) == 1 && q.texts[0].Name == pasted && len(q.texts[0].Text) <= addressBytes {
			return at(name, "near", "text", q.texts[0].Text), nil
		}
		return at(name, "asked/"+x.kept.keep(q)), nil
	}()
	x.answer(w, r, &view{to: to}, err)
}

// read reads the texts of a form, in memory and within bounds.
func (x *explorer) read(w http.ResponseWriter, r *http.Request, pictures imagehash.Kind) (*inquiry, error) {
	if err := x.enter(r.Context(), patience); err != nil {
		return nil, err
	}
	defer x.leave()
	r.Body = http.MaxBytesReader(w, r.Body, x.o.Upload)
	in := &intake{ctx: r.Context(), pictures: pictures, left: x.o.Unpacked, unpack: x.o.Unpacked, most: x.o.Texts, q: &inquiry{}}
	form, err := r.MultipartReader()
	if err != nil {
		return nil, service.Errorf(service.BadRequest, "", "the form has no texts: send it as multipart/form-data")
	}
	for parts := 0; ; parts++ {
		p, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && parts > mostEntries {
			err = service.Errorf(service.TooLarge, "", "the form has more than %s parts", terminal.Thousands(mostEntries))
		}
		if err == nil {
			err = in.part(p.FormName(), nameOf(p), p)
		}
		if err != nil {
			return nil, x.formError(err)
		}
	}
	in.finish()
	if len(in.q.texts) == 0 && len(in.q.notes) == 0 {
		return nil, service.Errorf(service.BadRequest, "", "there is nothing to look for: paste a text, or choose a file")
	}
	return in.q, nil
}

// nameOf returns the name of the file that a part of a form has, with its folders. It is shown, and names nothing
// on this machine.
func nameOf(p *multipart.Part) string {
	_, says, err := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
	if err != nil {
		return p.FileName()
	}
	return says["filename"]
}

// formError returns what is wrong with a form.
func (x *explorer) formError(err error) error {
	var tooLarge *http.MaxBytesError
	var known *service.Error
	switch {
	case errors.As(err, &tooLarge):
		return service.Errorf(service.TooLarge, "", "that is more than %s at once: ask about some of the files first",
			terminal.Bytes(x.o.Upload))
	case errors.As(err, &known):
		return known
	}
	return service.Errorf(service.BadRequest, "", "the form could not be read: %v", err)
}

// An intake is texts that come out of a form.
type intake struct {
	ctx    context.Context
	q      *inquiry
	left   int64 // bytes that texts may have still
	unpack int64 // bytes that may be unpacked still
	most   int   // texts
	full   bool  // there is more than that
	out    int   // files that were left out

	pictures imagehash.Kind // how files are hashed, which are pictures; 0 if they are texts
}

// part takes a field of a form.
func (in *intake) part(field, file string, from io.Reader) error {
	data, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	switch {
	case file != "" && len(data) > 0:
		return in.file(file, data)
	case field == "text":
		// A browser sends line ends as CR LF.
		if t := strings.ReplaceAll(string(data), "\r\n", "\n"); strings.TrimSpace(t) != "" {
			in.add(text{Name: pasted, Text: strings.ToValidUTF8(t, "\uFFFD")})
		}
	}
	return nil
}

// add adds a text, if there is room.
func (in *intake) add(t text) {
	if in.left -= int64(len(t.Text) + len(t.Picture)); in.left < 0 || len(in.q.texts) >= in.most {
		in.full = true
		return
	}
	in.q.texts = append(in.q.texts, t)
}

// leave leaves a file out, and says why.
func (in *intake) leave(name string, why string) {
	if in.out++; in.out <= notesOfFiles {
		in.q.notes = append(in.q.notes, terminal.Harmless(name)+" was left out: "+why+".")
	}
}

// finish says what else was left out.
func (in *intake) finish() {
	if more := in.out - notesOfFiles; more > 0 {
		in.q.notes = append(in.q.notes, terminal.Plural(more, "more file")+" could not be read as texts.")
	}
	if in.full {
		in.q.notes = append(in.q.notes,
			fmt.Sprintf("Only the first %s are shown: there were more than the page takes at once.",
				terminal.Plural(len(in.q.texts), "text")))
	}
}

// file takes a file, or the files of a .zip.
func (in *intake) file(name string, data []byte) error {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if !bytes.HasPrefix(data, []byte("PK\x03\x04")) || !strings.EqualFold(path.Ext(name), ".zip") {
		return in.texts(name, data)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		in.leave(name, "it is no .zip file that can be read")
		return nil
	}
	if len(z.File) > mostEntries {
		in.leave(name, "it has more than "+terminal.Thousands(mostEntries)+" files")
		return nil
	}
	for _, f := range z.File {
		if in.full || in.ctx.Err() != nil {
			break
		}
		inside := path.Clean("/" + f.Name)
		if f.FileInfo().IsDir() || passedOver(inside) {
			continue
		}
		if err := in.entry(name+inside, f); err != nil {
			return err
		}
	}
	return in.ctx.Err()
}

// passedOver reports whether a file of an archive is what systems put there.
func passedOver(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || part == "__MACOSX" {
			return true
		}
	}
	return false
}

// entry takes a file of an archive. What it says of its size is not believed.
func (in *intake) entry(name string, f *zip.File) error {
	from, err := f.Open()
	if err != nil {
		in.leave(name, "it cannot be unpacked")
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(from, min(fileBytes, in.unpack)+1))
	if closeErr := from.Close(); err != nil || closeErr != nil {
		in.leave(name, "it is damaged")
		return nil
	}
	if in.unpack -= int64(len(data)); in.unpack < 0 {
		in.full = true
		return nil
	}
	return in.texts(name, data)
}

// texts takes the texts of a file, as a collection reads them: a page of HTML is its text, and a record of a table
// or of lines of JSON is a text of its own.
func (in *intake) texts(name string, data []byte) error {
	if len(data) > fileBytes {
		in.leave(name, "it has more than "+terminal.Bytes(fileBytes))
		return nil
	}
	if in.pictures != 0 {
		in.picture(name, data)
		return nil
	}
	o := corpus.Options{Stdin: bytes.NewReader(data), FieldsOptional: true, Lenient: true, MaxDocument: fileBytes,
		Memory: 1 << 30, Context: in.ctx}
	for _, f := range corpus.Formats() {
		if slices.Contains(f.Extensions(), strings.ToLower(path.Ext(name))) {
			o.Format = f
		}
	}
	r, err := corpus.OpenFile(corpus.Stdin, o)
	if err != nil {
		in.leave(name, err.Error())
		return nil
	}
	n, out := 0, in.out
	for d, err := range r.Documents() {
		var bad *corpus.BadError
		switch {
		case errors.As(err, &bad):
			in.leave(name, bad.Err.Error()) // without its name
			continue
		case err != nil && in.ctx.Err() != nil:
			return in.ctx.Err()
		case err != nil:
			in.leave(name, err.Error())
			return nil
		}
		if len(bytes.TrimSpace(d.Text)) == 0 {
			continue
		}
		id := name
		if rest, found := strings.CutPrefix(string(d.ID), "-#"); found {
			id = name + "#" + rest
		} else if string(d.ID) != "-" {
			id = name + " " + string(d.ID)
		}
		in.add(text{Name: id, Text: strings.ToValidUTF8(string(d.Text), "\uFFFD")})
		if n++; in.full {
			return nil
		}
	}
	if n == 0 && in.out == out {
		in.leave(name, "it has no text")
	}
	return nil
}
