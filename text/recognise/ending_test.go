package recognise

import "testing"

// What a sentence ends of what was said before, and what it leaves.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, after string
		want          bool
	}{
		{"I play the cello in an orchestra.", "I've given up the cello.", true},
		{"I'm on a gluten-free diet.", "I'm no longer gluten-free.", true},
		{"My flight to Oslo is on 3 May.", "My flight to Oslo got cancelled.", true},
		{"My boyfriend is Ruben.", "Ruben and I broke up.", true},
		{"We have a parrot called Pico.", "Pico died on Sunday.", true},
		{"I drive an old Saab.", "Sold the Saab yesterday.", true},
		{"I play the cello in an orchestra.", "My sister has given up the cello.", false},
		{"I play the cello in an orchestra.", "I've given up coffee.", false},
		{"I'm on a gluten-free diet.", "Am I no longer gluten-free?", false},
		{"I'm on a gluten-free diet.", "For this one recipe I'm no longer gluten-free.", false},
		{"My flight to Oslo is on 3 May.", "My flight to Oslo takes two hours.", false},
		{"Ich spiele Geige im Orchester.", "Ich habe die Geige verkauft.", true},
		{"Ich spiele Geige im Orchester.", "Seine Geige wurde gestohlen.", false},
		{"Mi novio se llama Bruno.", "Bruno y yo hemos roto.", true},
		{"Je joue du violon le jeudi.", "J'ai arrêté le violon.", true},
		{"Ho una Vespa rossa.", "Ho venduto la Vespa.", true},
		{"Ik heb een oude Volvo.", "Die Volvo heb ik verkocht.", true},
		{"Tenho um gato chamado Tigre.", "O Tigre morreu ontem.", true},
		{"テニスを毎週やっています。", "テニスはやめました。", true},
		{"我每周打网球。", "网球我不打了。", true},
	} {
		got := false
		for _, s := range statementsOf(c.after) {
			got = got || s.Ends(c.before) > 0
		}
		if got != c.want {
			t.Errorf("%q after %q: ends %t", c.after, c.before, got)
		}
	}
}

// What a user has one of has a name, but for what holds in some cases alone.
func TestSlots(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Always answer in Danish.":                 ":language",
		"Always answer in Danish when I ask you.":  "",
		"Please always keep your answers short.":   ":length",
		"My favourite dish is ramen.":              ":favourite favourit dish",
		"I'm a strict vegetarian.":                 ":diet",
		"I work at a bakery in Leeds.":             ":employer",
		"I work as a baker.":                       "job",
		"Antworte mir immer auf Dänisch.":          ":language",
		"Mi color favorito es el verde.":           ":favourite color favorito",
		"Je suis végétarienne depuis trois ans.":   ":diet",
		"Responde sempre em português, por favor.": ":language",
	} {
		about := ""
		for _, s := range statementsOf(message) {
			if s.Kind != End {
				about = s.About
			}
		}
		if about != want {
			t.Errorf("%q: about %q, want %q", message, about, want)
		}
	}
}

// Instructions are negative if their clause has an odd number of words that negate.
func TestPolarity(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"Always use emojis.": false, "Never use emojis.": true, "Please don't ever use emojis again.": true, "Stop using emojis.": true,
		"Never answer without a source.": false, "Don't forget that I sing.": false, "Always stop at the first error.": false,
		"Verwende nie Emojis.": true, "Verwende immer Emojis.": false, "Nunca uses emojis.": true, "N'utilise jamais d'emojis.": true,
		"今後は絵文字を使わないでください。": true, "以后不要用表情符号。": true,
	} {
		for _, s := range statementsOf(message) {
			if s.Kind == Instruction && s.Negative != want {
				t.Errorf("%q: negative %t", message, s.Negative)
			}
		}
	}
}
