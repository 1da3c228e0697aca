package inputs

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	uni "unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	jp "golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// all are the charsets but UTF-8.
func all() (cs []Charset) {
	for c := utf16LE; int(c) < len(names.All); c++ {
		cs = append(cs, c)
	}
	return cs
}

// decoded returns text in UTF-8, read in pieces of many sizes, and tests that it can be written as it was.
func decoded(t testing.TB, text []byte, c Charset) []byte {
	t.Helper()
	got, err := io.ReadAll(decoding(bytes.NewReader(text), c))
	if err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]io.Reader{"byte by byte": iotest.OneByteReader(bytes.NewReader(text)), "with the end": iotest.DataErrReader(bytes.NewReader(text))} {
		again, err := io.ReadAll(iotest.OneByteReader(decoding(from, c)))
		if err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%s, %s: %q, %v, want %q", c, name, again, err, got)
		}
	}
	for _, size := range []int{1, 2, 3, 7, 1 << 20} {
		var back bytes.Buffer
		w := NewWriter(nopCloser{&back}, func() Charset { return c })
		for rest := got; len(rest) > 0; {
			n := min(size, len(rest))
			if k, err := w.Write(rest[:n]); k != n || err != nil {
				t.Fatal(k, err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(back.Bytes(), text) {
			t.Fatalf("%s: %q becomes %q in pieces of %d bytes", c, text, back.Bytes(), size)
		}
	}
	return got
}

// Whatever the bytes are, what is read can be written as it was.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 3))
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for _, c := range all() {
		decoded(t, every, c)
		decoded(t, []byte("\x00\xd8\x00\xd8\x00\xdc\xd8\x00\xdc\x00\xd8"), c) // halves of pairs, and an odd length
		for range 50 {
			text := make([]byte, rng.IntN(40))
			for i := range text {
				text[i] = "\x00\x01\xd8\xdc\xdf\xe9\xfc\xff\x80ab\n"[rng.IntN(12)]
			}
			decoded(t, text, c)
		}
	}
}

// Texts are decoded as package golang.org/x/text decodes them.
func TestAsOthers(t *testing.T) {
	for i, p := range pages {
		for b := range 256 {
			got := decoded(t, []byte{byte(b)}, firstPage+Charset(i))
			if want := p.DecodeByte(byte(b)); want != utf8.RuneError && string(got) != string(want) {
				t.Errorf("%s: %#x is %q, want %q", firstPage+Charset(i), b, got, want)
			}
		}
	}
	text := "a letter, é, Привет, 漢字, 😀\r\n"
	for c, e := range map[Charset]unicode.Endianness{utf16LE: unicode.LittleEndian, utf16BE: unicode.BigEndian} {
		wide, err := unicode.UTF16(e, unicode.IgnoreBOM).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := decoded(t, []byte(wide), c); string(got) != text {
			t.Errorf("%s: %q", c, got)
		}
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func wide(t testing.TB, text string, e unicode.Endianness) string {
	t.Helper()
	s, err := unicode.UTF16(e, unicode.IgnoreBOM).NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWide(t *testing.T) {
	le, be := unicode.LittleEndian, unicode.BigEndian
	russian := "Съешь же ещё этих мягких французских булок, да выпей чаю."
	for name, tt := range map[string]struct {
		head string
		want Charset
	}{
		"mark":            {"\xff\xfea\x00", utf16LE},
		"other mark":      {"\xfe\xff\x00a", utf16BE},
		"UTF-32":          {"\xff\xfe\x00\x00a\x00\x00\x00", UTF8},
		"Latin":           {wide(t, "id,text\n1,one two", le), utf16LE},
		"Latin, other":    {wide(t, "id,text\n1,one two", be), utf16BE},
		"cut":             {wide(t, "id,text\n1,one two", le)[:25], utf16LE},
		"Russian":         {wide(t, russian, le), utf16LE},
		"Russian, other":  {wide(t, russian, be), utf16BE},
		"text":            {"plain text, and é", UTF8},
		"a zero":          {"{\"text\":\"first record\"}\n\x00\n{\"text\":\"third\"}\n", UTF8},
		"zeros":           {strings.Repeat("\x00", 100), UTF8},
		"small numbers":   {"\x01\x00\x02\x00\x05\x00\x07\x00\x09\x00", UTF8},
		"numbers of 32":   {"a\x00\x00\x00b\x00\x00\x00c\x00\x00\x00", UTF8},
		"an ELF program":  {"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00>\x00", UTF8},
		"a pair, cut":     {wide(t, "a text with 😀", le)[:26], utf16LE},
		"a pair, damaged": {wide(t, "a text ", le) + "\x00\xdca\x00", UTF8},
	} {
		if got := Wide([]byte(tt.head)); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// samples are texts in languages of the code pages.
var samples = map[Charset][]string{
	firstPage: {
		"Zażółć gęślą jaźń. Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.",
		"Příliš žluťoučký kůň úpěl ďábelské ódy.", "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.",
		"Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Őrült írók közül tűnt el.",
		"Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima. Čovjek će reći što želi.",
	},
	firstPage + 1: {
		"Съешь же ещё этих мягких французских булок, да выпей чаю.", "Привет, мир", "Все люди рождаются свободными и равными в своём достоинстве и правах.",
		"Всі люди народжуються вільними і рівними у своїй гідності та правах.", "Всички хора се раждат свободни и равни по достойнство и права.",
		"МОСКВА И РОССИЯ", "id;text;город\n1;some English words;Москва\n2;more;Казань\n",
	},
	western: {
		"Le cœur déçu mais l'âme plutôt naïve, Louÿs rêva de crapaüter en canoë au delà des îles.", "café", "Größe", "naïve résumé",
		"Zwölf große Boxkämpfer jagen Viktor quer über den Sylter Deich", "El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia y frío, añoraba",
		"Höj rösten så hörs det på ön", "Rødgrød med fløde på en blå ø", "Kæmi ný öxi hér, ykist þjófum nú bæði víl og ádrepa",
		"À noite, vovô Kowalsky vê o ímã cair no pé do pingüim queixoso e vovó põe açúcar no chá", "Perché l'università è più lontana? Già, così è la città.",
		"it costs £5, or £10 a dozen, and 20° of ±3", "§ 1 © 2020 Müller", "déjà-vu: 5 µm × 3 ²", "É UM DIA DE AÇÃO", "MÜNCHEN, KÖLN, DÜSSELDORF", "el niño",
	},
	firstPage + 3: {"Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.", "Καλημέρα κόσμε"},
	firstPage + 4: {"Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler.", "Pijamalı hasta yağız şoföre çabucak güvendi"},
	firstPage + 5: {"כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.", "שלום עולם"},
	firstPage + 6: {"يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.", "مرحبا بالعالم"},
	firstPage + 7: {"Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė.", "Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās. Viņi ir apveltīti ar saprātu."},
}

func TestGuess(t *testing.T) {
	for c, texts := range samples {
		for _, text := range texts {
			bytes, err := c.page().NewEncoder().String(text)
			if err != nil {
				t.Fatalf("%s: %q: %v", c, text, err)
			}
			if got := guess([]byte(bytes)); got != c {
				t.Errorf("%q in %s is taken for %s: %q", text, c, got, decoded(t, []byte(bytes), got))
			}
		}
	}
}

// Other charsets are told from code pages.
func TestForeign(t *testing.T) {
	const russian = "Все люди рождаются свободными и равными в своем достоинстве и правах."
	const japanese = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"
	const chinese = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。"
	for name, tt := range map[string]struct {
		of   encoding.Encoding
		text string
	}{
		"KOI8-R":        {charmap.KOI8R, russian},
		"KOI8-U":        {charmap.KOI8U, samples[firstPage+1][3]},
		"code page 866": {charmap.CodePage866, russian},
		"ISO 8859-5":    {charmap.ISO8859_5, russian},
		"Shift JIS":     {jp.ShiftJIS, japanese},
		"EUC-JP":        {jp.EUCJP, "a few words; " + japanese},
		"EUC-KR":        {korean.EUCKR, "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다."},
		"GBK":           {simplifiedchinese.GBK, chinese + " some words"},
		"GB 18030":      {simplifiedchinese.GB18030, chinese},
		"Big5":          {traditionalchinese.Big5, "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心"},
	} {
		text, err := tt.of.NewEncoder().Bytes([]byte(tt.text))
		if err != nil {
			t.Fatal(name, err)
		}
		if !Foreign(text) || !Foreign(text[:len(text)-1]) {
			t.Errorf("%s is read", name)
		}
	}
	for c, texts := range samples {
		for _, text := range append(texts, foreignSigns[c]...) {
			for _, text := range []string{text, strings.Repeat(text+"\n", 50), strings.ToUpper(text)} {
				if bytes, err := c.page().NewEncoder().Bytes([]byte(text)); err == nil && Foreign(bytes) || Foreign([]byte(text)) {
					t.Errorf("%s: %q is not read", c, text)
				}
			}
		}
	}
}

// foreignSigns are texts in code pages with letters and signs that are rare in their languages.
var foreignSigns = map[Charset][]string{
	firstPage + 1: {
		"Установка: sudo apt-get install пакет v1.2 (x86) — «ошибка №5» и т.д. Файл C:\\Temp\\тест.txt; ГОСТ 123-45, РФ, СССР",
		"Сите човечки суштества се раѓаат слободни и еднакви", "Усе людзі нараджаюцца свабоднымі і роўнымі ў сваёй годнасці",
	},
	western:       {"Art. 1º § 2º nº 3ª e 4ª", "Ø12 5 Å Ø15Ø Åå ÄÖÜ ÄÄÄ £££ ¥¥ ÉÉ ñÑ ¿¡ ªº ºº ÿþ Ðð"},
	firstPage + 5: {"בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם וְאֵת הָאָרֶץ"},
	firstPage + 6: {"بِسْمِ اللَّهِ الرَّحْمنِ الرَّحِيمِ الْحَمْدُ لِلَّهِ رَبِّ الْعَالَمِينَ", "چرا گفت پدر ژاله پنج گربه چاق دارد"},
}

func TestDetect(t *testing.T) {
	long := strings.Repeat("some text of many words\n", 12_000) // more than the window
	latin, _ := charmap.Windows1252.NewEncoder().String("café, Größe und Übermut\n")
	for name, tt := range map[string]struct {
		text string
		want Charset
	}{
		"ASCII":                        {long, UTF8},
		"UTF-8":                        {long + "é", UTF8},
		"UTF-8, a bad byte first":      {"\xe9 " + long + strings.Repeat("größer ", 100), UTF8},
		"UTF-8, bad bytes":             {"größer \xe9 \xe8 é ü ö", UTF8},
		"ASCII, some bad bytes":        {"\xe9\xe8 " + long, UTF8},
		"western":                      {latin, western},
		"western behind much ASCII":    {long + latin, western},
		"western before UTF-8 by luck": {latin + latin + "Ã©", western},
		"western, often":               {strings.Repeat(latin+long[:1000], 400), western},
		"Japanese":                     {strings.Repeat("日本語の文章", 3), UTF8},
		"Japanese, cut":                {"日本語"[:8], UTF8},
	} {
		for _, live := range []bool{false, true} {
			for from, r := range map[string]io.Reader{"whole": strings.NewReader(tt.text), "in halves": iotest.HalfReader(strings.NewReader(tt.text)), "with the end": iotest.DataErrReader(strings.NewReader(tt.text))} {
				if live && tt.want == UTF8 && strings.Contains(name, "bad byte") {
					continue // what has arrived decides
				}
				got := UTF8
				text, err := io.ReadAll(detecting(r, live, func(c Charset) { got = c }))
				if err != nil || got != tt.want {
					t.Errorf("%s, %s: %s, %v, want %s", name, from, got, err, tt.want)
				}
				if want := decoded(t, []byte(tt.text[max(0, len(tt.text)-1000):]), tt.want); tt.want != UTF8 && !bytes.HasSuffix(text, want) || tt.want == UTF8 && string(text) != tt.text {
					t.Errorf("%s, %s: another text", name, from)
				}
				told := got
				again, err := io.ReadAll(Follow(strings.NewReader(tt.text), func() Charset { return told }))
				if err != nil || !bytes.Equal(again, text) {
					t.Errorf("%s: another text, %v, if the charset is told", name, err)
				}
			}
		}
	}
}

// What a pipe has in UTF-8 is not waited for.
func TestDetectLive(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go func() { _, _ = io.WriteString(w, "größer\n") }()
	line := make([]byte, len("größer\n"))
	if _, err := io.ReadFull(detecting(r, true, func(Charset) {}), line); err != nil || string(line) != "größer\n" {
		t.Errorf("%q, %v", line, err)
	}
}

// What a code page lacks is escaped as in JSON.
func TestLacking(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(nopCloser{&b}, func() Charset { return western })
	if _, err := io.WriteString(w, "é 漢 😀"); err != nil || b.String() != "\xe9 \\u6f22 \\ud83d\\ude00" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// An error of reading comes behind what was read before it.
func TestErrors(t *testing.T) {
	for _, text := range []string{"plain", "caf\xe9 \xe8", "a\x00b\x00"} {
		from := io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrNoProgress))
		for _, r := range []io.Reader{detecting(from, false, func(Charset) {}), decoding(io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrNoProgress)), utf16LE)} {
			got, err := io.ReadAll(r)
			if len(got) == 0 || !errors.Is(err, io.ErrNoProgress) {
				t.Errorf("%q: %q, %v", text, got, err)
			}
		}
	}
}

// No bytes can be read and not be written as they were, whatever charset is chosen.
func FuzzReader(f *testing.F) {
	f.Add([]byte("caf\xe9"), byte(0), false)
	f.Add([]byte("\xff\xfea\x00\x00\xd8b"), byte(1), true)
	f.Fuzz(func(t *testing.T, text []byte, which byte, live bool) {
		c := Charset(int(which) % len(names.All))
		if c != UTF8 {
			decoded(t, text, c)
		}
		if c = Wide(text); c != UTF8 {
			decoded(t, text, c)
		}
		got := UTF8
		read, err := io.ReadAll(iotest.HalfReader(detecting(bytes.NewReader(text), live, func(c Charset) { got = c })))
		if err != nil {
			t.Fatal(err)
		}
		if got == UTF8 && !bytes.Equal(read, text) || got != UTF8 && !bytes.Equal(read, decoded(t, text, got)) {
			t.Errorf("%q is read as %q in %s", text, read, got)
		}
	})
}

// Decode ends without a panic, within bounds, and with UTF-8 where the content is in another charset, whatever it is
// named.
func FuzzDecode(f *testing.F) {
	for _, named := range []string{"", "utf-8", "UTF-16", "gb18030", "iso-2022-jp", "koi8-r", "hz-gb-2312", "x"} {
		f.Add([]byte("<?xml version='1.0' encoding='big5'?><meta charset=koi8-r>\xcf\xf0\x1b$B~{"), named)
		f.Add([]byte("\xff\xfea\x00\x00"), named)
	}
	f.Fuzz(func(t *testing.T, content []byte, named string) {
		text, how, err := Decode(bytes.Clone(content), named, true)
		switch {
		case err != nil && !bytes.Equal(text, content), len(text) > 4*len(content):
			t.Errorf("%q in %q: %q, %v", content, named, text, err)
		case how.Charset != "" && !utf8.Valid(text):
			t.Errorf("%q in %q: read as %s: %q", content, named, how.Charset, text)
		}
	})
}

// wrongNames are charsets of the web that a text may be said to be in.
var wrongNames = []string{
	"utf-8", "utf-16le", "ibm866", "iso-8859-1", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8", "iso-8859-8-i",
	"iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "koi8-r", "koi8-u", "macintosh", "windows-874", "windows-1250",
	"windows-1251", "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "x-mac-cyrillic", "gbk",
	"gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr", "x-user-defined",
}

// Whatever charset a text is said to be in, it keeps its letters, or it is bad. In UTF-8 and in UTF-16 it is the text
// that it is.
func TestWrongNames(t *testing.T) {
	const russian = "Корабль уходит от старого причала каждое утро, в девять часов. И никто его не ждёт."
	le := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	for _, tt := range []struct {
		name, text string
		in         encoding.Encoding
	}{
		{"UTF-8", russian, unicode.UTF8}, {"UTF-8", samples[firstPage+3][0], unicode.UTF8}, {"UTF-8", samples[firstPage+5][0], unicode.UTF8},
		{"UTF-8", "größere Häuser für Käufer über Straßen", unicode.UTF8}, {"UTF-8", "今日は学校で日本語を勉強しました", unicode.UTF8},
		{"UTF-16", russian, le}, {"UTF-16", "plain words", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
		{"UTF-32", russian, utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)}, {"UTF-32", "größere Häuser", utf32.UTF32(utf32.BigEndian, utf32.UseBOM)},
		{"UTF-32", "plain words", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)}, {"UTF-32", "今日は 学校", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
		{"windows-1251", russian, charmap.Windows1251}, {"koi8-r", russian, charmap.KOI8R}, {"ibm866", russian, charmap.CodePage866},
		{"windows-1253", samples[firstPage+3][0], charmap.Windows1253}, {"windows-1255", samples[firstPage+5][0], charmap.Windows1255},
		{"windows-1256", samples[firstPage+6][0], charmap.Windows1256}, {"euc-jp", "今日は学校で日本語を勉強しました", jp.EUCJP},
	} {
		for _, words := range []string{"", "the news of a forum "} {
			want := words + tt.text
			content, err := tt.in.NewEncoder().Bytes([]byte(want))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range wrongNames {
				got, how, err := Decode(content, name, false)
				switch {
				case strings.HasPrefix(tt.name, "UTF-"):
					if string(got) != want || err != nil || how.Wrong != name && name != "utf-16le" && name != strings.ToLower(tt.name) && !bytes.HasPrefix(content, []byte("\x00\x00\xfe\xff")) {
						t.Errorf("%s named %s: %q, %+v, %v", tt.name, name, got, how, err)
					}
				case err != nil && (how.Wrong != name || !errors.Is(err, ErrForeign)):
					t.Errorf("%s named %s: %+v, %v", tt.name, name, how, err)
				case err == nil && 3*letters(string(got))*utf8.RuneCountInString(want) < 2*letters(want)*utf8.RuneCount(got):
					t.Errorf("%s named %s loses letters: %q, %+v", tt.name, name, got, how)
				}
			}
		}
	}
}

// letters returns the number of letters in a text.
func letters(text string) (n int) {
	for _, r := range text {
		if uni.In(r, uni.L, uni.M) {
			n++
		}
	}
	return n
}

// A text in the charset that is named for it stays in it, with the signs that it has.
func TestRightNames(t *testing.T) {
	right := map[string][]string{
		"ibm866":     {"┌───┬───┐\r\n│ да│нет│\r\n├───┼───┤\r\n│ 1 │ 2 │\r\n└───┴───┘", "Цена: №5 √ ■ Ёлка"},
		"koi8-r":     {"═══ Новости ═══ © 2009 · Корабль °", "Привет"},
		"iso-8859-8": {"שלום עולם"}, "iso-8859-6": {"مرحبا بالعالم، كيف"}, "windows-874": {"สวัสดีชาวโลก ฿5 “ฯ”"},
		"macintosh":   {"“L’été” — où ça… «été»", "don’t • stop™"},
		"iso-2022-jp": {"今日は学校"}, "euc-kr": {"모든 인간은"}, "big5": {"人人生而自由，在尊嚴"},
		"windows-1252": {"“don’t” – © 2020 £5", "«été»… l’âme—çà", "…", "é"},
	}
	for c, texts := range samples {
		right[c.String()] = append(append(right[c.String()], texts...), foreignSigns[c]...)
	}
	for name, texts := range right {
		for _, text := range texts {
			e, known := find(name)
			content, err := e.encoding.NewEncoder().Bytes([]byte(text))
			if !known || err != nil {
				t.Fatal(name, text, err)
			}
			if got, how, err := Decode(content, name, false); string(got) != text || how.Wrong != "" || err != nil {
				t.Errorf("%q in %s: %q, %+v, %v", text, name, got, how, err)
			}
		}
	}
}

// Many zeros of no charset are bad, and a page names x-user-defined for windows-1252.
func TestZerosOfNoCharset(t *testing.T) {
	for _, content := range []string{strings.Repeat("\x00\x01ab", 9), "\xff\xfe\x00\x00a\x00\x00\x00\x00\x00\x00\x7f", wide(t, "a text \ufffd", unicode.LittleEndian)} {
		for _, name := range []string{"", "utf-8", "koi8-r", "x-none"} {
			if got, _, err := Decode([]byte(content), name, true); !errors.Is(err, errZeros) || string(got) != content {
				t.Errorf("%q named %q: %q, %v", content, name, got, err)
			}
		}
	}
	if got, how, err := Decode([]byte("<meta charset=x-user-defined>caf\xe9"), "", true); !bytes.HasSuffix(got, []byte("café")) || how.Wrong != "" || err != nil {
		t.Errorf("%q, %+v, %v", got, how, err)
	}
}
