package fault

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

func TestListIsBounded(t *testing.T) {
	t.Parallel()
	f := &List{}
	if f.Err() != nil {
		t.Errorf("an empty list is an error: %v", f.Err())
	}
	for i := range 2 * MaxFaults {
		f.Required(At("nodes").Index(i))
	}
	f.Append(f.Fields()...)
	var invalid *InvalidError
	if err := f.Err(); !errors.As(err, &invalid) || !errors.Is(err, ErrInvalid) || len(invalid.Fields) != MaxFaults {
		t.Errorf("%d faults: %v", f.Len(), err)
	}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	at := At("x")
	for want, check := range map[string]func(*List){
		"": func(f *List) { f.Word(at, "é", 1) },
		"too_long: must have at most 1 characters":                           func(f *List) { f.Text(at, "éé", 1) },
		"malformed: must be valid UTF-8":                                     func(f *List) { f.Text(at, "\xff", 9) },
		"malformed: must not contain NUL characters":                         func(f *List) { f.Text(at, "a\x00", 9) },
		"malformed: must not contain control characters":                     func(f *List) { f.Word(at, "a\n", 9) },
		"required: must not be blank":                                        func(f *List) { f.Word(at, " \u2003", 9) },
		"malformed: must not begin or end with a blank":                      func(f *List) { f.Trimmed(at, " a", 9) },
		"malformed: must have 1 to 256 characters and no control characters": func(f *List) { f.Key(at, strings.Repeat("a", 257)) },
		"too_long: must have at most 3 bytes":                                func(f *List) { f.Bytes(at, 4, 3) },
		"wrong_count: must have at most 3 items":                             func(f *List) { f.Items(at, 4, 3) },
		"wrong_count: must have 1 to 3 items":                                func(f *List) { f.SomeItems(at, 0, 3) },
		"duplicate: is the same as x[2].name":                                func(f *List) { f.Same(at, at.Index(2).Field("name")) },
		"not_one_of: must be one of a, b":                                    func(f *List) { f.OneOf(at, "c", "a", "b") },
		"out_of_range: must be from 1 to 5":                                  func(f *List) { f.Between(at, 6, 1, 5) },
		"out_of_range: must be from 0 to 1":                                  func(f *List) { f.Share(at, math.NaN()) },
		"out_of_range: must be a time from the year 1000 to 2199":            func(f *List) { f.Time(at, Latest) },
		"out_of_range: must not be in the future":                            func(f *List) { f.Past(at, now.Add(25*time.Hour), now) },
	} {
		f := &List{}
		check(f)
		got := ""
		for _, e := range f.Fields() {
			got += fmt.Sprintf("%s: %s", e.Code, e.Message)
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	f := &List{}
	f.OptionalKey(at, "")
	f.OptionalOneOf(at, "", "a")
	f.OptionalBetween(at, 0, 1, 5)
	f.Past(at, now.Add(23*time.Hour), now)
	if f.Err() != nil {
		t.Errorf("what is omitted, or nearly now: %v", f.Err())
	}
}

func TestCheckAsOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{now, ""},
		{now.Add(10 * time.Second), ""},
		{now.Add(11 * time.Second), "as_of: must not be in the future"},
		{Latest, "as_of: must be a time from the year 1000 to 2199"},
		{Earliest.Add(-1), "as_of: must be a time from the year 1000 to 2199"},
	} {
		got := ""
		for _, f := range Fields(CheckAsOf(&c.at, now)) {
			got += f.String()
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.at, got, c.want)
		}
	}
	if err := CheckAsOf(nil, now); err != nil {
		t.Errorf("the present: %v", err)
	}
}

func TestLeapSeconds(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"2016-12-31T23:59:60Z": "2016-12-31T23:59:59Z", "2016-12-31T23:59:60.5Z": "2016-12-31T23:59:59.5Z", "2017-01-01T05:29:60+05:30": "2017-01-01T05:29:59+05:30",
		"2016-12-31T23:59:60-08:00": "", "2016-12-31T22:59:60Z": "", "2016-12-31T23:59:61Z": "", "2016-12-31T23:59:60": "", "2016-12-31T23:59:60Z and more": "",
		"2016-12-31T23:59:59Z": "", "2016-12-31": "", ":60": "", "": "",
	} {
		if got := WithoutLeap(given); got != cmp.Or(want, given) {
			t.Errorf("%s: %s", given, got)
		}
	}
}

func TestUsersWhoLookAlike(t *testing.T) {
	t.Parallel()
	for id, good := range map[string]bool{
		"ada": true, "ada@example.org": true, "Ünal 🦊": true, "می\u200cخواهم": true, "a b": true,
		" ada": false, "ada ": false, "\u00a0ada": false, "a\u200bda": false, "ada\ufeff": false, "ad\u00ada": false, "\u202eada": false, "ada\u200d": false,
		"\u200cada": false, "\u2800": false, "a\U000e0061da": false, "ada\ufe0f": false, "\u3164": false, "": false,
	} {
		f := &List{}
		f.User(At("user_id"), id)
		if (f.Len() == 0) != good {
			t.Errorf("%q: %v", id, f.Fields())
		}
	}
}

func TestRelocate(t *testing.T) {
	t.Parallel()
	item := At("nodes").Index(0)
	for _, err := range []error{
		Invalid(item.Field("name"), Required, "is required"),
		&MissingError{Fields: []FieldError{{Path: item.Field("name")}}},
		&VersionError{Fields: []FieldError{Stale(item.Field("name"), 7)}},
	} {
		moved := Under(Within(fmt.Errorf("write: %w", err), item), At("body"))
		if got := Fields(moved)[0].Path.String(); got != "body.name" || Fields(err)[0].Path != item.Field("name") {
			t.Errorf("%v is located at %s", err, got)
		}
		for _, is := range []error{ErrInvalid, ErrNotFound, ErrConflict} {
			if errors.Is(err, is) != errors.Is(moved, is) {
				t.Errorf("%T is %T", err, moved)
			}
		}
	}
	if other := errors.New("other"); Within(other, item) != other || Within(nil, item) != nil { //nolint:errorlint // the same value
		t.Error("an error without faults changes")
	}
}
