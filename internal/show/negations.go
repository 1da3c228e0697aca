package show

import "simsearch/preprocess"

// negationsOf has words that negate, folded, by the code of a language. Endings and beginnings that
// negate have a hyphen where the rest of the word is. A word stands here only if it negates nearly always
// in that language.
var negationsOf = map[string]string{
	"ar": "لا لم لن ليس ليست بدون",
	"bg": "не няма без никога нито никой",
	"cs": "ne není nikdy bez nikdo nic žádný žádná žádné",
	"da": "ikke aldrig uden ingen intet",
	"de": "nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder",
	"el": "δεν δε μην όχι χωρίς ποτέ",
	"en": "not no never none nobody nothing neither nor without cannot dont doesnt didnt isnt wasnt wont -n't",
	"es": "no nunca jamás sin ningún ninguno ninguna nada nadie ni tampoco",
	"fa": "نه بدون نیست نبود",
	"fi": "ei en et emme ette eivät älä älkää ilman",
	"fr": "ne pas jamais sans aucun aucune rien ni non n'-",
	"hu": "nem ne sem soha nélkül nincs",
	"id": "tidak bukan tanpa jangan belum",
	"it": "non mai senza nessun nessuno nessuna niente nulla né",
	"lv": "ne nav nekad bez",
	"nl": "niet geen nooit zonder niemand niets",
	"no": "ikke aldri uten ingen ingenting",
	"pl": "nie nigdy bez nikt nic żaden żadna żadne",
	"pt": "não nunca jamais sem nenhum nenhuma ninguém nem nada",
	"ro": "nu niciodată fără nimeni nimic nici",
	"ru": "не нет ни никогда без никто ничего нельзя",
	"sk": "nie nikdy bez nikto nič žiadny žiadna",
	"sv": "inte ej aldrig ingen inget inga",
	"tr": "değil yok asla hiç",
	"zh": "不 没 沒 未 无 無",
}

var negations = listsOf(negationsOf)

// languageOf returns the language of two texts, English if it is not known.
func languageOf(a, b string) string {
	const prefix = 4 << 10
	language, err := preprocess.DetectLanguage([]byte(a[:min(len(a), prefix)] + "\n" + b[:min(len(b), prefix)]))
	if _, ok := negationsOf[language]; err != nil || !ok {
		return "en"
	}
	return language
}
