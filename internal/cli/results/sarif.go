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
// is a result: at its file and its lines, with some of the others. It has two fingerprints. That of the file and of the
// title of the document is for hosts, which know it again when lines have been added before it or in it. That of the
// text says which documents an earlier log has.
type SARIF struct {
	shower  Shower
	file    *disk.Atomic    // nil if no log is written
	between string          // what is before the next result
	earlier map[string]bool // fingerprints of texts in earlier logs; nil without any
	had     map[string]int  // how many results have the same file and title, or the same text
}

// CreateSARIF begins a log, which is there when End returns. Without a file, groups are compared with those of earlier
// logs, and nothing is written. earlier is what EarlierSARIF returns, or nil. It takes over the texts.
func CreateSARIF(file string, earlier map[string]bool, texts Texts) (_ *SARIF, err error) {
	s := &SARIF{shower: Shower{Texts: texts}, between: sarifBegins, earlier: earlier, had: map[string]int{}}
	if file != "" {
		if s.file, err = disk.CreateAtomic(disk.OS, file); err != nil {
			s.Close()
		}
	}
	return s, err
}

// EarlierSARIF returns the fingerprints of the texts in logs that CreateSARIF has made, or nil if there is no name.
func EarlierSARIF(names []string) (texts map[string]bool, err error) {
	for _, name := range names {
		text, err := disk.ReadNamed(name, mostEarlier)
		if err != nil {
			return nil, err
		}
		var log struct {
			Runs []struct {
				Results []struct{ PartialFingerprints map[string]string }
			}
		}
		bad := json.Unmarshal(text, &log) != nil || log.Runs == nil
		if texts == nil {
			texts = map[string]bool{}
		}
		for _, run := range log.Runs {
			for _, r := range run.Results {
				of := r.PartialFingerprints[textPrint]
				texts[of], bad = true, bad || of == ""
			}
		}
		if bad {
			return nil, fmt.Errorf("%s: want a SARIF log that groups --out has written", terminal.Plain(name))
		}
	}
	return texts, nil
}

const (
	sarifBegins = `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{` +
		`"name":"simsearch","rules":[{"id":"near-duplicate","shortDescription":{"text":"A copy, perhaps changed"}}]}},"results":[` + "\n"
	titlePrint, textPrint = "primaryLocationLineHash", "text/v1"
	mostEarlier           = 1 << 28 // bytes of an earlier log
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

// print returns the fingerprint of a text, or of a name: its hash, and how many results have had the same.
func (s *SARIF) print(text string) string {
	hash := fmt.Sprintf("%016x", murmur3.Sum64([]byte(text)))
	s.had[hash]++
	return fmt.Sprint(hash, ":", s.had[hash])
}

// add writes the results of a group, and reports whether one of its documents is in no earlier log.
func (s *SARIF) add(x group) (fresh bool, err error) {
	titles, texts, places := make([]string, len(x.ids)), make([]string, len(x.ids)), make([]object, len(x.ids))
	for i, id := range x.ids {
		text, err := s.shower.text(x.docs[i])
		title := s.shower.title(text)
		if errors.Is(err, index.ErrNoText) {
			text, title = id, id
		} else if err != nil {
			return fresh, err
		}
		at, file := place(id)
		titles[i], texts[i], places[i] = s.print(file+"\x00"+title), s.print("\x00"+text), at
		fresh = fresh || !s.earlier[texts[i]]
	}
	if s.file == nil {
		return fresh, nil
	}
	for i, at := range places {
		others, links := []object{}, []string{}
		for j, other := range x.ids[:min(len(x.ids), mostRelated+1)] {
			if j != i && len(others) < mostRelated {
				others = append(others, object{"id": j + 1, "physicalLocation": places[j]})
				links = append(links, fmt.Sprintf("[%s](%d)", linked.Replace(terminal.Terminal.Text(other)), j+1))
			}
		}
		more := terminal.If(len(x.ids)-1 > len(links), " and more")
		told := terminal.Plural(len(x.ids)-1, "other") + " near: " + strings.Join(links, ", ") + more
		is := object{
			"ruleId": "near-duplicate", "message": object{"text": told},
			"locations": []object{{"physicalLocation": at}}, "relatedLocations": others,
			"partialFingerprints": object{titlePrint: titles[i], textPrint: texts[i]},
		}
		if s.earlier != nil {
			is["baselineState"] = map[bool]string{true: "unchanged", false: "new"}[s.earlier[texts[i]]]
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
