package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Bounds of a proposal.
const (
	MaxProposedNodes         = 50
	MaxProposedRelationships = 100
	maxRefLength             = 64
	maxReasonLength          = 1000
)

// ProposalUser stands in a proposal for the person that the source's user is.
const ProposalUser = "user"

// proposalAuthor is whom memory names as the author of what a language model proposed.
const proposalAuthor = "llm"

// Proposal is what a language model read out of a source.
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

// ProposedRelationship is one that the source tells of; From and To are refs, or ProposalUser.
type ProposedRelationship struct {
	From        string          `json:"from"`
	To          string          `json:"to"`
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Attitude    Optional[int64] `json:"attitude"`
	Proximity   Optional[int64] `json:"proximity"`
}

// Validate checks a proposal by itself: its bounds, and the vocabularies (S1-19, S1-21). The error lists every fault with
// its place.
func (p *Proposal) Validate() error {
	f := &faults{}
	f.text("summary", p.Summary, MaxTextLength)
	if len(p.Nodes) > MaxProposedNodes {
		f.add("nodes", "must have at most %d items", MaxProposedNodes)
	}
	if len(p.Relationships) > MaxProposedRelationships {
		f.add("relationships", "must have at most %d items", MaxProposedRelationships)
	}
	if len(f.fields) > 0 {
		return f.err()
	}
	p.checkRelationships(f, p.checkNodes(f))
	return f.err()
}

// checkNodes checks the nodes, and says of what kind each ref is.
func (p *Proposal) checkNodes(f *faults) map[string]Kind {
	kinds := map[string]Kind{ProposalUser: personKind}
	names := map[string]int{}
	for i := range p.Nodes {
		n, at := &p.Nodes[i], index("nodes", i)
		kind, _ := KindOf(n.Kind)
		f.word(at+".ref", n.Ref, maxRefLength)
		f.oneOf(at+".kind", n.Kind, FocusKinds)
		f.word(at+".name", n.Name, MaxNameLength)
		f.text(at+".description", n.Description, MaxTextLength)
		switch {
		case n.Type != "" && kind != entityKind:
			f.add(at+".type", "is a field of %s", entityKind.Name)
		case n.Type != "":
			f.word(at+".type", n.Type, 128)
		}
		if _, again := kinds[n.Ref]; again {
			f.add(at+".ref", "is taken")
		}
		kinds[n.Ref] = kind
		natural := n.naturalKey("")
		if first, again := names[natural]; again {
			f.add(at+".name", "is the same as that of nodes[%d]", first)
		}
		names[natural] = i
	}
	return kinds
}

func (p *Proposal) checkRelationships(f *faults, kinds map[string]Kind) {
	triples := map[[3]string]int{}
	for i := range p.Relationships {
		r, at := &p.Relationships[i], index("relationships", i)
		from, known := kinds[r.From]
		if !known {
			f.add(at+".from", "must be the ref of a node, or %s", ProposalUser)
		}
		to, alsoKnown := kinds[r.To]
		if !alsoKnown {
			f.add(at+".to", "must be the ref of a node, or %s", ProposalUser)
		}
		if r.From == r.To {
			f.add(at+".to", "must be another node than from")
		}
		if fitting := fittingTypes(from, to); known && alsoKnown && !slices.Contains(fitting, r.Type) {
			f.add(at+".type", "must be one of %s between a %s and a %s", list(fitting), from.Name, to.Name)
		}
		f.text(at+".description", r.Description, MaxTextLength)
		f.grade(at+".attitude", r.Attitude)
		f.grade(at+".proximity", r.Proximity)
		triple := [3]string{r.From, r.Type, r.To}
		if first, again := triples[triple]; again {
			f.add(at, "is the same as relationships[%d]", first)
		}
		triples[triple] = i
	}
}

// node is the proposed node as one to write.
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

// Accept stores what a language model proposed for a user's source, in one transaction and as every other write, with the
// model as its author; the source mentions each node, and is marked as extracted. Nothing that is there is changed: a node
// of the same name, the user's own or else a shared one, and a current relationship of the same type are kept as they are;
// the summary is taken where the source has none. The result has the nodes and relationships of the proposal in its order.
// Errors: InvalidError, ErrNotFound, ErrConflict, ErrUnavailable.
func (s *Store) Accept(ctx context.Context, scope Scope, key string, p *Proposal) (MemoryResult, error) {
	if err := p.Validate(); err != nil {
		return MemoryResult{}, err
	}
	naturalKeys := make([]string, 0, 2*len(p.Nodes))
	for i := range p.Nodes {
		naturalKeys = append(naturalKeys, p.Nodes[i].naturalKey(scope.UserID), p.Nodes[i].naturalKey(""))
	}
	sought := lookups{entityKeys: []string{key}, naturalKeys: naturalKeys, ownerUsers: []string{scope.UserID}}
	result, err := s.digest(ctx, scope, key, sought, func(source *stored, found known) *MemoryWrite {
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

// write is the proposal as a write: its nodes and relationships in their order, then what the source mentions.
func (p *Proposal) write(user, source string, found known) *MemoryWrite {
	w := &MemoryWrite{author: proposalAuthor, additive: true}
	keys := map[string]string{}
	if owner := found.byOwner[user]; owner != nil {
		keys[ProposalUser] = owner.key()
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		old := found.byNatural[n.naturalKey(user)]
		if old == nil {
			old = found.byNatural[n.naturalKey("")]
		}
		if old != nil {
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

// relationship is the proposed relationship as one to write. An end without a key is no node, and refused.
func (r *ProposedRelationship) relationship(keys map[string]string) RelationshipWrite {
	return RelationshipWrite{
		From: keys[r.From], To: keys[r.To], Type: r.Type, Description: Some(r.Description), Attitude: r.Attitude, Proximity: r.Proximity,
	}
}

// Summarize stores the summary that a language model made of a user's source, unless the source has one.
// Errors: InvalidError, ErrNotFound, ErrUnavailable.
func (s *Store) Summarize(ctx context.Context, scope Scope, key, summary string) error {
	f := &faults{}
	if f.text("summary", summary, MaxTextLength); strings.TrimSpace(summary) == "" {
		f.add("summary", "must not be blank")
	}
	if err := f.err(); err != nil {
		return err
	}
	_, err := s.digest(ctx, scope, key, lookups{entityKeys: []string{key}}, func(source *stored, _ known) *MemoryWrite {
		status := SourceProcessed
		if source.text("processing_status") == SourceExtracted {
			status = SourceExtracted
		}
		return &MemoryWrite{author: proposalAuthor, Nodes: []NodeWrite{s.processed(source, status, summary, "")}}
	})
	return err
}

// Decline marks a user's source as one of which a language model could make nothing, for a reason that tells nothing of
// what is in it. Errors: ErrNotFound, ErrUnavailable.
func (s *Store) Decline(ctx context.Context, scope Scope, key, reason string) error {
	_, err := s.digest(ctx, scope, key, lookups{entityKeys: []string{key}}, func(source *stored, _ known) *MemoryWrite {
		return &MemoryWrite{author: proposalAuthor, Nodes: []NodeWrite{s.processed(source, SourceFailed, "", firstLine(reason, maxReasonLength))}}
	})
	return err
}

// processed is a source as a write that says what a language model made of it.
func (s *Store) processed(source *stored, status, summary, reason string) NodeWrite {
	own := &OwnFields{ProcessingStatus: Some(status), ProcessedAt: Some(s.now()), ProcessingError: Null[string]()}
	if reason != "" {
		own.ProcessingError = Some(reason)
	}
	if source.text("summary") == "" && strings.TrimSpace(summary) != "" {
		own.Summary = Some(strings.TrimSpace(summary))
	}
	return NodeWrite{Kind: sourceKind.Name, EntityKey: source.key(), OwnFields: own}
}

// digest is a transaction that writes what a language model made of a user's source.
func (s *Store) digest(ctx context.Context, scope Scope, key string, sought lookups, write func(*stored, known) *MemoryWrite) (MemoryResult, error) {
	now := s.now()
	var result MemoryResult
	err := s.transaction(ctx, "source_digest", func(t *tx) error {
		found, err := t.find(scope.TeamID, sought)
		if err != nil {
			return err
		}
		source := found.byKey[key]
		if source == nil || source.kind != sourceKind || source.user() == "" || source.user() != scope.UserID {
			return fmt.Errorf("digest source: %w", ErrNotFound)
		}
		job := &memoryJob{tx: t, scope: scope, write: write(source, found), now: now}
		err = job.run()
		result = job.result
		return err
	})
	return result, err
}
