package syntax

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"
)

const (
	openXML      = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="mc"><w:body>`
	openDocument = `<office:document-content xmlns:office="o" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">` +
		`<office:body><office:text>`
)

func TestAppendOfficeText(t *testing.T) {
	for name, c := range map[string]struct{ part, xml, want string }{
		"runs of a word": {"word/document.xml", openXML + `<w:p><w:r><w:t>pla</w:t></w:r>
			<w:r><w:t xml:space="preserve">giarised &amp; </w:t></w:r>
			<w:r><w:t>so</w:t></w:r></w:p><w:p><w:r><w:t>on</w:t></w:r></w:p></w:body></w:document>`, "plagiarised & so\non\n"},
		"what is deleted, fields, and a box twice": {"word/document.xml", openXML + `<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del>
			<w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>
			<mc:Choice><w:t>-box</w:t></mc:Choice><mc:Fallback><w:t>box</w:t></mc:Fallback></w:p></w:body></w:document>`, "a b c-box\n"},
		"an OpenDocument": {"content.xml", openDocument + `<text:tracked-changes><text:p>old</text:p></text:tracked-changes><text:h>Title</text:h>
			<text:p>a <text:span>b</text:span><text:s/>c<text:line-break/>d</text:p></office:text></office:body></office:document-content>`, "Title\na b c d\n"},
	} {
		if got, err := AppendOfficeText([]byte(">"), zipped(t, c.part, c.xml), 1<<20); err != nil || string(got) != ">"+c.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// What is damaged, something else, or too long once it is unpacked, is an error.
func TestAppendOfficeTextBad(t *testing.T) {
	whole := zipped(t, "word/document.xml", openXML+strings.Repeat("<w:p><w:t>words</w:t></w:p>", 1000)+"</w:body></w:document>")
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x55
		_, _ = AppendOfficeText(nil, damaged, 1<<20) // it does not crash
	}
	for name, c := range map[string]struct {
		file []byte
		most int64
		want error
	}{
		"no archive":  {[]byte("words"), 1 << 20, ErrOffice},
		"a table":     {zipped(t, "xl/workbook.xml", "<a/>"), 1 << 20, ErrOffice},
		"its end":     {whole[:len(whole)-30], 1 << 20, ErrOffice},
		"a large one": {whole, 2000, ErrTooLong},
	} {
		if _, err := AppendOfficeText(nil, c.file, c.most); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := AppendOfficeText(nil, zipped(t, "word/document.xml", openXML+"<w:p>"), 1<<20); err == nil {
		t.Error("no error for XML that is cut")
	}
}

// zipped returns an archive with one part.
func zipped(t *testing.T, name, text string) []byte {
	t.Helper()
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	part, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
