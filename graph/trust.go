package graph

import (
	"fmt"
	"slices"
	"strings"

	"kith/graph/searchscope"
	"kith/graph/trust"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// belief is how far a write of a fact is believed.
type belief struct {
	trust.Evidence

	tellers  []teller // none: a caller tells it, and nothing limits the trust
	confirms bool     // it is told by a caller, who says so of the whole fact
	reviewed bool     // a reviewer says so of what the write gives
	private  bool     // a source belongs to a user
}

// teller is whoever tells a fact: a source, or a writer whose trust is limited.
type teller struct {
	origin, author string
	trust          float64
}

// isTold reports whether a caller tells it, and nothing limits the trust.
func (b belief) isTold() bool { return len(b.tellers) == 0 }

// told returns how far what it tells is believed, and who told it.
func (b belief) told() trust.Told {
	if b.Trust == 1 {
		return trust.Told{}
	}
	return trust.Told{Trust: &b.Trust, Origin: b.Origin}
}

// less reports whether a stored fact is believed more.
func (b belief) less(p Properties) bool { return b.Trust < TrustIn(p) }

// TrustIn returns the trust of a stored fact, source or message. What nobody limited is believed.
func TrustIn(p Properties) float64 {
	if t, ok := p["trust"].(float64); ok {
		return t
	}
	return 1
}

// Told returns how far what has these properties is believed, and who told it.
func (p Properties) Told() trust.Told { return trust.NewTold(p["trust"], p.Text("origin")) }

// Told returns how far a node is believed, and who told it.
func (n *NodeView) Told() trust.Told {
	if n.OwnFields == nil {
		return trust.Told{}
	}
	return trust.Told{Trust: n.Trust.Pointer(), Origin: n.Origin.Value}
}

// Told returns how far a relationship is believed, and who told it.
func (r *RelationshipView) Told() trust.Told { return trust.Told{Trust: r.Trust, Origin: r.Origin} }

// Told returns how far a message is believed, and who told it. The origin of its source is not known here: that of its role counts.
func (m *Message) Told() trust.Told {
	return trust.Told{Trust: m.Trust, Origin: trust.OfRole(m.Role, trust.User)}
}

// checkDerivedFrom checks the sources that a write is derived from, without the store.
func checkDerivedFrom(f *Faults, sources []string) {
	at := fault.At("derived_from")
	if !f.Items(at, len(sources), maxDerivedFrom) {
		return
	}
	for i, key := range sources {
		f.Word(at.Index(i), key, bounds.KeyLength)
		if first := slices.Index(sources, key); first < i {
			f.Same(at.Index(i), at.Index(first))
		}
	}
}

// maxDerivedFrom is the most sources from which one write is derived.
const maxDerivedFrom = 20

// believed returns how far a writer is believed.
func (l Limit) believed() belief {
	b := belief{Evidence: trust.Evidence{Origin: l.Origin, Trust: l.Trust.Or(1)}}
	if l.Origin != "" {
		b.Trust = min(b.Trust, trust.Of(l.Origin))
	}
	if b.Trust < 1 {
		b.tellers = []teller{{l.Origin, "", b.Trust}}
	}
	return b
}

// lower returns the less believed of an origin and that of the writer.
func (l Limit) lower(origin string) string {
	if l.Origin != "" && trust.Of(l.Origin) < trust.Of(origin) {
		return l.Origin
	}
	return origin
}

// Believed returns the most that what the writer tells is believed.
func (l Limit) Believed() float64 { return l.believed().Trust }

// derive lets the write rest on its sources: what is derived carries the least trust of them. It returns an InvalidError for a source
// that the scope cannot see or that was withdrawn.
func (j *memoryJob) derive() error {
	f := &Faults{}
	for i, key := range j.write.DerivedFrom {
		at, source := fault.At("derived_from").Index(i), j.found.byKey[key]
		switch {
		case source == nil || source.kind != SourceKind || !source.visible(j.scope):
			f.Add(at, fault.Missing, "source not found")
			continue
		case source.Properties["withdrawn_at"] != nil:
			f.Add(at, fault.Conflict, "was withdrawn")
			continue
		}
		origin, t := source.derivedTrust()
		if t < j.belief.Trust || j.belief.isTold() {
			j.belief.Origin, j.belief.Author, j.belief.Trust = origin, source.Text("author"), t
		}
		j.belief.tellers = append(j.belief.tellers, teller{origin, source.Text("author"), t})
		j.belief.Sources = append(j.belief.Sources, source.key())
		j.belief.private = j.belief.private || source.user() != ""
	}
	return f.Err()
}

// originOf returns the origin of a source.
func originOf(p Properties) string {
	if origin := p.Text("origin"); origin != "" {
		return origin
	}
	return trust.User
}

// derivedTrust returns the origin and trust of what is derived from a source: the least of its messages. A conversation has words of
// an assistant.
func (s *stored) derivedTrust() (origin string, t float64) {
	origin, t = originOf(s.Properties), TrustIn(s.Properties)
	if s.Text("content_type") == Conversation && t > trust.Of(trust.Assistant) {
		origin, t = trust.Assistant, trust.Of(trust.Assistant)
	}
	if least, ok := s.Properties["least_trust"].(float64); ok && least < t {
		t = least
		if originOf(s.Properties) == trust.User {
			origin = trust.Tool
		}
	}
	return origin, t
}

// beliefIn returns how far one item of the write is believed, with its own fields.
func (j *memoryJob) beliefIn(origin Optional[string], t Optional[float64]) belief {
	limit := j.tx.writer.Limit
	if j.confirming { // the reviewer says so, whoever told it
		own := limit.believed()
		own.reviewed = own.isTold()
		return own
	}
	b := j.belief
	if origin.Given && !origin.Null && len(b.Sources) == 0 {
		b.Origin, b.Trust = limit.lower(origin.Value), min(limit.Believed(), t.Or(trust.Of(origin.Value))) // a caller may know more than the origin says
		if !b.isTold() || trust.Of(origin.Value) < 1 {
			b.tellers = []teller{{b.Origin, "", b.Trust}}
		}
	}
	if t.Given && !t.Null {
		b.Trust, b.confirms = min(b.Trust, t.Value), b.isTold() && t.Value == 1
		if b.isTold() && t.Value < 1 {
			b.tellers = []teller{{b.Origin, "", t.Value}}
		}
	}
	b.Trust = trust.Round(b.Trust)
	return b
}

// asRestored reports whether an item of an import is stored as believed as its line says. A writer whose trust is limited never says so.
func (j *memoryJob) asRestored(h *History) bool {
	return j.write.restoring && h != nil && j.tx.writer.Limit.Believed() == 1
}

// isFact reports whether nodes of a kind state facts, which are believed or not. Episodes and stories record what was said.
func (k Kind) isFact() bool { return k.group != episodeGroup && k.group != storyGroup }

// putBelief sets the trust of a fact that is to be stored, with what it rests on. Texts that are changed rest on the write alone;
// texts that are told again rest on both. A write that does not give all texts leaves the trust as it is: a mention, a note or another
// state vouches for nothing, and a description does not for a name.
func putBelief(b belief, given, old, next Properties) {
	next.keepTrust(old) // not what the write's own fields put there
	evidence := trust.Parse(old.Texts("evidence"))
	changes, said := changesText(old, next), given.gives(next)
	says := changes || b.reviewed || slices.ContainsFunc(said, func(name string) bool { return name != "name" }) // a mere name confirms nothing
	whole := old == nil || containsAll(append(old.vouched(), said...), next.texts())
	switch {
	case b.confirms, b.isTold() && whole && says:
		next.dropBelief()
		return
	case b.private && next.Text("user_id") == "":
		return
	case !whole && (!says || old["trust"] == nil):
		return
	case !whole && b.isTold():
		next.vouch(append(next.vouched(), said...))
		return
	case !whole:
		next.restIn(b.Sources, said)
		return
	case b.isTold(), old != nil && !changes && len(evidence) == 0:
		return
	case changes:
		evidence = slices.DeleteFunc(evidence, func(e trust.Evidence) bool { return !e.IsCallers() })
	}
	next.putEvidence(trust.Add(evidence, b.Evidence))
	if t := TrustIn(next); old == nil && t < trust.Of(trust.Assistant) { // it ranks behind what is believed, whatever its writer says
		next["salience"] = trust.Round(min(next.number("salience"), DefaultSalience) * t)
	}
}

// factTexts are the properties that hold what a fact says beside its name.
var factTexts = []string{ //nolint:gochecknoglobals // a constant list

	"description", "text", "content", "goal", "outcome", "rationale", "next_step_short", "next_step_long", "value", "payload", "props", "properties",
}

// wordTexts are the properties with further words of a writer that texts for prompts show.
var wordTexts = []string{ //nolint:gochecknoglobals // a constant list

	"name", "aliases", "type", "tags", "state_key", "type_key", "facet_context", "facet_scale", "facet_stage", "channel", "namespace", "relationship_type",
	"source_document_id", "source_event_id", "derived_from_signal_id",
}

// texts returns the properties of a fact that have words of a writer.
func (p Properties) texts() []string {
	return slices.DeleteFunc(slices.Concat(factTexts, wordTexts), func(name string) bool {
		switch {
		case isEmpty(p[name]):
			return true
		case name == "description": // Kith takes that of an item from its value
			return p["value"] != nil && withoutNUL(p.Text(name)) == textsOf(p.Text("value"))
		case name == "state_key": // the known ones are Kith's words
			return isKnownState(p.Text(name))
		}
		return false
	})
}

// gives returns the texts of a fact that a write, or another node, gives as well.
func (p Properties) gives(fact Properties) []string {
	return slices.DeleteFunc(fact.texts(), func(name string) bool { return !Same(p[name], fact[name]) })
}

// vouched returns the texts of a less believed fact that a believed caller gave.
func (p Properties) vouched() []string {
	var names []string
	for _, e := range trust.Parse(p.Texts("evidence")) {
		if e.IsCallers() {
			names = append(names, e.Parts...)
		}
	}
	return names
}

// vouches reports whether a text of a fact is believed.
func (p Properties) vouches(name string) bool {
	return p["trust"] == nil || slices.Contains(p.vouched(), name)
}

// restIn adds sources on which some texts of a fact rest. It leaves the trust as it is: the other texts are believed no more than before.
func (p Properties) restIn(sources, names []string) {
	if len(sources) == 0 || len(names) == 0 {
		return
	}
	part := trust.Evidence{Sources: sources, Origin: p.Text("origin"), Trust: TrustIn(p), Parts: names}
	p["evidence"] = trust.Texts(trust.Add(trust.Parse(p.Texts("evidence")), part))
}

// vouch sets the texts of a less believed fact that a believed caller gave. They stay when the sources of the others are withdrawn.
func (p Properties) vouch(names []string) {
	evidence := slices.DeleteFunc(trust.Parse(p.Texts("evidence")), trust.Evidence.IsCallers)
	if len(names) > 0 {
		evidence = trust.Add(evidence, trust.Evidence{Origin: p.Text("origin"), Trust: TrustIn(p), Parts: Distinct(names)})
	}
	p.putUnless(len(evidence) == 0, "evidence", trust.Texts(evidence))
}

// containsAll reports whether a list has all items of another one.
func containsAll(list, items []string) bool {
	return !slices.ContainsFunc(items, func(item string) bool { return !slices.Contains(list, item) })
}

// keepTrust sets the trust and origin that another version of a fact has; nil: none.
func (p Properties) keepTrust(of Properties) {
	for _, name := range []string{"trust", "origin"} {
		p.putUnless(of[name] == nil, name, of[name])
	}
}

// dropBelief makes a fact one that is believed.
func (p Properties) dropBelief() {
	for _, name := range []string{"trust", "origin", "evidence"} {
		delete(p, name)
	}
}

// changesText reports whether a write changes what a fact says: all but its life, its numbers and its trust.
func changesText(old, next Properties) bool {
	if old == nil {
		return true
	}
	for name := range old.changesTo(next) {
		if !slices.Contains(untold, name) {
			return true
		}
	}
	return false
}

// untold are properties that say nothing of a fact, or that Kith derives.
var untold = []string{ //nolint:gochecknoglobals // a constant list

	"trust", "origin", "evidence", "search_scope", "search_name", "created_by", "recorded_by", "created_at", "updated_at", "version", "written",
	"is_dirty", "ranked", "start_unknown", "salience", "salience_at", "decay_rate", "access_count", "state", "recall_frequency", "decay_gradient",
	"last_recall_interval", "last_accessed_at", "expires_at", "ends_at", "confidence",
}

// trustRefusal refuses what has less trust than what it would change.
func (j *memoryJob) trustRefusal(b belief, old, next Properties) refusal {
	if j.isDeclined(b) {
		return refusal{"origin", fault.Conflict, "was refused for all writes of this origin and author"}
	}
	if b.private && next.Text("user_id") == "" && changesAnything(old, next) {
		return refusal{"user_id", fault.Conflict, "is null: what the team shares cannot rest on a user's source"}
	}
	if b.isTold() || old == nil || !changesAnything(old, next) {
		return refusal{}
	}
	stored := TrustIn(old)
	if slices.ContainsFunc(old.vouched(), func(name string) bool { return !Same(old[name], next[name]) }) {
		stored = 1
	}
	if b.Trust >= stored {
		return refusal{}
	}
	return refusal{"trust", fault.Conflict, fmt.Sprintf("is %g, and less than the %g of what is stored and would be changed", b.Trust, stored)}
}

// nodeTrustRefusal refuses a fact, or a source, with less trust than the stored one that it would change. How far a source is believed,
// which a write describes, does not depend on what else the write is derived from.
func (j *memoryJob) nodeTrustRefusal(w *NodeWrite, old, next *stored) refusal {
	switch {
	case next.kind.isFact():
		return j.trustRefusal(w.believed(j), old.properties(), next.Properties)
	case next.kind == SourceKind:
		return j.trustRefusal(j.tx.writer.Limit.believed(), old.properties(), next.Properties)
	}
	return refusal{}
}

// changesAnything reports whether a write changes more than who tells a fact, also how it lives.
func changesAnything(old, next Properties) bool {
	if old == nil {
		return true
	}
	for name := range old.changesTo(next) {
		if !slices.Contains([]string{"trust", "origin", "evidence", "search_scope", "created_by", "recorded_by", "updated_at", "last_accessed_at"}, name) {
			return true
		}
	}
	return false
}

// evidenceTokens returns the tokens by which what rests on sources is found.
func (p Properties) evidenceTokens(teamID string) []string {
	var tokens []string
	for _, e := range trust.Parse(p.Texts("evidence")) {
		for _, source := range e.Sources {
			tokens = append(tokens, searchscope.Source(teamID, source))
		}
	}
	return Distinct(tokens)
}

// putRelationshipScope sets the tokens by which the index finds a relationship.
func (p Properties) putRelationshipScope(teamID, user, typ string) {
	tokens := append([]string{searchscope.Relationship(teamID, user, typ)}, p.evidenceTokens(teamID)...)
	p["search_scope"] = strings.Join(tokens, " ")
}

// settleTrust sets the origin and trust of a source that is written, unless it is the user's and nothing limits it. A writer whose
// trust is limited does not change those of a stored one.
func (j *memoryJob) settleTrust(w *NodeWrite, old, p Properties) {
	limit := j.tx.writer.Limit
	if old != nil && limit.Believed() < 1 {
		p.keepTrust(old)
	} else {
		limit.putTrust(w, p)
	}
	if origin := originOf(p); (origin != trust.User || limit.Believed() < 1) && j.tx.isInstruction(p, "name", "description", "summary") {
		p["trust"] = trust.Round(min(TrustIn(p), trust.Marked(trust.Of(origin))))
	}
}

// putTrust sets the origin and trust of a source as its writer says, at most those of the writer.
func (l Limit) putTrust(w *NodeWrite, p Properties) {
	if p.Text("origin") == "" {
		p["origin"] = trust.OfSource(p.Text("content_type"), p.Text("source_type"))
	}
	origin := l.lower(p.Text("origin"))
	p.putUnless(origin == trust.User, "origin", origin)
	given := w.OwnFields != nil && w.Trust.Given && !w.Trust.Null
	if !given && (p["trust"] == nil || w.OwnFields != nil && (w.Origin.Given || w.Trust.Given)) {
		p["trust"] = trust.Of(origin)
	}
	t := min(TrustIn(p), l.Believed())
	p.putUnless(t == 1, "trust", trust.Round(t))
}

// putTrust sets the trust of a new message, if it is less than an assistant's.
func (p Properties) putTrust(tx *Tx, source Properties, teamID string) {
	limit := tx.writer.Limit
	origin := trust.OfRole(p.Text("role"), originOf(source))
	t := min(TrustIn(source), trust.Of(origin), limit.Believed())
	if (origin != trust.User || limit.Believed() < 1) && tx.isInstruction(p, "text") { // users may instruct
		t = trust.Marked(t)
	}
	if t < trust.Of(trust.Assistant) {
		p["trust"] = trust.Round(t)
		(&stored{MessageKind, p}).putSearchScope(teamID)
	}
}

// doubt hides a source from searches if its new messages have too little trust.
func (t *Tx) doubt(s sourceMessages) error {
	least, ok := leastTrust(s.rows).(float64)
	if !ok || s.source == nil || s.source.isDoubted() {
		return nil
	}
	next := &stored{SourceKind, s.source.clone()}
	if old, ok := next.Properties["least_trust"].(float64); ok {
		least = min(least, old)
	}
	next.Properties["least_trust"] = least
	if !next.isDoubted() {
		return nil
	}
	next.putSearchScope(s.scope.TeamID)
	return t.writeRows(updateNodes, s.scope.TeamID, []map[string]any{{"entity_key": s.sourceKey, "properties": map[string]any{"search_scope": next.Text("search_scope")}}})
}

// believed returns how far a node of a write is believed.
func (w *NodeWrite) believed(j *memoryJob) belief {
	if w.OwnFields == nil {
		return j.beliefIn(Optional[string]{}, Optional[float64]{})
	}
	return j.beliefIn(w.Origin, w.Trust)
}

// believed returns how far a relationship of a write is believed.
func (w *RelationshipWrite) believed(j *memoryJob) belief { return j.beliefIn(w.Origin, w.Trust) }

// putRelationshipBelief sets the trust of a relationship that is to be stored, and by what the index finds it.
func (j *memoryJob) putRelationshipBelief(w *RelationshipWrite, old, next Properties) {
	from, kind, to, _ := w.direction()
	if !searchable(kind) {
		return
	}
	if !j.asRestored(w.History) {
		given := Properties{}
		if old != nil { // otherwise all of it is given
			w.overlay(given)
		}
		putBelief(w.believed(j), given, old, next)
	}
	next.putRelationshipScope(j.scope.TeamID, j.privateTo(from, to), kind)
}

// relationshipTrustRefusal refuses a relationship with less trust than the stored one that it would change or end.
func (j *memoryJob) relationshipTrustRefusal(w *RelationshipWrite, old Properties) refusal {
	if j.asRestored(w.History) || !searchable(w.Type) || j.write.additive && !j.isDeclined(w.believed(j)) {
		return refusal{}
	}
	if old == nil {
		return j.trustRefusal(w.believed(j), nil, Properties{"user_id": j.privateTo(w.From, w.To)})
	}
	next := old.clone()
	w.overlay(next)
	if w.contradicted(old) || len(w.Notes) > 0 || w.Salience.Given || w.State.Given || w.Confidence.Given {
		next["valid_to"] = j.now
	}
	return j.trustRefusal(w.believed(j), old, next)
}

// properties returns the properties of a stored node; nil without one.
func (s *stored) properties() Properties {
	if s == nil {
		return nil
	}
	return s.Properties
}

// isDoubted reports whether a message or source has so little trust that searches leave it out. A conversation is not doubted for
// one of its messages; a mail is.
func (s *stored) isDoubted() bool {
	switch s.kind {
	case MessageKind:
		return TrustIn(s.Properties) < trust.Least
	case SourceKind:
		t := TrustIn(s.Properties)
		if least, ok := s.Properties["least_trust"].(float64); ok && s.Text("content_type") != Conversation {
			t = min(t, least)
		}
		return t < trust.Least
	}
	return false
}
