package graph

import (
	"fmt"
	"sync"
	"time"
	"unicode/utf8"
)

// Quota is how much each team may have; 0: any number.
type Quota struct {
	Nodes int64
	Text  int64 // characters of names, descriptions, summaries, messages, contents, own properties and notes
}

const (
	usageFresh = time.Second      // a measure that may refuse a write is no older
	usageTime  = 10 * time.Second // and one that admits it no older than this,
	usageShare = 100              // or than so many times what measuring took
)

// quotaTexts are the properties whose characters count.
var quotaTexts = []string{"name", "description", "summary", "text", "content", "properties"}

// usages is how much the teams have of which this process writes.
type usages struct {
	mu     sync.Mutex
	byTeam map[string]*usage
}

// usage is how much a team was measured to have, and what this process wrote since.
type usage struct {
	mu       sync.Mutex
	has      amount
	open     amount // of it what is not committed yet, and so is not measured
	measured time.Time
	stale    time.Time // from then on it is measured again
}

// amount is how much of what has a quota.
type amount struct{ nodes, text int64 }

func (a amount) plus(b amount) amount { return amount{a.nodes + b.nodes, a.text + b.text} }

func (a amount) minus(b amount) amount { return amount{a.nodes - b.nodes, a.text - b.text} }

// reserved is what a transaction is about to add to a team's.
type reserved struct {
	*usage
	amount
}

func (u *usages) of(teamID string) *usage {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.byTeam == nil {
		u.byTeam = map[string]*usage{}
	}
	if u.byTeam[teamID] == nil {
		u.byTeam[teamID] = &usage{}
	}
	return u.byTeam[teamID]
}

// admit counts the rows of nodes that a write is about to create: ErrQuota where the team may not have them. What other
// processes write is seen when the team is measured again, so that a quota can be passed by what they write in ten seconds.
func (t *tx) admit(teamID string, rows []map[string]any) error {
	quota := t.store.options.Quota
	if quota == (Quota{}) || len(rows) == 0 {
		return nil
	}
	added := amount{nodes: int64(len(rows))}
	if quota.Text > 0 {
		for _, row := range rows {
			added.text += sizeOf(row["properties"])
		}
	}
	u := t.store.usages.of(teamID)
	u.mu.Lock()
	defer u.mu.Unlock()
	err := quota.exceeded(u.has.plus(added))
	if now := time.Now(); now.After(u.stale) || err != nil && now.Sub(u.measured) > usageFresh {
		if err := t.measure(teamID, u); err != nil {
			return err
		}
		err = quota.exceeded(u.has.plus(added))
	}
	if err == nil {
		u.has, u.open = u.has.plus(added), u.open.plus(added)
		t.reserved = append(t.reserved, reserved{u, added})
	}
	return err
}

// release says that a transaction has ended: what it was about to add is there, or is not. Measured in between, what is
// there may count twice until the team is measured again.
func (t *tx) release(committed bool) {
	if t == nil {
		return
	}
	for _, r := range t.reserved {
		r.mu.Lock()
		r.open = r.open.minus(r.amount)
		if !committed {
			r.has = r.has.minus(r.amount)
		}
		r.mu.Unlock()
	}
	t.reserved = nil
}

func (q Quota) exceeded(a amount) error {
	switch {
	case q.Nodes > 0 && a.nodes > q.Nodes:
		return fmt.Errorf("the team may have %d nodes, and would have more: delete some, or ask for a larger quota: %w", q.Nodes, ErrQuota)
	case q.Text > 0 && a.text > q.Text:
		return fmt.Errorf("the team may have %d characters of text, and would have more: delete some, or ask for a larger quota: %w", q.Text, ErrQuota)
	}
	return nil
}

// measure asks the database how much a team has: in the transaction itself, as writers who wait for the answer may hold
// all other connections. It sees what this transaction has added, and not what others have.
func (t *tx) measure(teamID string, u *usage) error {
	begun := time.Now()
	rows, err := t.exec("team_usage", map[string]any{"team_id": teamID, "texts": t.store.options.Quota.Text > 0})
	if err != nil {
		return err
	}
	others := u.open
	for _, r := range t.reserved {
		if r.usage == u {
			others = others.minus(r.amount)
		}
	}
	u.has, u.measured = others.plus(amount{integer(rows[0].Values[0]), integer(rows[0].Values[1])}), time.Now()
	u.stale = u.measured.Add(max(usageTime, usageShare*u.measured.Sub(begun)))
	return nil
}

// sizeOf is how many characters of a new node's properties count.
func sizeOf(row any) (size int64) {
	p, ok := row.(properties)
	if !ok {
		p, _ = row.(map[string]any)
	}
	for _, name := range quotaTexts {
		size += int64(utf8.RuneCountInString(p.text(name)))
	}
	for _, note := range p.texts("notes") {
		size += int64(utf8.RuneCountInString(note))
	}
	return size
}
