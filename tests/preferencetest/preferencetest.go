// Package preferencetest holds the tests that every store of preferences must pass. Only tests import it.
package preferencetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/memory/preference"
	"kith/tests/testenv"
)

// Run tests a store of preferences.
func Run(t *testing.T, s preference.Storage) {
	t.Helper()
	for _, c := range []struct {
		name string
		do   func(*preferences)
	}{
		{"values are kept as they are", (*preferences).values},
		{"order", (*preferences).order},
		{"pages", (*preferences).pages},
		{"limits", (*preferences).limits},
		{"borders", (*preferences).borders},
		{"erasing", (*preferences).erasing},
		{"one alone", (*preferences).oneAlone},
		{"past", (*preferences).past},
		{"past erased", (*preferences).pastErased},
		{"pages of versions", (*preferences).pagesOfVersions},
		{"set at once", (*preferences).setAtOnce},
		{"replaced at once", (*preferences).replacedAtOnce},
		{"erased at once", (*preferences).erasedAtOnce},
		{"no time left", (*preferences).noTimeLeft},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.do(&preferences{T: t, store: s, team: testenv.Team(t)})
		})
	}
}

// preferences is a store and a team of one test.
type preferences struct {
	*testing.T
	store preference.Storage
	team  string
}

func (p *preferences) as(user string) graph.Scope { return graph.Scope{TeamID: p.team, UserID: user} }

func one(key, value string) preference.Preference {
	return preference.Preference{Key: key, Value: []byte(value)}
}

func (p *preferences) replace(user string, all ...preference.Preference) {
	p.Helper()
	if err := p.store.ReplacePreferences(p.Context(), p.as(user), all); err != nil {
		p.Fatal(err)
	}
}

func (p *preferences) of(user string) []preference.Preference {
	p.Helper()
	found, err := p.store.Preferences(p.Context(), p.as(user))
	if err != nil {
		p.Fatal(err)
	}
	return found
}

// has compares all preferences of a user; none is an empty list.
func (p *preferences) has(what, user string, want ...preference.Preference) {
	p.Helper()
	p.same(what, append([]preference.Preference{}, want...), p.of(user))
}

func (p *preferences) same(what string, want, got any) {
	p.Helper()
	if !reflect.DeepEqual(want, got) { // cmp takes ten seconds for the largest allowed values
		p.Errorf("%s (-want +got):\n%s", what, cmp.Diff(want, got))
	}
}

func (p *preferences) values() {
	p.has("before", "u")
	written := []preference.Preference{
		one("number", `1.0`), one("large", `123456789012345678901234567890e-7`), one("object", `{"b":1,"a":[true,null,{}],"b":2}`),
		one("text", `"<a href='x'>&amp; \u003c \\ \/ \" \ud83d\ude00 😀 \ud800 \u0000 %s $1 ' ; --"`), one("empty", `""`), one("no", `false`),
	}
	blanks := slices.Clone(written)
	blanks[2].Value = []byte(" {\n\"b\": 1,\t\"a\": [ true, null, { } ], \"b\": 2 } ")
	p.replace("u", blanks...)
	slices.SortFunc(written, func(a, b preference.Preference) int { return strings.Compare(a.Key, b.Key) })
	p.has("kept", "u", written...)

	p.replace("u", one("number", `2`), one("new", `[]`))
	p.has("replaced", "u", one("new", `[]`), one("number", `2`))
	p.replace("u")
	p.has("none", "u")
}

// words are in the order of every store: the order of code points, which equals the order of bytes in UTF-8. It differs from the
// orders of UTF-16 (the last three) and of languages (case, accents), and no two words are equal.
var words = []string{
	"!", "-", "10", "2", "A", "Z", "_", "a", "a b", "a'b", "aa", "ab", "a\u0301", "b", "z", "~", "ß", "\u00e1", "ä", "ı", "ж", "日", "가",
	"\ue000", "\uff5e", "\ufffd", "\U00010000", "😀", "\U0010ffff",
}

// scattered returns the words as preferences, in mixed order.
func scattered() []preference.Preference {
	all := make([]preference.Preference, len(words))
	for i, at := range rand.Perm(len(words)) {
		all[at] = one(words[i], fmt.Sprint(i))
	}
	return all
}

func (p *preferences) order() {
	p.replace("u", scattered()...)
	var keys []string
	for _, found := range p.of("u") {
		keys = append(keys, found.Key)
	}
	p.same("keys", words, keys)
	if !slices.IsSortedFunc(words, strings.Compare) {
		p.Error("the list of this test is not in the order of bytes")
	}
}

func (p *preferences) pages() {
	stranger := &preferences{T: p.T, store: p.store, team: testenv.Team(p.T)}
	stranger.replace("a", one("k", `"of another team"`))
	var want []preference.OfUser
	for _, user := range words {
		p.replace(user, scattered()...)
		for i, key := range words {
			want = append(want, preference.OfUser{UserID: user, Preference: one(key, fmt.Sprint(i))})
		}
	}
	for _, limit := range []int{7, len(words), len(want), len(want) + 1} {
		var got []preference.OfUser
		for user, key := "", ""; len(got) <= len(want); {
			page, err := p.store.TeamPreferences(p.Context(), p.team, user, key, limit)
			if err != nil {
				p.Fatal(err)
			}
			if len(page) > limit {
				p.Fatalf("a page of %d has %d", limit, len(page))
			}
			got = append(got, page...)
			if len(page) < limit {
				break
			}
			user, key = page[limit-1].UserID, page[limit-1].Key
		}
		p.same(fmt.Sprintf("pages of %d", limit), want, got)
	}
}

func (p *preferences) limits() {
	all := make([]preference.Preference, bounds.Preferences)
	for i := range all {
		all[i] = one(strings.Repeat("é", 124)+fmt.Sprintf("%04d", i), `"`+strings.Repeat("x", 4094)+`"`)
	}
	p.replace("u", all...)
	p.has("as many and as large as may be", "u", all...)
	for name, bad := range map[string][]preference.Preference{
		"one too many": append(slices.Clone(all), one("k", `1`)),
		"too large":    {one("k", `"`+strings.Repeat("x", 4095)+`"`)},
		"twice":        {one("k", `1`), one("k", `2`)},
		"no JSON":      {one("k", `secret`)},
		"null":         {one("k", `null`)},
		"NUL":          {one("k\x00", `1`)},
		"no UTF-8":     {one("k\xff", `1`)},
	} {
		p.invalid(name, p.store.ReplacePreferences(p.Context(), p.as("u"), bad))
	}
	p.has("after what was refused", "u", all...)
	p.invalid("replace without a user", p.store.ReplacePreferences(p.Context(), p.as(""), all))
	_, err := p.store.ErasePreferences(p.Context(), p.as(""))
	p.invalid("erase without a user", err)
	p.has("without a user", "")
}

func (p *preferences) invalid(what string, err error) {
	p.Helper()
	if !errors.Is(err, fault.ErrInvalid) || strings.Contains(err.Error(), "secret") {
		p.Errorf("%s: %v", what, err)
	}
}

// borders proves that two teams and two users see and change nothing of each other.
func (p *preferences) borders() {
	other := &preferences{T: p.T, store: p.store, team: testenv.Team(p.T)}
	p.replace("u", one("k", `"u"`))
	p.replace("U", one("k", `"U"`))
	other.replace("u", one("k", `"other"`))
	other.replace(p.team, one("k", `"named like a team"`))

	p.replace("u", one("k", `"again"`))
	p.has("the user's", "u", one("k", `"again"`))
	p.has("another user's", "U", one("k", `"U"`))
	other.has("another team's", "u", one("k", `"other"`))
	p.has("nobody's", "v")

	p.replace("u")
	p.has("another user's", "U", one("k", `"U"`))
	other.has("another team's", "u", one("k", `"other"`))
	other.has("of a user named like a team", p.team, one("k", `"named like a team"`))
}

func (p *preferences) erasing() {
	other := &preferences{T: p.T, store: p.store, team: testenv.Team(p.T)}
	for _, store := range []*preferences{p, other} {
		for _, user := range []string{"u1", "u2", "u3"} {
			store.replace(user, one("a", `1`), one("b", `2`))
		}
	}
	p.erased("a user", 2)(p.store.ErasePreferences(p.Context(), p.as("u1")))
	p.has("erased", "u1")
	p.has("another user's", "u2", one("a", `1`), one("b", `2`))
	p.erased("a user again", 0)(p.store.ErasePreferences(p.Context(), p.as("u1")))

	p.erased("the team", 4)(p.store.EraseTeamPreferences(p.Context(), p.team))
	p.has("the team erased", "u2")
	p.erased("the team again", 0)(p.store.EraseTeamPreferences(p.Context(), p.team))
	rest, err := p.store.TeamPreferences(p.Context(), p.team, "", "", 10)
	if err != nil || len(rest) > 0 {
		p.Errorf("left of the team: %v, %v", rest, err)
	}
	other.has("another team's", "u1", one("a", `1`), one("b", `2`))
	p.replace("u1", one("c", `3`))
	p.has("after an erasure", "u1", one("c", `3`))
}

func (p *preferences) erased(what string, want int64) func(int64, error) {
	return func(got int64, err error) {
		p.Helper()
		if got != want || err != nil {
			p.Errorf("erased of %s: %d, want %d; %v", what, got, want, err)
		}
	}
}

func (p *preferences) set(user, key, value string) error {
	return p.store.SetPreference(p.Context(), p.as(user), one(key, value))
}

// oneAlone checks that a preference is set and deleted without a change to the others.
func (p *preferences) oneAlone() {
	other := &preferences{T: p.T, store: p.store, team: testenv.Team(p.T)}
	other.replace("u", one("k", `"other"`))
	p.replace("U", one("k", `"U"`))
	for _, value := range []string{` { "a": 1.0 } `, `"again"`} {
		if err := p.set("u", "k", value); err != nil {
			p.Fatal(err)
		}
	}
	if err := p.set("u", "b", `{"a": 1.0}`); err != nil {
		p.Fatal(err)
	}
	p.has("set", "u", one("b", `{"a":1.0}`), one("k", `"again"`))
	if err := p.store.DeletePreference(p.Context(), p.as("u"), "k"); err != nil {
		p.Error(err)
	}
	if err := p.store.DeletePreference(p.Context(), p.as("u"), "k"); !errors.Is(err, fault.ErrNotFound) {
		p.Errorf("deleted twice: %v", err)
	}
	p.has("one deleted", "u", one("b", `{"a":1.0}`))
	p.has("another user's", "U", one("k", `"U"`))
	other.has("another team's", "u", one("k", `"other"`))
	p.invalid("null", p.set("u", "k", `null`))
	p.invalid("no key", p.set("u", "", `1`))
	p.invalid("no user", p.set("", "k", `1`))
	p.invalid("delete without a user", p.store.DeletePreference(p.Context(), p.as(""), "k"))

	all := make([]preference.Preference, bounds.Preferences)
	for i := range all {
		all[i] = one(fmt.Sprintf("%03d", i), `1`)
	}
	p.replace("u", all...)
	if err := p.set("u", "one too many", `1`); !errors.Is(err, preference.ErrTooMany) {
		p.Errorf("one too many: %v", err)
	}
	if err := p.set("u", "007", `2`); err != nil {
		p.Errorf("one of as many as may be: %v", err)
	}
	all[7] = one("007", `2`)
	p.has("full", "u", all...)
}

// setAtOnce checks that concurrent writers of different preferences of one user lose nothing, also for a user without any before.
func (p *preferences) setAtOnce() {
	for round := range rounds {
		user := fmt.Sprint("u", round)
		p.atOnce(func(writer int) error { return p.set(user, fmt.Sprint("own-", writer), fmt.Sprint(writer)) })
		var want []preference.Preference
		for writer := range writers {
			want = append(want, one(fmt.Sprint("own-", writer), fmt.Sprint(writer)))
		}
		p.has("set at once", user, want...)
	}
}

const (
	writers = 8
	rounds  = 10
)

// set returns all preferences that one writer writes. Some keys belong to the writer, some to all writers. Each writer has a
// different order, which could lead to deadlocks.
func set(writer int) []preference.Preference {
	var all []preference.Preference
	for i := range 4 {
		all = append(all, one(fmt.Sprintf("own-%d-%d", writer, i), fmt.Sprint(writer)), one(fmt.Sprintf("shared-%d", i), fmt.Sprint(writer)))
	}
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// whole returns the writer of a set; -1 for a mixture.
func whole(found []preference.Preference) int {
	for writer := range writers {
		want := set(writer)
		slices.SortFunc(want, func(a, b preference.Preference) int { return strings.Compare(a.Key, b.Key) })
		if cmp.Equal(want, found) {
			return writer
		}
	}
	return -1
}

// replacedAtOnce checks that one of several concurrent replacements stays as a whole, for a user with and without preferences
// before.
func (p *preferences) replacedAtOnce() {
	for round := range rounds {
		user := fmt.Sprint("u", round%3)
		p.atOnce(func(writer int) error { return p.store.ReplacePreferences(p.Context(), p.as(user), set(writer)) })
		if found := p.of(user); whole(found) < 0 {
			p.Fatalf("round %d: a mixture stays: %v", round, found)
		}
	}
}

// erasedAtOnce checks a replacement beside an erasure of the user or the team. It stays whole or not at all, and the erasure
// counts what existed.
func (p *preferences) erasedAtOnce() {
	for round := range rounds {
		p.replace("u", set(0)...)
		p.atOnce(func(writer int) error {
			switch writer {
			case 1:
				return p.countsSets(p.store.ErasePreferences(p.Context(), p.as("u")))
			case 2:
				return p.countsSets(p.store.EraseTeamPreferences(p.Context(), p.team))
			default:
				return p.store.ReplacePreferences(p.Context(), p.as("u"), set(writer))
			}
		})
		if found := p.of("u"); len(found) > 0 && whole(found) < 0 {
			p.Fatalf("round %d: a part stays: %v", round, found)
		}
	}
}

func (p *preferences) countsSets(erased int64, err error) error {
	if size := int64(len(set(0))); err == nil && erased != 0 && erased != size {
		return fmt.Errorf("erased %d of sets of %d", erased, size)
	}
	return err
}

// atOnce calls do from all writers at the same time.
func (p *preferences) atOnce(do func(writer int) error) {
	p.Helper()
	var all errgroup.Group
	start := make(chan struct{})
	for writer := range writers {
		all.Go(func() error { <-start; return do(writer) })
	}
	close(start)
	if err := all.Wait(); err != nil {
		p.Fatal(err)
	}
}

// noTimeLeft checks that a passed deadline returns the error of a slow database, and that a cancelled request returns its
// cancellation.
func (p *preferences) noTimeLeft() {
	late, cancel := context.WithDeadline(p.Context(), time.Now().Add(-time.Second))
	defer cancel()
	gone, leave := context.WithCancel(p.Context())
	leave()
	for want, ctx := range map[error]context.Context{graph.ErrUnavailable: late, context.Canceled: gone} {
		_, read := p.store.Preferences(ctx, p.as("u"))
		_, page := p.store.TeamPreferences(ctx, p.team, "", "", 1)
		_, user := p.store.ErasePreferences(ctx, p.as("u"))
		_, team := p.store.EraseTeamPreferences(ctx, p.team)
		replace := p.store.ReplacePreferences(ctx, p.as("u"), []preference.Preference{one("k", `"secret"`)})
		_, then := p.store.PreferencesAt(ctx, p.as("u"), time.Now())
		_, versions := p.store.PreferenceVersions(ctx, p.as("u"), "", "", 1)
		set := p.store.SetPreference(ctx, p.as("u"), one("k", `"secret"`))
		remove := p.store.DeletePreference(ctx, p.as("u"), "k")
		for what, err := range map[string]error{"read": read, "page": page, "user": user, "team": team, "replace": replace, "set": set, "delete": remove, "then": then, "versions": versions} {
			if !errors.Is(err, want) || strings.Contains(err.Error(), "secret") {
				p.Errorf("%s: %v, want %v", what, err, want)
			}
		}
	}
}
