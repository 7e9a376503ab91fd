package graph

// This file gives the tests in graph_test what the package does not export: XForTest calls the method x, and XField returns the
// address of the field x.

import (
	"context"
	"time"

	"github.com/maypok86/otter/v2"

	"kith/internal/fault"
)

const AboutType = aboutType
const ConversationCursor = conversationCursor
const Day = day
const LeaseTime = leaseTime
const MaxNoteLength = maxNoteLength
const MaxNotes = maxNotes
const MentionsType = mentionsType
const NoSuchNode = noSuchNode
const OthersIndex = othersIndex
const ProposalUser = proposalUser
const PassBatch = passBatch
const SearchVersion = searchVersion
const StoryAgain = storyAgain
const TouchEvery = touchEvery

func (x *Maintenance) BatchForTest(p0 context.Context, p1 string, p2 string) (string, bool, error) {
	return x.batch(p0, p1, p2)
}
func (x *Maintenance) EndForTest(p0 context.Context, p1 string, p2 any) { x.end(p0, p1, p2) }
func (x *Maintenance) LeaseField() *string                              { return &x.lease }
func (x *Maintenance) OptionsField() *MaintenanceOptions                { return &x.options }
func (x *Maintenance) ProgressForTest(p0 context.Context, p1 string, p2 string, p3 string) error {
	return x.progress(p0, p1, p2, p3)
}
func (x *Maintenance) PurgeForTest(p0 context.Context) error {
	x.every = time.Hour // it holds no lease
	return x.purge(p0)
}
func (x *Maintenance) SizesForTest(p0 int, p1 int) {
	x.most = pieceSize{p0, p1}
	x.size = x.most
}
func (x *Maintenance) StoriesField() *func(ctx context.Context, limit int) (result storyResult, err error) {
	return &x.stories
}
func (x *Maintenance) TakeForTest(p0 context.Context, p1 string) (string, string, bool, error) {
	return x.take(p0, p1)
}
func (x *NodeWrite) CheckNamesForTest(p0 *Faults, p1 fault.Path, p2 Kind) { x.checkNames(p0, p1, p2) }
func (x *Store) ExportRelationshipsForTest(p0 context.Context, p1 string, p2 int, p3 int, p4 int64, p5 func(*RelationshipWrite) error) error {
	return x.exportRelationships(p0, p1, exportSizes{p2, p3, p4}, p5)
}
func (x *Store) FormStoryForTest(p0 context.Context, p1 string, p2 string, p3 time.Time, p4 *storyResult) error {
	return x.formStory(p0, p1, p2, p3, p4)
}
func (x *Store) FullField() **otter.Cache[string, full] { return &x.full }
func (x *Store) RenewPageForTest(p0 context.Context, p1 string, p2 string) (string, int, error) {
	return x.renewPage(p0, p1, p2)
}
func (x *Store) WriteBatchForTest(p0 context.Context, p1 Scope, p2 *batch) (MemoryResult, error) {
	return x.writeBatch(p0, p1, p2)
}
func (x *Tx) FindForTest(p0 string, p1 lookups) (known, error)     { return x.find(p0, p1) }
func (c *checker) ResultField() *IntegrityResult                   { return &c.result }
func (c *checker) SchemaForTest(p0 context.Context) error          { return c.schema(p0) }
func (c *checker) TeamForTest(p0 context.Context, p1 string) error { return c.team(p0, p1) }
func (x *candidate) IncludedField() *bool                          { return &x.included }
func (x *known) ByKeyField() *map[string]*stored                   { return &x.byKey }
func (x *stored) KeyForTest() string                               { return x.key() }
func (x *stored) KindField() *Kind                                 { return &x.kind }

type Batch = batch
type Candidate = candidate
type Stored = stored

var AtLeast = atLeast
var IntegrityNames = checkedNames
var ChooseStoryline = chooseStoryline
var Earlier = earlier
var ErrLeaseLost = errLeaseLost
var MacroKind = macroKind
var OwnerRows = ownerRows
var RecordsLinked = recordsLinked

func NewChecker(s *Store, o IntegrityOptions) *checker { return &checker{store: s, options: o} }

func LookupKeys(keys ...string) lookups { return lookups{entityKeys: keys} }

func RestoringBatch(w *MemoryWrite) *batch { return &batch{MemoryWrite: *w, restoring: true} }

func NewCandidate(story *stored, included bool, shared int64) candidate {
	return candidate{story, included, shared}
}

func NewStored(kind Kind, p Properties) *stored { return &stored{kind, p} }

const MaxProposedNodes = maxProposedNodes
const MaxProposedRelationships = maxProposedRelationships
const MaxWords = maxWords
const SourceProcessed = sourceProcessed
const SourceRaw = sourceRaw

type StoryResult = storyResult

func (x *Store) FormStories(ctx context.Context, limit int) (StoryResult, error) {
	return x.formStories(ctx, limit)
}
func (x *Maintenance) Pass(ctx context.Context) (bool, error) { return x.pass(ctx) }

// RecordedStatements returns the names of the statements whose parameters tell the feed what they change.
func RecordedStatements() []string {
	var names []string
	for name := range recorders {
		names = append(names, name)
	}
	return names
}
