package service

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/tests/testkit"
)

// Of facts that are made from templates, those that say something else are kept, and those that say the same in other
// words are known.
func TestMadeFacts(t *testing.T) {
	const facts, rewordings = 800, 2 // each makes four texts
	s := open(t, Options{Data: t.TempDir()})
	for part, templates := range factTemplates {
		r := rand.New(rand.NewPCG(55, uint64(part)))
		name := fmt.Sprint("part", part)
		create(t, s, name, Settings{})
		texts := 0
		isKept := func(text string) bool {
			texts++
			a := ok[[]CheckAnswer](t)(s.CheckAndAdd(t.Context(), name, "", []CheckRequest{{Document: doc(fmt.Sprint(texts), text)}}))[0]
			return a.New || a.Differs != nil
		}
		var others, kept, same, known int
		seen := map[string]bool{}
		for range testkit.Of(facts/8, facts) {
			fact := makeFact(r, templates[r.IntN(len(templates))])
			if seen[fact.said()] {
				continue
			}
			seen[fact.said()] = true
			isKept(fact.String())
			if other := fact.other(r, "{<", 1); !seen[other.said()] {
				seen[other.said()] = true
				text := other.String()
				if r.IntN(3) == 0 {
					text = other.reworded(r)
				}
				if others++; isKept(text) {
					kept++
				}
			}
			for range rewordings {
				if same++; !isKept(fact.reworded(r)) {
					known++
				}
			}
		}
		t.Logf("part %d: of %d others %.1f %% are kept, of %d rewordings %.1f %% are known", part, others, 100*float64(kept)/float64(others), same,
			100*float64(known)/float64(same))
		if 100*kept < 98*others || 100*known < []int{92, 92, 85, 92}[part]*same {
			t.Errorf("part %d: of %d others %d are kept, of %d rewordings %d are known", part, others, kept, same, known)
		}
	}
}

// Templates of short facts: {slot} is a value of a table, [a|b] are words for the same, <a|b> words for something
// else. The words of package explain for the same were chosen when those of all parts but the last had been looked
// at.
var factTemplates = [4][]string{{
	"[The user|User] [prefers|likes] {language} for {task}",
	"the deploy key [for|of] service {greek} expires in {month} {year} and [must|has to] be rotated by the {team} team",
	"The {team} team [meets|gathers] [on|every] {weekday} at {number} in room {name}",
	"feature {greek} is <enabled|disabled> [in|on] the {place} [environment|env]",
	"backups of the {team} database [run|are run] <before|after> the {weekday} release",
	"[Please note:|Note that|] {name} is <allergic|not allergic> to {food}",
	"{name} [lives|resides] in {city} and [works|is employed] as {job}",
	"the {color} [car|automobile] of {name} is parked <inside|outside> the garage",
	"The invoice for {name} [amounts|comes] to {number} <euros|dollars> and is due in {month}",
	"take {number} <mg|g> of the [medicine|medication] <before|after> [each|every] meal",
	"the limit of [requests|calls] was <increased|decreased> to {number} per <minute|hour> for {city}",
	"{name} [started|began] to [study|learn] {language} in {month} {year}",
	"the door to the {place} lab is <locked|unlocked> on {weekday}",
	"My [favorite|favourite] [color|colour] is {color}",
	"{name}'s <mother|father> was born in {city} in {year}",
	"The <upper|lower> bound of the {task} job is {number} <seconds|minutes>",
	"[User|The user] is <vegetarian|vegan> and does not eat {food}",
	"flight {number} from {city} [departs|leaves] at gate {greek} on {weekday} <morning|evening>",
	"Version {number} of {greek} [requires|needs] {language} and <Linux|Windows>",
	"[Contact|Reach] {name} <by phone|by email> about the {task} [problem|issue]",
	"{name} <accepted|rejected> the offer of the {team} team in {month}",
	"the dog of {name} is called {name2} and [likes|loves] {food}",
	"The [wifi|wireless] password of the {place} [office|bureau] ends in {number}",
	"the standup was [moved|shifted] from {weekday} to {weekday2} for the {team} team",
}, {
	"our {place} cluster [uses|utilizes] {number} nodes in region {city}",
	"[The customer|Customer] {name} [bought|purchased] {number} units of the {color} model",
	"{name} is <married|engaged> to {name2} since {month} {year}",
	"[Remember that|FYI,|] the {weekday} class [begins|starts] at {number} o'clock",
	"the {greek} sensor reports <low|high> pressure at {number} bar",
	"{name} [wants|wishes] to travel to {city} in {month} with her <sister|brother>",
	"The shop in {city} is <open|closed> on {weekday}",
	"set the timeout of the {task} step to {number} <seconds|milliseconds> in {place}",
	"the <import|export> of {food} from {city} [stopped|ceased] in {year}",
	"[Always|Please always] send the {team} report to {name} <before|after> {weekday}",
	"the patient {name} has a <left|right> knee injury and takes {number} [pills|tablets] daily",
	"{name} speaks {language} <fluently|poorly> and teaches {task}",
	"the password for {greek} [was changed|was modified] on {weekday} by {name}",
	"Ticket {number} [about|regarding] {task} was <opened|closed> by the {team} team",
	"[The meeting|Meeting] with {name} was <cancelled|confirmed> for {weekday}",
	"the <maximum|minimum> size of an upload to {place} is {number} <MB|GB>",
	"{name} paid {number} dollars for the {color} [bicycle|bike] in {city}",
	"the {greek} server [is located|is situated] in {city} <behind|outside> the firewall",
	"user [asked|requested] to be reminded of {task} every {weekday} at {number}",
	"{name} has <two|three> children and [works|is employed] as a {job}",
	"The {color} wire goes to the <positive|negative> pole of the {greek} unit",
	"tests in {place} are <fast|slow> and run on {language} {number}",
}, {
	"{name} [must|should|needs to] submit the {task} form [by|before|no later than] {weekday}",
	"[The company|Our firm] {greek} <won|lost> the contract in {city} [in the year|in] {year}",
	"{name} <sold|bought> a {color} [couch|sofa] for {number} dollars",
	"Mix {number} g of sugar with the {food} and bake [it|them] for {number} minutes at <low|high> heat",
	"The train from {city} to {city2} takes {number} hours [on average|]",
	"{name} is [taller|higher] than {name2} and plays <tennis|football>",
	"The {team} group [reports directly|reports] to {name}, the <new|former> head of {task}",
	"access to {place} is <allowed|denied> for [members|people] of {team}",
	"The [kids|children] of {name} go to school in {city} by <bus|train>",
	"[In|During] {month} the museum in {city} [opens|is open] until {number} in the evening",
	"{greek} <supports|lacks> dark mode [since|as of] version {number}",
	"The [boss|manager] of {name} is {name2}",
	"please <add|remove> {food} [to|on] the shopping list of {name}",
	"deploys to {place} [happen|take place] <twice|once> a week, on {weekday}",
	"[The speed limit|Speed limit] in {city} is {number} <km/h|mph>",
	"{name} wrote [the book|a book] about {food} [when she was|at the age of] {number}",
	"The {color} [button|key] <starts|stops> the {greek} pump",
	"[We decided|It was decided] to use {language} <instead of|together with> {language2} for {task}",
	"{name}'s flight to {city} was delayed by {number} <minutes|hours> [because of|due to] fog",
	"{name} graduated <before|after> {name2} from the [university|college] of {city}",
	"API calls of {greek} [return|yield] at <most|least> {number} rows",
	"The patient <gained|lost> {number} kg [in|within] {number} weeks",
}, {
	"{name} [is|was] the <winner|loser> of the chess match against {name2} in {city}",
	"Deployment of {greek} [starts|begins] at {number} on {weekday}",
	"Our {food} [supplier|vendor] is based in {city} and ships <daily|weekly>",
	"[The|] boiler in the {place} building was [repaired|fixed] by {name} in {month}",
	"{name} [drives|is driving] a {color} [truck|lorry] from {city} to {city2}",
	"the retention of logs in {place} is {number} <days|weeks>",
	"[The user's|User's] timezone is {city} and [he|the user] works <nights|mornings>",
	"Rollout of version {number} was <paused|resumed> by {name} on {weekday}",
	"The {team} budget for {year} is {number} <million|thousand> dollars",
	"{name} [cannot|can not] eat {food} [because|since] she has an allergy",
	"The answer to ticket {number} was [sent|mailed] to {name} on {weekday}",
	"{greek} must never run {language} code on a <public|private> network",
	"[Call|Phone] {name} <mornings|afternoons> [about|regarding] the {color} sofa",
	"The {task} course of {name} has {number} [students|pupils]",
	"<Turn on|Turn off> the {color} lamp [when|if] the {greek} alarm sounds",
	"{name} was promoted to {job} in {month} and [moved|relocated] to {city}",
	"{name}'s birthday is [on|] {month} {number}",
	"interest rates in {city} <rose|fell> by {number} percent in {year}",
	"{language} is the [main|primary] language of the {team} team [at present|]",
	"the {greek} satellite is <above|below> the horizon [for|] {number} minutes [each|per] day",
}}

var factTables = map[string]string{
	"language": "Python,Rust,Go,Java,Kotlin,Haskell,Spanish,German,Italian,Ruby,Swift,Perl,Basic",
	"task":     "scripting,testing,billing,shipping,reporting,parsing,indexing,painting,cooking,search,login,checkout",
	"greek":    "alpha,beta,gamma,delta,omega,sigma,falcon,atlas,apollo,orion,phoenix,titan",
	"month":    "January,February,March,April,May,June,July,August,September,October,November,December",
	"year":     "2019,2020,2021,2022,2023,2024,2025,2026,2027",
	"team":     "platform,security,sales,data,legal,design,support,payments,mobile,research,growth",
	"weekday":  "Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday",
	"number":   "3,4,5,6,7,8,9,10,11,12,15,20,24,30,40,45,60,80,90,100,120,250,500",
	"name":     "Anna,Olaf,Mira,Chen,Priya,Rose,Mark,Will,Grace,Hunter,Omar,Lena,Tom,Bill,Daisy,Yuki,Carlos,Ines,Paul,Paula,Maria,Marie",
	"place":    "staging,production,north,south,testing,central,main,backup,berlin,edge",
	"food":     "peanuts,shellfish,mushrooms,cheese,apples,bread,rice,fish,eggs,honey,tomatoes",
	"city":     "Berlin,Paris,Rome,Lisbon,Reading,Nice,Bath,Oslo,Tokyo,Boston,Austin,Split,Mobile",
	"job":      "nurse,teacher,baker,driver,lawyer,painter,cook,farmer,pilot,plumber",
	"color":    "red,blue,green,yellow,black,white,orange,purple,silver,brown",
}

func init() {
	for _, slot := range []string{"name", "weekday", "city", "language"} {
		factTables[slot+"2"] = factTables[slot]
	}
}

var factParts = regexp.MustCompile(`\{\w+\}|\[[^\]]*\]|<[^>]*>`)

// A madeFact is a template with a choice for each part.
type madeFact struct {
	parts  []string   // of the text between choices
	ways   [][]string // of each choice
	kinds  []byte     // '{', '[' or '<'
	choice []int
}

func makeFact(r *rand.Rand, template string) (f madeFact) {
	end := 0
	for _, at := range factParts.FindAllStringIndex(template, -1) {
		part := template[at[0]+1 : at[1]-1]
		f.parts, f.kinds = append(f.parts, template[end:at[0]]), append(f.kinds, template[at[0]])
		if ways := strings.Split(part, "|"); template[at[0]] == '{' {
			f.ways = append(f.ways, strings.Split(factTables[part], ","))
		} else {
			f.ways = append(f.ways, ways)
		}
		f.choice = append(f.choice, r.IntN(len(f.ways[len(f.ways)-1])))
		end = at[1]
	}
	f.parts = append(f.parts, template[end:])
	return f
}

// other returns the fact with another choice in so many places of some kinds, as far as there are any.
func (f madeFact) other(r *rand.Rand, kinds string, n int) madeFact {
	f.choice = slices.Clone(f.choice)
	for _, i := range r.Perm(len(f.choice)) {
		if strings.IndexByte(kinds, f.kinds[i]) >= 0 && n > 0 {
			f.choice[i] = (f.choice[i] + 1 + r.IntN(len(f.ways[i])-1)) % len(f.ways[i])
			n--
		}
	}
	return f
}

// said returns the fact without its wording.
func (f madeFact) said() (out string) {
	for i, kind := range f.kinds {
		if out += f.parts[i]; kind != '[' {
			out += f.ways[i][f.choice[i]]
		}
	}
	return out
}

func (f madeFact) String() string {
	out := ""
	for i, part := range f.parts {
		if out += part; i < len(f.choice) {
			out += f.ways[i][f.choice[i]]
		}
	}
	return strings.TrimSpace(out)
}

// reworded returns the fact in other words: of the template, of politeness, in another case, or with other marks.
func (f madeFact) reworded(r *rand.Rand) string {
	text := f.String()
	if r.IntN(2) > 0 {
		text = f.other(r, "[", 1+r.IntN(2)).String()
	}
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	if r.IntN(3) == 0 {
		text = one("Please note: ", "note that ", "FYI: ", "Just so you know, ", "Reminder: ", "For your information: ", "Remember that ", "Kindly note that ",
			"As a reminder, ", "It is a fact that ", "Heads up: ") + text
	}
	switch r.IntN(8) {
	case 0:
		text = strings.ToUpper(text)
	case 1:
		text = strings.ToLower(text)
	case 2:
		text = strings.ReplaceAll(text, " is ", " was ")
	case 3:
		text = strings.ReplaceAll(strings.ReplaceAll(text, "The ", ""), "the ", "")
	case 4:
		text = strings.ReplaceAll(strings.ReplaceAll(text, "does not", "doesn't"), " and ", ", and also ")
	case 5:
		text = strings.NewReplacer(" 3 ", " three ", " 5 ", " five ", " 12 ", " twelve ", " mg", "mg").Replace(text)
	}
	return text + one("", ".", "!", "")
}
