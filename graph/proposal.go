package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/text/clip"
)

// Bounds of a proposal.
const (
	maxProposedNodes         = 50
	maxProposedRelationships = 100
	maxRefLength             = 64
	maxReasonLength          = 1000
)

// proposalUser is the ref of the owner of the source's user in a proposal.
const proposalUser = "user"

// proposalAuthor is the author of memory that a language model proposed.
const proposalAuthor = "llm"

// Proposal is the memory that a language model extracted from a source.
type Proposal struct {
	Summary       string                 `json:"summary"`
	Nodes         []ProposedNode         `json:"nodes"`
	Relationships []ProposedRelationship `json:"relationships"`
}

// ProposedNode is a person, concept or entity that the source mentions. Ref is its name within the proposal.
type ProposedNode struct {
	Ref         string `json:"ref"`
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
}

// ProposedRelationship is a relationship stated in the source. From and To are refs, or proposalUser.
type ProposedRelationship struct {
	From        string          `json:"from"`
	To          string          `json:"to"`
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Attitude    Optional[int64] `json:"attitude"`
	Proximity   Optional[int64] `json:"proximity"`
}

// Validate checks a proposal without the store: its bounds and vocabularies. The error lists every fault with its
// location.
func (p *Proposal) Validate() error {
	f := &Faults{}
	f.Text(fault.At("summary"), p.Summary, bounds.TextLength)
	f.Items(fault.At("nodes"), len(p.Nodes), maxProposedNodes)
	f.Items(fault.At("relationships"), len(p.Relationships), maxProposedRelationships)
	if f.Len() > 0 {
		return f.Err()
	}
	p.checkRelationships(f, p.checkNodes(f))
	return f.Err()
}

// checkNodes checks the nodes and returns the kind of each ref.
func (p *Proposal) checkNodes(f *Faults) map[string]Kind {
	kinds := map[string]Kind{proposalUser: PersonKind}
	names := map[string]int{}
	for i := range p.Nodes {
		n, at := &p.Nodes[i], fault.At("nodes").Index(i)
		kind, _ := KindOf(n.Kind)
		f.Word(at.Field("ref"), n.Ref, maxRefLength)
		f.OneOf(at.Field("kind"), n.Kind, FocusKinds...)
		f.Word(at.Field("name"), n.Name, bounds.NameLength)
		f.Text(at.Field("description"), n.Description, bounds.TextLength)
		switch {
		case n.Type != "" && kind != EntityKind:
			f.Add(at.Field("type"), fault.UnknownField, "is only a field of %s", EntityKind.Name)
		case n.Type != "":
			f.Word(at.Field("type"), n.Type, 128)
		}
		if _, again := kinds[n.Ref]; again {
			f.Add(at.Field("ref"), fault.Duplicate, "is used by another node")
		}
		kinds[n.Ref] = kind
		natural := n.naturalKey("")
		if first, again := names[natural]; again {
			f.Same(at.Field("name"), fault.At("nodes").Index(first).Field("name"))
		}
		names[natural] = i
	}
	return kinds
}

func (p *Proposal) checkRelationships(f *Faults, kinds map[string]Kind) {
	triples := map[[3]string]int{}
	for i := range p.Relationships {
		r, at := &p.Relationships[i], fault.At("relationships").Index(i)
		from, known := kinds[r.From]
		if !known {
			f.Add(at.Field("from"), fault.Contrary, "must be the ref of a node, or %s", proposalUser)
		}
		to, alsoKnown := kinds[r.To]
		if !alsoKnown {
			f.Add(at.Field("to"), fault.Contrary, "must be the ref of a node, or %s", proposalUser)
		}
		if r.From == r.To {
			f.Add(at.Field("to"), fault.Contrary, "must be another node than from")
		}
		if fitting := fittingTypes(from, to); known && alsoKnown && !slices.Contains(fitting, r.Type) {
			f.Add(at.Field("type"), fault.NotOneOf, "must be one of %s between a %s and a %s", strings.Join(fitting, ", "), from.Name, to.Name)
		}
		f.Text(at.Field("description"), r.Description, bounds.TextLength)
		f.grade(at.Field("attitude"), r.Attitude)
		f.grade(at.Field("proximity"), r.Proximity)
		triple := [3]string{r.From, r.Type, r.To}
		if first, again := triples[triple]; again {
			f.Same(at, fault.At("relationships").Index(first))
		}
		triples[triple] = i
	}
}

// node converts the proposed node to a node to write.
func (n *ProposedNode) node(key string) NodeWrite {
	w := NodeWrite{Kind: n.Kind, EntityKey: key, Name: Some(n.Name), Description: Some(n.Description)}
	if n.Type != "" {
		w.Type = Some(n.Type)
	}
	return w
}

func (n *ProposedNode) naturalKey(user string) string {
	w := n.node("")
	return w.naturalKey(user)
}

// find returns the stored node that has the name: one of the user, else a shared one, else the only one of which it is an alias.
func (n *ProposedNode) find(user string, found known) *stored {
	w := n.node("")
	for _, of := range []string{user, ""} {
		if old := found.byNatural[w.naturalKey(of)]; old != nil {
			return old
		}
	}
	for _, of := range []string{user, ""} {
		if old := found.aliased(&w, of); len(old) == 1 {
			return old[0]
		}
	}
	return nil
}

// Accept stores the proposal of a language model for a user's source, in one transaction like any other write, with
// the model as the author. The source mentions each node and is marked as extracted. Nothing existing changes: a
// private or else shared node of the same name and a current relationship of the same type stay as they are, and the
// summary is stored only if the source has none. The result has the nodes and relationships of the proposal in its
// order. Errors: InvalidError, ErrNotFound, ErrConflict, ErrUnavailable.
func (s *Store) Accept(ctx context.Context, scope Scope, key string, p *Proposal) (MemoryResult, error) {
	if err := p.Validate(); err != nil {
		return MemoryResult{}, err
	}
	sought := lookups{entityKeys: []string{key}, ownerUsers: []string{scope.UserID}}
	for i := range p.Nodes {
		n := p.Nodes[i].node("")
		for _, user := range []string{scope.UserID, ""} {
			sought.naturalKeys = append(sought.naturalKeys, n.naturalKey(user))
			sought.lookupAliases(&n, user)
		}
	}
	result, err := s.digest(ctx, scope, key, sought, func(source *stored, found known) *batch {
		w := p.write(scope.UserID, key, found)
		w.Nodes = append(w.Nodes, s.processed(source, SourceExtracted, p.Summary, ""))
		return w
	})
	if err != nil {
		return MemoryResult{}, err
	}
	result.Nodes, result.Relationships = result.Nodes[:len(p.Nodes)], result.Relationships[:len(p.Relationships)]
	return result, nil
}

// write converts the proposal to a write: its nodes and relationships in order, then the mentions of the source.
func (p *Proposal) write(user, source string, found known) *batch {
	w := &batch{author: proposalAuthor, additive: true, MemoryWrite: MemoryWrite{DerivedFrom: []string{source}}}
	keys := map[string]string{proposalUser: proposalUser} // whose own person the write makes
	if owner := found.byOwner[user]; owner != nil {
		keys[proposalUser] = owner.key()
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if old := n.find(user, found); old != nil {
			w.Nodes = append(w.Nodes, NodeWrite{Kind: n.Kind, EntityKey: old.key()})
		} else {
			w.Nodes = append(w.Nodes, n.node(uuid.Must(uuid.NewV7()).String()))
		}
		keys[n.Ref] = w.Nodes[i].EntityKey
	}
	for i := range p.Relationships {
		w.Relationships = append(w.Relationships, p.Relationships[i].relationship(keys))
	}
	for i := range w.Nodes {
		w.Relationships = append(w.Relationships, RelationshipWrite{From: source, To: w.Nodes[i].EntityKey, Type: mentionsType})
	}
	return w
}

// relationship converts the proposed relationship to one to write. An end without a key is not a node, and is
// refused.
func (r *ProposedRelationship) relationship(keys map[string]string) RelationshipWrite {
	return RelationshipWrite{
		From: keys[r.From], To: keys[r.To], Type: r.Type, Description: Some(r.Description), Attitude: r.Attitude, Proximity: r.Proximity,
	}
}

// Summarize stores a summary by a language model in a user's source, unless it has one. Errors: InvalidError,
// ErrNotFound, ErrUnavailable.
func (s *Store) Summarize(ctx context.Context, scope Scope, key, summary string) error {
	f := &Faults{}
	f.Text(fault.At("summary"), summary, bounds.TextLength)
	f.NotBlank(fault.At("summary"), summary)
	if err := f.Err(); err != nil {
		return err
	}
	_, err := s.digest(ctx, scope, key, lookups{entityKeys: []string{key}}, func(source *stored, _ known) *batch {
		status := sourceProcessed
		if source.Text("processing_status") == SourceExtracted {
			status = SourceExtracted
		}
		return &batch{author: proposalAuthor, MemoryWrite: MemoryWrite{Nodes: []NodeWrite{s.processed(source, status, summary, "")}}}
	})
	return err
}

// Decline marks a user's source as failed: a language model could extract nothing. The reason must not reveal the
// source's content. Errors: ErrNotFound, ErrUnavailable.
func (s *Store) Decline(ctx context.Context, scope Scope, key, reason string) error {
	_, err := s.digest(ctx, scope, key, lookups{entityKeys: []string{key}}, func(source *stored, _ known) *batch {
		return &batch{author: proposalAuthor, MemoryWrite: MemoryWrite{Nodes: []NodeWrite{s.processed(source, SourceFailed, "", clip.FirstLine(reason, maxReasonLength))}}}
	})
	return err
}

// processed returns a write that sets the processing status of a source.
func (s *Store) processed(source *stored, status, summary, reason string) NodeWrite {
	own := &OwnFields{ProcessingStatus: Some(status), ProcessedAt: Some(s.Now()), ProcessingError: Null[string]()}
	if reason != "" {
		own.ProcessingError = Some(reason)
	}
	if source.Text("summary") == "" && strings.TrimSpace(summary) != "" {
		own.Summary = Some(strings.TrimSpace(summary))
	}
	return NodeWrite{Kind: SourceKind.Name, EntityKey: source.key(), OwnFields: own}
}

// digest runs a transaction that writes the output of a language model for a user's source.
func (s *Store) digest(ctx context.Context, scope Scope, key string, sought lookups, write func(*stored, known) *batch) (MemoryResult, error) {
	now := s.Now()
	var result MemoryResult
	writer := WriterOf(ctx)
	writer.Source = key
	err := s.Transaction(WithWriter(ctx, writer), "source_digest", func(t *Tx) error {
		found, err := t.find(scope.TeamID, sought)
		if err != nil {
			return err
		}
		source := found.byKey[key]
		if source == nil || source.kind != SourceKind || source.user() == "" || source.user() != scope.UserID {
			return fmt.Errorf("digest source: %w", fault.ErrNotFound)
		}
		job := write(source, found).job(t, scope, now)
		err = job.run()
		result = job.result
		return err
	})
	return result, err
}
