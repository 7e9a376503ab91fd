package auth_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
)

// wrong sends a number of wrong keys from an address, and returns how many were looked up.
func (e *env) wrong(t *testing.T, address string, n int) (looked int) {
	t.Helper()
	for i := range n {
		_, err := e.Verify(auth.WithRemote(t.Context(), address), fmt.Sprintf("kith_wrong-%s-%d-%d", address, i, e.finds.Load()))
		switch {
		case errors.Is(err, auth.ErrUnauthorized):
			looked++
		case !errors.Is(err, auth.ErrAttempts):
			t.Fatal(err)
		}
	}
	return looked
}

// Wrong keys of one address are looked up a hundred times at once and two times a second; further ones cause no
// statement.
func TestWrongKeysAreSlowedDown(t *testing.T) {
	e := fresh(t)
	if n := e.wrong(t, "192.0.2.1:4711", 400); n != 100 {
		t.Errorf("%d of one address were looked at", n)
	}
	if n := e.finds.Load(); n > 102 {
		t.Errorf("%d statements for 400 wrong keys", n)
	}
	if n := e.wrong(t, "192.0.2.1:4712", 10); n != 0 {
		t.Errorf("%d from another port", n)
	}
	if n := e.wrong(t, "[::ffff:192.0.2.1]:4711", 10); n != 0 {
		t.Errorf("%d from the same address as an IPv6 one", n)
	}
	if n := e.wrong(t, "192.0.2.2:4711", 10); n != 10 {
		t.Errorf("%d of another address", n)
	}
	e.now = e.now.Add(5 * time.Second)
	if n := e.wrong(t, "192.0.2.1:4711", 20); n != 10 {
		t.Errorf("%d after five seconds", n)
	}
}

// A /64 of IPv6 counts as one caller. All addresses together have a limit too, and the memory for counts is bounded.
func TestWrongKeysOfManyAddresses(t *testing.T) {
	e := fresh(t)
	looked := 0
	for i := range 200 {
		looked += e.wrong(t, fmt.Sprintf("[2001:db8:0:1::%x]:4711", i), 1)
	}
	if looked != 100 {
		t.Errorf("%d of one network were looked at", looked)
	}
	looked = 0
	for i := range 12_000 {
		looked += e.wrong(t, fmt.Sprintf("[2001:db8:%x:%x::1]:4711", i>>8, 0x1000+i&0xff), 1)
	}
	if looked != 900 {
		t.Errorf("%d of all addresses, with those before at most 1000", looked)
	}
}

// An existing key is accepted while wrong ones come from its address, whether it was used before, is new, or was
// created elsewhere.
func TestWrongKeysLockNobodyOut(t *testing.T) {
	e := fresh(t)
	const address = "192.0.2.1:4711"
	from := auth.WithRemote(t.Context(), address)
	used, _ := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	unused, _ := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	if _, err := e.Verify(from, used); err != nil {
		t.Fatal(err)
	}
	e.wrong(t, address, 200)
	e.Forget() // as if two seconds had passed
	made, id := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	for what, key := range map[string]string{"used": used, "unused": unused, "made meanwhile": made} {
		if _, err := e.Verify(from, key); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	elsewhere := auth.New(&e.fake, func() time.Time { return e.now })
	defer elsewhere.Close()
	there, _, err := elsewhere.Create(t.Context(), auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	if err != nil {
		t.Fatal(err)
	}
	e.now = e.now.Add(2 * time.Second)
	e.wrong(t, address, 10)
	if _, err := e.Verify(from, there); err != nil {
		t.Errorf("made by another process two seconds ago: %v", err)
	}
	if err := e.Revoke(t.Context(), "", id); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Verify(from, made); err == nil {
		t.Error("a revoked key is let in")
	}
	// Many valid keys at once do not count against each other.
	var keys []string
	for range 300 {
		key, _ := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
		keys = append(keys, key)
	}
	var refused atomic.Int64
	var callers sync.WaitGroup
	for _, key := range keys {
		callers.Go(func() {
			if _, err := e.Verify(from, key); err != nil {
				refused.Add(1)
			}
		})
	}
	callers.Wait()
	if refused.Load() > 0 {
		t.Errorf("%d of 300 good keys at once were refused", refused.Load())
	}
}

// Of very many keys not all ids are read: others are looked up. Ids that take long to read are read less often.
func TestWrongKeysBesideVeryManyKeys(t *testing.T) {
	e := fresh(t)
	const address = "192.0.2.1:4711"
	key, _ := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	reads := 0
	e.ids = func() ([]string, error) {
		reads++
		e.now = e.now.Add(100 * time.Millisecond)
		return nil, nil
	}
	e.wrong(t, address, 200)
	for range 4 {
		if _, err := e.Verify(auth.WithRemote(t.Context(), address), key); !errors.Is(err, auth.ErrAttempts) {
			t.Errorf("the ids are not asked: %v", err)
		}
		e.now = e.now.Add(600 * time.Millisecond) // two more wrong keys a second are looked up
		e.wrong(t, address, 10)
	}
	if reads != 2 {
		t.Errorf("the ids were read %d times within 2.4 seconds, and reading takes a tenth of one", reads)
	}
	e.more = true
	e.now = e.now.Add(3 * time.Second)
	e.wrong(t, address, 10)
	if _, err := e.Verify(auth.WithRemote(t.Context(), address), key); err != nil {
		t.Errorf("a key that may exist: %v", err)
	}
}

// When the store is unavailable no attempt is counted, and its error is returned.
func TestAStoreThatIsAwayCountsNobody(t *testing.T) {
	e := fresh(t)
	find := e.find
	e.find = func(string) (auth.APIKey, error) { return auth.APIKey{}, graph.ErrUnavailable }
	for i := range 300 {
		if _, err := e.Verify(t.Context(), fmt.Sprintf("kith_%d", i)); !errors.Is(err, graph.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	e.find = find
	if n := e.wrong(t, "", 100); n != 100 {
		t.Errorf("%d were looked at", n)
	}
	e.ids = func() ([]string, error) { return nil, graph.ErrUnavailable }
	if _, err := e.Verify(t.Context(), "kith_one-more"); !errors.Is(err, graph.ErrUnavailable) {
		t.Errorf("beyond the bound: %v", err)
	}
}

// Earlier bootstrap keys are listed until they are revoked; those of older versions by their form.
func TestWarningsOfBootstrapKeys(t *testing.T) {
	e := fresh(t)
	warnings := func(given string) string {
		t.Helper()
		all, err := e.Warnings(t.Context(), given)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(all, "\n")
	}
	idOf := func(key string) string {
		t.Helper()
		p, err := e.Verify(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return p.KeyID
	}
	boot := func(key string) {
		t.Helper()
		if _, err := e.Bootstrap(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	one, two := strings.Repeat("1", 32), strings.Repeat("2", 32)
	boot(one)
	if got := warnings(one); got != "" {
		t.Errorf("a first one: %s", got)
	}
	e.made(t, auth.Spec{TeamID: auth.DefaultTeam, Scopes: auth.Scopes}) // by kith key create: no bootstrap key
	e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	boot(two)
	if got := warnings(two); !strings.HasSuffix(got, "revoke each of "+idOf(one)) || strings.Contains(got, "may be") {
		t.Errorf("another one: %s", got)
	}
	first := e.records[idOf(one)] // as an older version stored it
	first.Bootstrap = nil
	e.records[first.KeyID] = first
	if got := warnings(two); !strings.Contains(got, "may be earlier bootstrap keys") || !strings.HasSuffix(got, first.KeyID) {
		t.Errorf("an unmarked one: %s", got)
	}
	if err := e.Revoke(t.Context(), "", first.KeyID); err != nil {
		t.Fatal(err)
	}
	if got := warnings(two); got != "" {
		t.Errorf("revoked: %s", got)
	}
	if got := warnings(one); !strings.Contains(got, "was revoked") {
		t.Errorf("given again: %s", got)
	}
	if got := warnings(""); got != "" {
		t.Errorf("none given: %s", got)
	}
}

// A short bootstrap key from an older version stays valid, with a warning; a new one is refused.
func TestAShortBootstrapKey(t *testing.T) {
	e := fresh(t)
	const short = "sixteen-letters!"
	if _, err := e.Bootstrap(t.Context(), short); !errors.Is(err, fault.ErrInvalid) || !strings.Contains(err.Error(), "KITH_BOOTSTRAP_KEY") {
		t.Fatalf("a new one: %v", err)
	}
	long := strings.Repeat("x", 40)
	if _, err := e.Bootstrap(t.Context(), long); err != nil {
		t.Fatal(err)
	}
	var stored auth.APIKey
	for _, k := range e.records {
		stored = k
	}
	stored.Hash, stored.KeyID = sumOf(short), sumOf(short)[:12]
	e.records[stored.KeyID] = stored
	if _, err := e.Bootstrap(t.Context(), short); err != nil {
		t.Errorf("a stored one: %v", err)
	}
	all, err := e.Warnings(t.Context(), short)
	if err != nil || !slices.ContainsFunc(all, func(w string) bool { return strings.Contains(w, "fewer than 32") }) || strings.Contains(strings.Join(all, ""), short) {
		t.Errorf("%q, %v", all, err)
	}
}

func sumOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}
