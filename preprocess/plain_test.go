package preprocess

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"simsearch/internal/tests/testkit"
)

// pieces are characters and short texts of every class and script that the quick path knows, and some that it does not.
var pieces = func() (all []string) {
	all = strings.Fields("a E i o u s K 1 9 _ : , ; . ' \" = < ( é É ÿ ß ẞ ŉ ǰ İ ı ſ ﬁ ﬃ ½ ² ⑩ № … ·  · ‘ ’ “ — « 。 、 ． ， ： ＿ ＂ ＇ " +
		"α Σ ς ΐ ᾳ Ω ώ · а Я й И ё Ѐ ש א ײ 'ש ״ ׳ ب ا ٢ ٫ ٬ ـ क न ऩ क़ १ ক ে ৗ া ெ ா ொ ം ് ක ෙ ා න " +
		"ก ข ำ ๑ ຂ ຳ ក ខ က ဥ ီ 近 似 葛 か が カ ガ ー ﾃ ﾞ 々 〇 ㌀ ㍻ 豈 한 하 ᄒ ᅡ ᆫ ㄱ ㅏ ꥠ Ꭰ ꭰ ᏸ ‿ ⅷ ﷺ ① 😀 ❤ © 𝐀 𠀀 🇩 \xff \xe9 \xf0\x9f \xed\xa0\x80 \xe0\x80\x80 �")
	for _, r := range "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030c\u031b\u0323\u0327\u0328\u0330\u0331\u0338\u0342\u0344\u0345\u0340\u034f\u0489" +
		"\u05b0\u05bc\u05c1\u064b\u064e\u0651\u0653\u0654\u093c\u094d\u0902\u0903\u09bc\u09be\u09d7\u0bbe\u0bd7\u0d4d\u0d3e\u0dca\u0dcf\u0ddf" +
		"\u0e31\u0e38\u0e48\u0e49\u0e4d\u0eb8\u0ec8\u17d2\u17dd\u102e\u1037\u1039\u103a\u3099\u309a\u302a\u1161\u1175\u11a8\u11c2\u1100\u1112" +
		"\u200c\u200d\u200b\u00ad\u2060\ufe0f\ufe00\u20e3\u3000\u00a0\u2028\u0085\u180b\U000e0100\u0f71\u0f72\u0f74" {
		all = append(all, string(r))
	}
	return append(all, " ", " ", "\n")
}()

// textOf returns the pieces of some numbers.
func textOf(numbers []byte) string {
	var out strings.Builder
	for _, n := range numbers {
		out.WriteString(pieces[int(n)%len(pieces)])
	}
	return out.String()
}

// Texts of pieces of all scripts have the features of the reference.
func TestPlainTextsEqualReference(t *testing.T) {
	t.Parallel()
	if len(pieces) > 256 {
		t.Fatalf("%d pieces, of which a byte does not reach all", len(pieces))
	}
	check := referenceChecker(t)
	rng := rand.New(rand.NewPCG(1, 9))
	rounds := testkit.Of(2000, 10_000)
	for range rounds {
		few := make([]byte, 2+rng.IntN(5)) // a text of a few characters that occur again meets its own marks
		for i := range few {
			few[i] = byte(rng.IntN(len(pieces)))
		}
		numbers := make([]byte, 1+rng.IntN(12))
		for i := range numbers {
			numbers[i] = few[rng.IntN(len(few))]
		}
		check(textOf(numbers))
	}
}

// Every character that has a canonical decomposition equals its decomposed forms, with a mark more in front of and
// behind its own marks.
func TestMarksEqualReference(t *testing.T) {
	t.Parallel()
	a := newAnalyzer(t, "words", "none")
	var doc Document
	step := testkit.Of(7, rune(1))
	for r := rune(0xc0); r <= 0xffff; r += step {
		whole := norm.NFD.String(string(r))
		if whole == string(r) || 0xac00 <= r && r <= 0xd7a3 && r%13 != 0 {
			continue
		}
		base := string([]rune(whole)[0])
		for _, text := range []string{
			whole, whole + "\u0323", whole + "\u0301x", base + "\u0327" + whole[len(base):], string(r) + "\u0323\u0304", string(r) + whole[len(base):],
			base + "\u200d" + whole[len(base):] + base, "1" + whole + ".5 " + whole[len(base):] + "é",
		} {
			a.Analyze(&doc, []byte(text))
			if got, want := collect(&doc), a.Reference([]byte(text)); !slices.Equal(got, want) {
				t.Fatalf("%+q:\n got %+q\nwant %+q", text, got, want)
			}
		}
	}
}

// The normaliser parts marks of which there are more than 30.
func TestManyMarksEqualReference(t *testing.T) {
	t.Parallel()
	check := referenceChecker(t)
	for _, mark := range []string{"\u0301", "\u0ddf", "\u0e48", "\u09be", "\u0301\u0323", "\u0ddf\u0301", "\u1161", "\u05b0", "\u00ad\u0301", "\u05b0\u0301"} {
		for n := range 40 {
			check("a" + strings.Repeat(mark, n) + "b ก" + strings.Repeat(mark, n) + "、" + strings.Repeat(mark, n))
		}
	}
}

// Chunks are cut where no step looks across, wherever the end of a chunk is.
func TestChunksOfScriptsEqualReference(t *testing.T) {
	t.Parallel()
	check := referenceChecker(t)
	for _, text := range []string{
		"近似重複検索は、速い。", "近似 重複\n", "近\u3000似\u00a8 重\u200b ", "ไทยภาษาน้ำ", "é", "e\u0301\u0323", "\xe9t\xe9", "한글", "\u1112\u1161\u11ab", "葛\ufe00\u200d。", "\x80", "“it’s”—", "𠀀。",
	} {
		long := strings.Repeat(text, 2*chunk/len(text)+9)
		for shift := range testkit.Of(1, 4) {
			check("xyz_"[:shift] + long)
		}
		check(long + "\u0301" + long)
	}
}

func FuzzPlainEqualsReference(f *testing.F) {
	f.Add([]byte{1, 200, 3, 150, 77, 0})
	words, auto := newAnalyzer(f, "words", "none"), newAnalyzer(f, "char:3", "auto")
	f.Fuzz(func(t *testing.T, numbers []byte) {
		text := textOf(numbers)
		var doc Document
		for _, a := range []*Analyzer{words, auto} {
			a.Analyze(&doc, []byte(text))
			if got, want := collect(&doc), a.Reference([]byte(text)); !slices.Equal(got, want) {
				t.Fatalf("%+q:\n got %+q\nwant %+q", text, got, want)
			}
		}
	})
}
