package explain

import (
	"strings"
	"testing"
)

func TestFewWords(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		kinds string
	}{
		{"User prefers Python 3.12", "user prefers python3.12!", ""},
		{"User prefers Python 3.12", "User prefers Python 3.11", "numbers"},
		{"The deploy key of service alpha expires in March", "The deploy key of service beta expires in March", "words"},
		{"alpha is on call", "beta is on call", "words"},
		{"feature x is enabled", "feature x is disabled", "words"},
		{"run it before lunch", "run it after lunch", "words"},
		{"traffic increased in town", "traffic decreased in town", "words"},
		{"we meet on Monday", "we meet on Friday", "names"},
		{"the lamp is red", "the lamp is green", "words"},
		{"take 5 mg a day", "take 5 g a day", "numbers,words"},
		{"take 5mg a day", "take five mg per day.", ""},
		{"at -5 it stops", "at +5 it stops", "numbers,symbols"},
		{"from nine to five", "from 9 to 5", ""},
		{"two hundred and five men", "205 men", ""},
		{"two hundred men", "two hundred and five men", "numbers"},
		{"the first of May", "the 1st of May", ""},
		{"one hundred thousand and twelve", "100,012", ""},
		{"3.5 million people", "3,500,000 people", ""},
		{"José meets Zoë", "Jose meets Zoe", ""},
		{"it grew by 5 %", "it grew by 5 percent", ""},
		{"it does not rain", "it doesn’t rain", ""},
		{"it can rain", "it cannot rain", "negations"},
		{"she is able to swim", "she is unable to swim", "negations"},
		{"the user likes tea", "the user likes green tea", "words"},
		{"the colour was cancelled", "the color is canceled", ""},
		{"she bought a bicycle", "she purchased a bike", ""},
		{"my e-mail is new, log in", "my email is new, login", ""},
		{"the adress is wirtten down", "the address is written down", ""}, //nolint:misspell // it is what is tested
		{"they eat seperately", "they eat separately", ""},                //nolint:misspell // the same
		{"protect the gate", "project the gate", "words"},
		{"Please note: the door is open", "the door is open", ""},
		{"It is true that the door is open", "the door is open", ""},
		{"In Rome, the door is open", "the door is open", "names"},
		{"on Monday the team meets in Rome", "the team meets in Rome on Monday", ""},
		{"in March we swim on Monday", "on Monday we swim in March", ""},
		{"she flies from Rome to Oslo", "she flies from Oslo to Rome", "names"},
		{"Anna helps Olaf", "Olaf helps Anna", "names,words"},
		{"Anna assists Olaf", "Olaf helps Anna", "names,words"},
		{"Anna is helped by Olaf", "Olaf helps Anna", ""},
		{"3 cups of tea and 5 of milk", "5 cups of tea and 3 of milk", "numbers"},
		{"v1.2 of a1b2", "v1.2 of a1b3", "numbers"},
		{"THE LAMP IS RED", "the lamp is red", ""},
		{"she has to pay", "she must pay", ""},
		{"she needs to pay", "she may pay", "words"},
		{"le café ferme", "le cafe ferme", ""},
		{"staging: deploy at 5", "deploy at 5", ""},
		{"staging: deploy at 5", "production: deploy at 5", "words"},
		{"In Rome: deploy at 5", "deploy at 5", "names"},
		{"version 3 12", "version 312", "numbers"},
		{"委员会会来", "委员会不来", "negations,words"},
		{"Łódź, Straße, Ørsted", "lodz strasse orsted", ""},
		{"due on 3 May 2024", "due on May 3rd, 2024", ""},
		{"due on 3 May 2024", "due on 2024-05-03", ""},
		{"due on the 3rd of Sept. 2024", "due on 3-Sep-2024", ""},
		{"due on 25/12/2024", "due on 12/25/2024", ""},
		{"due on 25/12/2024", "due on 26 December 2024", "numbers"},
		{"due on 3 May 2024", "due on 03/05/2024", "numbers"}, // which may be in March
		{"due on 2024-05-03", "due on 2024-03-05", "numbers"},
		{"from 3 May to 5 June", "from 5 May to 3 June", "numbers"},
		{"on 2 May 3 men came", "on May 3, 2 men came", "numbers"},
		{"version 2, 3 users", "version 3, 2 users", "numbers"},
		{"at 15:00 on 3 May", "on May 3 at 3 pm", ""},
		{"open at 3 pm", "open at 15:00", ""},
		{"open at 03:30", "open at 3:30 a.m.", ""},
		{"open at noon", "open at 12 pm", ""},
		{"open at 3 pm", "open at 3 am", "numbers"},
		{"open at 3:30", "open at 3:30 pm", "numbers"},
		{"Olaf is in at 06:00", "Anna is in at 6am", "numbers,words"},
		{"open at 3:30", "open at 3:30 am", "numbers"},
		{"8 pounds, not 60 lbs", "8 lbs, not 60 lbs", ""},
		{"½ a cup and 1½ spoons", "half a cup and one and a half spoons", ""},
		{"3/4 of it", "0.75 of it", ""},
		{"page 1/2", "page 2/4", "numbers"},
		{"2 half days", "2½ days", "numbers"},
		{"it costs $5", "it costs five dollars", ""},
		{"it costs US$5.00", "it costs USD 5", ""},
		{"it costs $2.5m", "it costs 2,500,000 dollars", ""},
		{"it costs $5", "it costs €5", "numbers,symbols,words"},
		{"it costs $5", "it costs A$5", "words"},
		{"a queue of 5m", "a queue of 5 million", "numbers,words"},
		{"12k runners", "12,000 runners", ""},
		{"5 km in 20 °C", "five kilometres in 20 degrees Celsius", ""},
		{"21 and ¼", "20 and one quarter", "numbers"},
		{"twenty and one half", "twenty-one and a half", "numbers"},
		{"2 mm in Rome", "2 mins in Rome", "numbers,words"},
		{"5m in Rome", "5 min in Rome", "numbers,words"},
		{"5 mm of rain", "5 m of rain", "numbers,words"},
		{"ten per cent here, 5 per cent there", "10 % here, 5 pct there", ""},
		{"the fifteenth floor", "the 15th floor", ""},
		{"Dr. Berg of Harbour St.", "Doctor Berg of Harbour Street", ""},
		{"for Anna's mother", "for the mother of Anna", ""},
		{"for Anna's friend", "for the friend's Anna", "names,words"},
		{"the U.S. office", "the United States office", ""},
		{"this is for the US", "this is for us", "names"},
	} {
		a, b := Read([]byte(c.a)), Read([]byte(c.b))
		for _, got := range []FactKinds{a.Differ(&b), b.Differ(&a)} {
			if got&Content != 0 && c.kinds == "" || (got&Content).String() != c.kinds {
				t.Errorf("%q and %q differ in %q, want %q", c.a, c.b, got&Content, c.kinds)
			}
		}
	}
	long := strings.Repeat("word after word ", 14)
	if a, b := Read([]byte(long+"here")), Read([]byte(long+"there")); a.Few() || a.Differ(&b) != 0 {
		t.Error("texts of more words differ by a word")
	}
}
