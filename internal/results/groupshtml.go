package results

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"simsearch/index"
	"simsearch/internal/idtext"
	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// page prints a group as a part of a page of HTML, which begins with the first group.
func (p *Groups) page(g index.Group, docs []uint32, ids []string, members []member, now current) error {
	if p.n == 1 {
		page := &report.Page{Command: "simsearch groups", Title: "Groups of near documents", Pictures: p.Pictures != nil}
		if err := page.Begin(p.HTML); err != nil {
			return err
		}
	}
	unverified := ""
	if p.unverified() {
		unverified = "unverified, "
	}
	part := &report.Part{ID: fmt.Sprintf("group-%d", p.n)}
	part.Title = fmt.Sprintf("Group %s: %s, %s%s", terminal.Thousands(p.n), terminal.Plural(len(ids), "document"), unverified, p.extreme(g))
	way := ""
	if now.ok {
		way = p.Current.Keep.Way.String()
		part.Add(report.Current{Way: way, ID: idtext.Terminal.Text(now.id), Value: terminal.Plain(now.value)})
	}
	var list report.Documents
	for i, id := range ids {
		if members != nil && i == len(members) {
			list.More = terminal.Plural(len(ids)-i, "more document")
			break
		}
		picture, err := p.picture(i, docs[i])
		if err != nil {
			return err
		}
		d := report.Document{ID: idtext.Terminal.Text(id), Picture: picture}
		if now.ok && docs[i] == now.doc {
			d.Mark = way
		}
		if i < len(members) {
			m := members[i]
			d.Nearness, d.Title, d.Changes, d.Notes = strings.TrimSpace(m.nearness()), m.shown.TitleB, m.Differences, report.Notes(m.Remarks, m.MoreDifferences)
			if m.ShowError != "" {
				d.Notes = append(slices.Clip(d.Notes), m.ShowError)
			}
		}
		list.List = append(list.List, d)
	}
	part.Add(list)
	return part.Write(p.HTML)
}

// picture returns a small copy of the picture that is document i of the group.
func (p *Groups) picture(i int, doc uint32) (template.URL, error) {
	if p.Pictures == nil || p.n > report.PicturedGroups || i >= report.PicturesOfGroup {
		return "", nil
	}
	small, err := p.Pictures(doc, report.PictureSide)
	if urls := report.Pictures(small); len(urls) > 0 {
		return urls[0], err
	}
	return "", err
}
