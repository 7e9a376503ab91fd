package graph

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"kith/internal/keytable"
)

// RestorePlan records what the pieces of a dry run would have stored, so that later pieces are refused for the same
// reasons as in an import, except for rings. It is not safe for concurrent use, and must be closed.
type RestorePlan struct{ table *keytable.Table }

// Prefixes of the keys of its table.
const (
	planNode         = "n" // + entity key: some of the node's properties
	planName         = "m" // + natural key: the entity key
	planMerged       = "k" // + key of a merged node: the entity key
	planOwner        = "o" // + user: the entity key
	planRelationship = "r" // + key: from, type, to
	planWords        = "w" // new words of the team
	planSystem       = "s" // + system: how many items would have been added to it
)

// plannedProperties are the properties that can conflict with later nodes.
var plannedProperties = []string{"entity_key", "user_id", "source_key", "name", "canonical_name", "type", "system", "natural_key", "owner_of", "role"}

// planTextSize is the number of characters of a message.
const planTextSize = "text_size"

const planSeparator = "\x00" // does not occur in texts

// NewRestorePlan returns an empty plan for a dry run.
func NewRestorePlan() *RestorePlan { return &RestorePlan{keytable.New()} }

// Close deletes the plan's table.
func (p *RestorePlan) Close() error { return p.table.Close() }

// note records what a write would have stored.
func (p *RestorePlan) note(j *memoryJob) error {
	if p == nil {
		return nil
	}
	for _, r := range j.result.Nodes {
		if r.Status != Created && r.Status != Updated {
			continue
		}
		if err := p.noteNode(j.found.byKey[r.EntityKey]); err != nil {
			return err
		}
	}
	for _, r := range j.result.Relationships {
		if r.Status != Created {
			continue
		}
		if err := p.table.Put(planRelationship+r.Key, strings.Join([]string{r.From, r.Type, r.To}, planSeparator)); err != nil {
			return err
		}
	}
	if err := p.noteWords(j.fresh); err != nil {
		return err
	}
	for system, added := range j.grown {
		before, err := p.added(system)
		if err != nil {
			return err
		}
		if err := p.table.Put(planSystem+system, strconv.FormatInt(before+added, 10)); err != nil {
			return err
		}
	}
	return nil
}

// noteWords records words that a write would have added to the team.
func (p *RestorePlan) noteWords(fresh []string) error {
	if len(fresh) == 0 {
		return nil
	}
	before, err := p.words()
	if err != nil {
		return err
	}
	return p.table.Put(planWords, strings.Join(append(before, fresh...), planSeparator))
}

// words returns the words that would have been added to the team.
func (p *RestorePlan) words() ([]string, error) {
	if p == nil {
		return nil, nil
	}
	text, known, err := p.table.Get(planWords)
	if err != nil || !known {
		return nil, err
	}
	return strings.Split(text, planSeparator), nil
}

// added returns how many entities and relationships would have been added to a system.
func (p *RestorePlan) added(system string) (int64, error) {
	if p == nil {
		return 0, nil
	}
	text, known, err := p.table.Get(planSystem + system)
	if err != nil || !known {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

func (p *RestorePlan) noteNode(n *stored) error {
	some := map[string]string{"kind": n.kind.Name}
	for _, name := range plannedProperties {
		if value := n.Text(name); value != "" {
			some[name] = value
		}
	}
	if n.kind == MessageKind { // its text would be too much
		some[planTextSize] = strconv.Itoa(utf8.RuneCountInString(n.Text("text")))
	}
	raw, err := json.Marshal(some)
	if err == nil {
		err = p.table.Put(planNode+n.key(), string(raw))
	}
	if natural := n.Text("natural_key"); err == nil && natural != "" {
		err = p.table.Put(planName+natural, n.key())
	}
	for _, merged := range n.Texts("merged_keys") {
		if err == nil {
			err = p.table.Put(planMerged+merged, n.key())
		}
	}
	if err == nil && n.owns() {
		err = p.table.Put(planOwner+n.user(), n.key())
	}
	return err
}

// assume adds the planned nodes to what a write finds in the store.
func (p *RestorePlan) assume(j *memoryJob, l lookups) error {
	if p == nil {
		return nil
	}
	for _, key := range slices.Concat(l.entityKeys, l.ends) {
		if j.found.byKey[key] != nil {
			continue
		}
		n, err := p.node(key, j.now)
		if err != nil {
			return err
		}
		if n != nil {
			j.found.add(n)
		}
	}
	for _, name := range l.naturalKeys {
		if err := p.assumeBy(j, planName, "natural_key", name); err != nil {
			return err
		}
	}
	for _, user := range l.ownerUsers {
		if err := p.assumeBy(j, planOwner, "owner_of", user); err != nil {
			return err
		}
	}
	return nil
}

// assumeBy adds the planned node with a name or owner, unless it has changed since.
func (p *RestorePlan) assumeBy(j *memoryJob, begin, property, name string) error {
	key, known, err := p.table.Get(begin + name)
	if err != nil || !known || j.found.byKey[key] != nil {
		return err
	}
	n, err := p.node(key, j.now)
	if n != nil && n.Text(property) == name {
		j.found.add(n)
	}
	return err
}

// node returns a planned node; nil if it does not exist.
func (p *RestorePlan) node(key string, now time.Time) (*stored, error) {
	raw, known, err := p.table.Get(planNode + key)
	if err != nil || !known {
		return nil, err
	}
	var some map[string]string
	if err := json.Unmarshal([]byte(raw), &some); err != nil {
		return nil, err
	}
	n := &stored{Properties: Properties{"started_at": now}}
	n.kind, _ = KindOf(some["kind"])
	for _, name := range plannedProperties {
		n.putUnless(some[name] == "", name, some[name])
	}
	n.putUnless(n.Text("owner_of") == "", "is_owner", true)
	if size, err := strconv.ParseInt(some[planTextSize], 10, 64); err == nil {
		n.Properties[planTextSize] = size
	}
	return n, nil
}

// properties returns some properties of a planned node; nil if it does not exist.
func (p *RestorePlan) properties(key string) (Properties, error) {
	if p == nil {
		return nil, nil
	}
	n, err := p.node(key, time.Time{})
	if err != nil || n == nil {
		return nil, err
	}
	return n.Properties, nil
}

// Planned returns the kind and user of a node that the pieces before would have stored, by its key or that of one merged into it. A nil
// plan has none.
func (p *RestorePlan) Planned(key string) (kind Kind, user string, found bool, err error) {
	if p == nil {
		return Kind{}, "", false, nil
	}
	n, err := p.node(key, time.Time{})
	if err == nil && n == nil {
		var into string
		if into, found, err = p.table.Get(planMerged + key); found {
			n, err = p.node(into, time.Time{})
		}
	}
	if err != nil || n == nil {
		return Kind{}, "", false, err
	}
	return n.kind, n.user(), true, nil
}

// relationships returns the planned relationships with some keys.
func (p *RestorePlan) relationships(keys []string, found map[string][3]string) error {
	if p == nil {
		return nil
	}
	for _, key := range keys {
		text, known, err := p.table.Get(planRelationship + key)
		if err != nil {
			return err
		}
		if triple := strings.Split(text, planSeparator); known && len(triple) == 3 {
			found[key] = [3]string(triple)
		}
	}
	return nil
}
