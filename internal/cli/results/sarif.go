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
	file    *disk.Atomic    // nil if no log is written
	between string          // what is before the next result
	before  map[string]bool // the fingerprints in earlier logs
	had     map[string]int  // how many results have the same file and title
}

// CreateSARIF begins a log, which is there when End returns. Without a file, groups are compared with those of earlier
// logs, and nothing is written. It takes over the texts.
func CreateSARIF(file string, earlier []string, texts Texts) (_ *SARIF, err error) {
	s := &SARIF{shower: Shower{Texts: texts}, between: sarifBegins, before: map[string]bool{}, had: map[string]int{}}
	for i := 0; i < len(earlier) && err == nil; i++ {
		err = s.readEarlier(earlier[i])
	}
	if err == nil && file != "" {
		s.file, err = disk.CreateAtomic(disk.OS, file)
	}
	if err != nil {
		s.Close()
	}
	return s, err
}

// readEarlier reads the fingerprints of a log.
func (s *SARIF) readEarlier(name string) error {
	text, err := disk.ReadNamed(name, mostEarlier)
	if err != nil {
		return err
	}
	var log struct {
		Runs []struct {
			Results []struct {
				PartialFingerprints map[string]string
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil || log.Runs == nil {
		return fmt.Errorf("%s is no SARIF log: name one that groups --out has written", terminal.Plain(name))
	}
	for _, run := range log.Runs {
		for _, r := range run.Results {
			s.before[r.PartialFingerprints[fingerprintName]] = true
		}
	}
	return nil
}

const (
	sarifBegins = `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{` +
		`"name":"simsearch","rules":[{"id":"near-duplicate","shortDescription":{"text":"A copy, perhaps changed"}}]}},"results":[` + "\n"
	fingerprintName = "primaryLocationLineHash"
	mostEarlier     = 1 << 30 // bytes of an earlier log
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

// add writes the results of a group, and reports whether one of its documents is in no earlier log.
func (s *SARIF) add(x group) (fresh bool, err error) {
	prints := make([]string, len(x.ids))
	for i, id := range x.ids {
		shown, err := s.shower.Document(x.docs[i])
		if errors.Is(err, index.ErrNoText) {
			shown.TitleB = id
		} else if err != nil {
			return fresh, err
		}
		_, file := place(id)
		name := file + "\x00" + shown.TitleB
		s.had[name]++
		prints[i] = fmt.Sprintf("%016x:%d", murmur3.Sum64([]byte(name)), s.had[name])
		fresh = fresh || !s.before[prints[i]]
	}
	if s.file == nil {
		return fresh, nil
	}
	for i, id := range x.ids {
		at, _ := place(id)
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
		is := object{
			"ruleId": "near-duplicate", "message": object{"text": told},
			"locations": []object{{"physicalLocation": at}}, "relatedLocations": others,
			"partialFingerprints": object{fingerprintName: prints[i]},
		}
		if len(s.before) > 0 {
			is["baselineState"] = map[bool]string{false: "unchanged", true: "new"}[fresh]
		}
		result, err := json.Marshal(is)
		if err == nil {
			_, err = fmt.Fprintf(s.file, "%s%s", s.between, result)
		}
		if s.between = ",\n"; err != nil {
			return fresh, err
		}
	}
	return fresh, nil
}

// End makes the log appear.
func (s *SARIF) End() error {
	if s.file == nil {
		return nil
	}
	_, err := s.file.Write([]byte(strings.TrimPrefix(s.between, ",") + "]}]}\n"))
	return cmp.Or(err, s.file.Commit())
}

// Close gives up a log that has not ended, and closes the texts.
func (s *SARIF) Close() {
	if s.file != nil {
		s.file.Abort()
	}
	s.shower.Close()
}
