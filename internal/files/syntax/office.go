package syntax

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"simsearch/internal/files/inputs"
)

// ErrOffice marks a file that is no document of a word processor in a zip archive.
var ErrOffice = errors.New("no document of a word processor")

// officeParts are the parts of an archive that hold the text: of Office Open XML (.docx), and of OpenDocument (.odt).
var officeParts = []string{"word/document.xml", "content.xml"}

// AppendOfficeText appends the text of a document of a word processor to dst: of a file in Office Open XML or
// OpenDocument, a paragraph a line. What a tracked change has deleted is left out. The error is ErrTooLong if the
// part that holds the text has more than most bytes.
func AppendOfficeText(dst, file []byte, most int64) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return dst, fmt.Errorf("%w: %w", ErrOffice, err)
	}
	for _, name := range officeParts {
		part, err := archive.Open(name)
		if err != nil {
			continue
		}
		xml, err := io.ReadAll(io.LimitReader(part, most+1))
		switch err = errors.Join(err, part.Close()); {
		case int64(len(xml)) > most:
			return dst, ErrTooLong
		case err != nil:
			return dst, fmt.Errorf("%s: %w", name, err)
		}
		if dst, err = appendOfficeXML(dst, xml); err != nil {
			return dst, fmt.Errorf("%s: %w", name, err)
		}
		return dst, nil
	}
	return dst, ErrOffice
}

// appendOfficeXML appends the text of one part. Office Open XML has it in elements t, OpenDocument in paragraphs p and
// headings h, whatever lies in these.
func appendOfficeXML(dst, part []byte) ([]byte, error) {
	const openDocument = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
	part, _, err := inputs.Decode(part, "", true)
	if err != nil {
		return dst, err
	}
	d := xml.NewDecoder(bytes.NewReader(part))
	d.CharsetReader = func(_ string, part io.Reader) (io.Reader, error) { return part, nil } // it is in UTF-8 by now
	inText := 0                                                                              // elements around that have text
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			open := token.Name.Space == openDocument
			switch name := token.Name.Local; {
			case name == "Fallback", open && name == "tracked-changes", name == "annotation": // the same again, what is gone, a remark
				if err := d.Skip(); err != nil {
					return dst, err
				}
			case name == "t", open && (name == "p" || name == "h"):
				inText++
			case name == "tab", name == "s", name == "br", name == "cr", name == "line-break":
				dst = append(dst, ' ')
			case name == "noBreakHyphen":
				dst = append(dst, '-')
			}
		case xml.EndElement:
			open := token.Name.Space == openDocument
			switch name := token.Name.Local; {
			case name == "t":
				inText--
			case name == "p", open && name == "h":
				dst = append(dst, '\n')
				if open {
					inText--
				}
			}
		case xml.CharData:
			if inText > 0 {
				dst = append(dst, token...)
			}
		}
	}
}
