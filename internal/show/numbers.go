package show

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// numbersOf has numbers in words, folded, by the code of a language, with hyphens as in negationsOf. Words for one, which stand for articles
// and pronouns, too, and words with another meaning are left out.
var numbersOf = map[string]string{
	"da": "to tre fire fem seks syv otte ni ti elleve tolv tyve tredive fyrre halvtreds tres hundrede tusind",
	"de": "null zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert -hundert tausend -tausend",
	"en": "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen",
	"es": "cero dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento doscientos trescientos cuatrocientos mil",
	"fr": "zéro deux trois quatre cinq six sept huit dix onze douze treize quatorze quinze seize vingt trente quarante cinquante soixante cent mille", //nolint:misspell // French
	"it": "zero due tre quattro cinque sette otto nove dieci undici dodici tredici quindici trenta quaranta cinquanta sessanta settanta ottanta novanta cento mille",
	"nl": "nul twee drie vier vijf zes zeven acht negen tien elf twaalf dertien vijftien twintig dertig veertig vijftig zestig zeventig tachtig negentig honderd -honderd duizend",
	"no": "null tre fire fem seks sju åtte ni ti elleve tolv tjue tretti førti femti seksti hundre tusen",
	"pl": "dwa dwie dwóch trzy cztery pięć sześć siedem osiem dziewięć dziesięć sto tysiąc",
	"pt": "zero dois duas três quatro cinco seis sete oito nove dez onze doze treze quinze vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem cento mil",
	"ru": "два две двух три трёх четыре пять шесть семь восемь девять десять двадцать тридцать сорок сто двести триста тысяча",
	"sv": "noll två tre fyra fem sju åtta nio tio elva tolv tjugo trettio fyrtio femtio sextio hundra tusen",
	"zh": "二 三 四 五 六 七 八 九",
}

var numbers = listsOf(numbersOf)

// isNumber reports whether a folded word is a number, or one in words of a language, as wordLists.has takes it.
func isNumber(language, w string) bool { return hasDigits(w) || numbers().has(language, w) }

// hasDigits reports whether a word is a number, perhaps with a unit or an ending of up to two letters,
// such as 1,000, 12.5, 15th, 5mg and 2nd.
func hasDigits(w string) bool {
	rest := strings.TrimLeftFunc(w, func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune(".,'_:", r) })
	first, _ := utf8.DecodeRuneInString(w)
	return unicode.IsDigit(first) && utf8.RuneCountInString(rest) <= 2 && strings.IndexFunc(rest, unicode.IsDigit) < 0
}
