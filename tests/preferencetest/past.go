package preferencetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/preference"
	"kith/tests/testenv"
)

// tick waits until the clock of stores shows another time, and returns it.
func tick() time.Time {
	time.Sleep(3 * time.Millisecond)
	now := time.Now().UTC().Truncate(time.Millisecond)
	time.Sleep(3 * time.Millisecond)
	return now
}

// past writes at random, and compares the preferences of each time with what they were then, and their versions with what was written.
func (p *preferences) past() {
	other := &preferences{T: p.T, store: p.store, team: testenv.Team(p.T)}
	type moment struct {
		at  time.Time
		had []preference.Preference
	}
	moments := []moment{{tick(), nil}}
	keys := []string{"a", "ab", "b", "é"}
	for range 40 {
		key, value := keys[rand.IntN(len(keys))], fmt.Sprint(rand.IntN(3))
		switch rand.IntN(4) {
		case 0:
			var all []preference.Preference
			for _, i := range rand.Perm(len(keys))[:rand.IntN(len(keys))] {
				all = append(all, one(keys[i], fmt.Sprint(rand.IntN(3))))
			}
			p.replace("u", all...)
		case 1:
			if err := p.store.DeletePreference(p.Context(), p.as("u"), key); err != nil && !errors.Is(err, fault.ErrNotFound) {
				p.Fatal(err)
			}
		default:
			if err := p.set("u", key, value); err != nil {
				p.Fatal(err)
			}
		}
		other.replace("u", one(key, value))
		p.replace("u ", one(key, value)) // a user whose id begins with that of the first
		moments = append(moments, moment{tick(), p.of("u")})
	}
	for i, m := range moments {
		found, err := p.store.PreferencesAt(p.Context(), p.as("u"), m.at)
		if err != nil {
			p.Fatal(err)
		}
		p.same(fmt.Sprintf("as of moment %d", i), append([]preference.Preference{}, m.had...), append([]preference.Preference{}, found...))
	}
	for _, key := range keys {
		var want []string
		was := ""
		for _, m := range moments {
			is := ""
			if at := slices.IndexFunc(m.had, func(f preference.Preference) bool { return f.Key == key }); at >= 0 {
				is = string(m.had[at].Value)
			}
			if is != was && is != "" {
				want = append(want, is)
			} else if is != was {
				want[len(want)-1] += " deleted"
			}
			was = is
		}
		slices.Reverse(want)
		p.same("versions of "+key, want, p.versions("u", key))
	}
}

// versions returns the values of all versions of a preference, the newest first. The newest has no end unless it was deleted.
func (p *preferences) versions(user, key string) (all []string) {
	p.Helper()
	page, err := p.store.PreferenceVersions(p.Context(), p.as(user), key, "", 100)
	if err != nil {
		p.Fatal(err)
	}
	for i, v := range page.Versions {
		line := string(v.Value)
		if v.Deleted {
			line += " deleted"
		}
		if stored := v.Until == nil; v.Key != key || stored && i > 0 || !stored && !v.Until.After(v.From) {
			p.Errorf("version %d of %s: %+v", i, key, v)
		}
		all = append(all, line)
	}
	return all
}

func (p *preferences) pastErased() {
	other := &preferences{T: p.T, store: p.store, team: testenv.Team(p.T)}
	for _, store := range []*preferences{p, other} {
		for _, user := range []string{"u1", "u2"} {
			for _, value := range []string{`1`, `2`} {
				store.replace(user, one("k", value))
				tick()
			}
		}
	}
	p.erased("a user", 1)(p.store.ErasePreferences(p.Context(), p.as("u1")))
	p.same("of the erased user", []string(nil), p.versions("u1", "k"))
	p.same("of another user", []string{"2", "1"}, p.versions("u2", "k"))
	then, err := p.store.PreferencesAt(p.Context(), p.as("u1"), time.Now())
	p.same("as of then", []any{0, nil}, []any{len(then), err})
	p.erased("the team", 1)(p.store.EraseTeamPreferences(p.Context(), p.team))
	p.same("of the erased team", []string(nil), p.versions("u2", "k"))
	p.same("of another team", []string{"2", "1"}, other.versions("u1", "k"))
}

// pagesOfVersions reads the versions of all preferences of a user page by page, with who set them.
func (p *preferences) pagesOfVersions() {
	ctx := graph.WithWriter(p.Context(), graph.Writer{KeyID: "k1", Through: "put-preferences"})
	for i := range 5 {
		all := []preference.Preference{one("a", fmt.Sprint(i)), one("b", `0`), one("c", fmt.Sprint(-i))}
		if err := p.store.ReplacePreferences(ctx, p.as("u"), all); err != nil {
			p.Fatal(err)
		}
		tick()
	}
	p.replace("u", one("a", `4`), one("b", `0`)) // nobody's
	want := []string{"a=4", "b=0", "c=-4 deleted", "a=3", "c=-3", "a=2", "c=-2", "a=1", "c=-1", "a=0", "c=0"}
	for _, limit := range []int{1, 2, 3, 11, 12} {
		var got []string
		for cursor := ""; len(got) <= len(want); {
			page, err := p.store.PreferenceVersions(p.Context(), p.as("u"), "", cursor, limit)
			if err != nil || len(page.Versions) > limit {
				p.Fatalf("a page of %d: %+v, %v", limit, page, err)
			}
			for _, v := range page.Versions {
				line := v.Key + "=" + string(v.Value)
				if v.Deleted {
					line += " deleted"
				}
				if v.By != "k1" || v.Through != "put-preferences" {
					p.Errorf("%s was set by %q through %q", line, v.By, v.Through)
				}
				got = append(got, line)
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		p.same(fmt.Sprintf("pages of %d", limit), want, got)
	}
	for _, cursor := range []string{"x", strings.Repeat("a", 5000), "cHJlZmVyZW5jZR8x"} {
		_, err := p.store.PreferenceVersions(p.Context(), p.as("u"), "", cursor, 1)
		p.invalid("cursor "+cursor[:1], err)
	}
}
