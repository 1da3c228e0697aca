package sequences

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A script makes random texts: of words of some letters with spaces between them, or of letters without spaces.
type script struct {
	name     string
	from, to rune
	word     int // letters; 0 is no words
}

var scripts = []script{{"Latin", 'a', 'z', 5}, {"Han", '一', '丠' + 300, 0}, {"Thai", 'ก', 'ฮ', 0}, {"Cyrillic", 'а', 'я', 4}}

// units returns what is changed of a text at once: words with a space, or letters.
func (s script) units(rng *rand.Rand, n int) (units []string) {
	for range n {
		var u strings.Builder
		for range max(1, s.word) {
			u.WriteRune(s.from + rune(rng.IntN(int(s.to-s.from)+1)))
		}
		if s.word > 0 {
			u.WriteByte(' ')
		}
		units = append(units, u.String())
	}
	return units
}

// TestLanguages plants passages of a text in others, with 1 to 15 % of their units changed, and some cut, joined or
// moved.
func TestLanguages(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, s := range scripts {
		source := s.units(rng, 400)
		query := NewText([]byte(strings.Join(source, "")))
		documents := make([]*Text, 150)
		for i := range documents {
			at, n := rng.IntN(250), 40+rng.IntN(100)
			part := slices.Clone(source[at : at+n])
			for range 1 + rng.IntN(max(1, n*15/100)) {
				switch j := rng.IntN(len(part)); rng.IntN(4) {
				case 0:
					part[j] = s.units(rng, 1)[0]
				case 1:
					part = slices.Delete(part, j, j+1)
				case 2:
					part = slices.Insert(part, j, s.units(rng, 1)...)
				case 3:
					if s.word > 0 {
						part[j] = strings.TrimSpace(part[j]) // joined with the next one
					}
				}
			}
			if i%5 == 0 { // its halves change places
				part = slices.Concat(part[len(part)/2:], part[:len(part)/2])
			}
			text := slices.Concat(s.units(rng, rng.IntN(100)), part, s.units(rng, rng.IntN(100)))
			documents[i] = NewText([]byte(strings.ToUpper(strings.Join(text, ""))))
		}
		_, x := written(t, documents, 0)
		q := NewQuery(query, Usual)
		sharing, _, err := candidates(x, nil, q)
		if err != nil {
			t.Fatal(err)
		}
		having, others := 0, 0
		for i, d := range documents {
			want := Reference(query, d, Usual)
			switch found := slices.Contains(sharing, uint32(i)); {
			case !found && len(want) > 0:
				t.Errorf("%s, document %d: not found, and it has %v", s.name, i, want)
			case found && len(want) == 0:
				others++
			}
			if got := slices.Clone(q.Find(d)); !slices.Equal(got, want) {
				t.Errorf("%s, document %d: %v, want %v", s.name, i, got, want)
			}
			for _, p := range want {
				from, to := query.Bytes(p.Query[0], p.Query[1])
				start, end := d.Bytes(p.Document[0], p.Document[1])
				a, b := NewText(query.Raw[from:to]).Words, NewText(d.Raw[start:end]).Words
				if p.Words != max(len(a), len(b)) || p.Edits != int(table(a, b, nil)[len(a)][len(b)]) || p.Edits*scale > Usual.share()*p.Words {
					t.Errorf("%s, document %d: %+v is %q and %q", s.name, i, p, query.Raw[from:to], d.Raw[start:end])
				}
			}
			if len(want) > 0 {
				having++
			}
		}
		if having < len(documents)/3 || others > having/10 {
			t.Errorf("%s: %d of %d documents have passages, and %d others are candidates", s.name, having, len(documents), others)
		}
	}
}
