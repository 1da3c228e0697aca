package results

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// SARIF is a log of groups that code hosts show in a review, by version 2.1.0 of the format. Each document of a group
// is a result: at its file and its lines, with some of the others. Its fingerprint is that of the file and of the title
// of the document, so that a host knows it again when lines have been added before it or in it.
type SARIF struct {
	shower  Shower
	file    *disk.Atomic
	between string         // what is before the next result
	known   map[string]int // how many results have a fingerprint
}

// CreateSARIF begins a log, which is there when End returns. It takes over the texts.
func CreateSARIF(file string, texts Texts) (*SARIF, error) {
	to, err := disk.CreateAtomic(disk.OS, file)
	return &SARIF{Shower{Texts: texts}, to, sarifBegins, map[string]int{}}, err
}

const (
	sarifBegins = `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{` +
		`"name":"simsearch","rules":[{"id":"near-duplicate","shortDescription":{"text":"A copy, perhaps changed"}}]}},"results":[` + "\n"
	// mostRelated is how many other documents of a group a result names.
	mostRelated = 10
)

type object = map[string]any

// unitID is the id of a part of a file: its first line, perhaps a column, and its last line.
var unitID = regexp.MustCompile(`(?s)^(.+?):(\d+)(?::\d+)?-(\d+)$`)

// linked makes a text of a link.
var linked = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)

// place returns where a document is, by its id, and its file.
func place(id string) (at object, file string) {
	at, file = object{}, id
	if parts := unitID.FindStringSubmatch(id); parts != nil {
		file, at["region"] = parts[1], object{"startLine": json.Number(parts[2]), "endLine": json.Number(parts[3])}
	}
	at["artifactLocation"] = object{"uri": (&url.URL{Path: file}).String()}
	return at, file
}

// add writes the results of a group.
func (s *SARIF) add(x group) error {
	for i, id := range x.ids {
		shown, err := s.shower.Document(x.docs[i])
		if errors.Is(err, index.ErrNoText) {
			shown.TitleB = id
		} else if err != nil {
			return err
		}
		at, file := place(id)
		name := file + "\x00" + shown.TitleB
		s.known[name]++
		others, links := []object{}, []string{}
		for j, other := range x.ids[:min(len(x.ids), mostRelated+1)] {
			if j != i && len(others) < mostRelated {
				near, _ := place(other)
				others = append(others, object{"id": j + 1, "physicalLocation": near})
				links = append(links, fmt.Sprintf("[%s](%d)", linked.Replace(terminal.Terminal.Text(other)), j+1))
			}
		}
		more := terminal.If(len(x.ids)-1 > len(links), " and more")
		told := terminal.Plural(len(x.ids)-1, "other") + " near: " + strings.Join(links, ", ") + more
		result, err := json.Marshal(object{
			"ruleId": "near-duplicate", "message": object{"text": told},
			"locations": []object{{"physicalLocation": at}}, "relatedLocations": others,
			"partialFingerprints": object{"primaryLocationLineHash": fmt.Sprintf("%016x:%d", murmur3.Sum64([]byte(name)), s.known[name])},
		})
		if err == nil {
			_, err = fmt.Fprintf(s.file, "%s%s", s.between, result)
		}
		if s.between = ",\n"; err != nil {
			return err
		}
	}
	return nil
}

// End makes the log appear.
func (s *SARIF) End() error {
	_, err := s.file.Write([]byte(strings.TrimPrefix(s.between, ",") + "]}]}\n"))
	return cmp.Or(err, s.file.Commit())
}

// Close gives up a log that has not ended, and closes the texts.
func (s *SARIF) Close() {
	s.file.Abort()
	s.shower.Close()
}
