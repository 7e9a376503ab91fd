package recognise

import (
	"slices"
	"strings"
	"testing"
)

// TestLanguages checks sentences of users, each after what it must give: a kind, with a minus sign if it is negative, and what a fact
// is about.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for _, line := range saidLines(t) {
		want, text, _ := strings.Cut(line, ": ")
		got := found(text)
		if want == "nothing" && len(got) > 0 || want != "nothing" && !slices.Contains(got, want) {
			t.Errorf("%s: want %s, got %q", text, want, got)
		}
	}
}

// found returns the statements in a message as the tables name them.
func found(message string) (all []string) {
	for _, s := range foundIn(message) {
		name := string(s.Kind)
		if s.Negative {
			name = "-" + name
		}
		if s.Kind == Fact {
			name += "(" + s.About + ")"
		}
		all = append(all, name)
	}
	return all
}

func TestTwoLanguagesInOneMessage(t *testing.T) {
	for message, want := range map[string][]string{
		"Ich wohne in Leipzig. I'm allergic to peanuts.":                 {"fact(home)", "-preference"},
		"Hi, my name is Ana. Trabajo como enfermera en un hospital.":     {"fact(name)", "fact(job)"},
		"J'habite à Lyon.\nNon mi piacciono i film horror.":              {"fact(home)", "-preference"},
		"私は紅茶が好きです。我对花生过敏。":                                              {"preference", "-preference"},
		"Antworte mir immer auf Deutsch. Ik heet Sanne. Moro em Lisboa.": {"instruction", "fact(name)", "fact(home)"},
	} {
		if got := found(message); !slices.Equal(got, want) {
			t.Errorf("%q: want %q, got %q", message, want, got)
		}
	}
}

func TestSubjectOfCharacters(t *testing.T) {
	all := statementsOf("我最喜欢爵士乐。")
	if len(all) != 1 || !strings.Contains(all[0].Subject, "爵士") {
		t.Errorf("got %+v", all)
	}
}

func TestQuotedMailOfOtherLanguages(t *testing.T) {
	for _, message := range []string{
		"Danke.\nAm 12.03.2024 um 10:00 schrieb Max <max@example.org>:\nIch wohne in Berlin.",
		"Merci.\nLe lun. 4 mars 2024 à 10:00, Max <max@example.org> a écrit :\nJ'habite à Paris.",
		"Gracias.\n> Vivo en Madrid.\n> Soy alérgico a las nueces.",
		"```\n# Ich heiße Max\nje m'appelle Max\n```",
	} {
		if got := found(message); len(got) > 0 {
			t.Errorf("%q: got %q", message, got)
		}
	}
}
