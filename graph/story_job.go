package graph

import (
	"time"

	"github.com/google/uuid"

	"kith/graph/neo"
)

// takeSource takes a source from the queue of those that wait for their storylines.
var takeSource = neo.Load[takenSource]("story_take")

// takenSource is a source with what it mentions. UserID is empty for a shared one.
type takenSource struct {
	UserID    string
	StartedAt time.Time
	Mentions  []storyMention
}

// storyJob is one attempt to add a source to the stories of its user.
type storyJob struct {
	tx           *Tx
	now          time.Time
	team, source string

	user     string
	started  time.Time
	mentions []storyMention
	touched  []string // storylines that were formed or joined

	joined, storylines, macros int
}

// storyMention is a node that the source mentions, in the order of story_take. Storyline is the key of the user's
// storyline about it, if any.
type storyMention struct{ Key, Name, Storyline string }

// run joins before it forms: a storyline that the source helps to form includes the source anyway.
func (j *storyJob) run() error {
	if taken, err := j.take(); err != nil || !taken {
		return err
	}
	if err := j.join(); err != nil {
		return err
	}
	if err := j.form(); err != nil {
		return err
	}
	if len(j.touched) == 0 {
		return nil
	}
	return j.group()
}

// take reads and locks the source. It returns false if another run has it, or if it is shared: only users have
// stories.
func (j *storyJob) take() (bool, error) {
	sources, err := takeSource.Exec(j.tx, map[string]any{
		"team_id": j.team, "source_key": j.source, "now": j.now, "now_ms": j.now.UnixMilli(),
	})
	if err != nil || len(sources) == 0 {
		return false, err
	}
	j.user, j.started, j.mentions = sources[0].UserID, sources[0].StartedAt, sources[0].Mentions
	return j.user != "", nil
}

// storyNode returns a new storyline or macro about an anchor. It is private to the user of the sources, even if the
// anchor is shared.
func (j *storyJob) storyNode(kind Kind, anchor *stored, v vitality) *stored {
	v.at, v.confidence, v.gradient = j.now, DefaultConfidence, firstGradient
	v.settle()
	p := Properties{
		"entity_key": uuid.Must(uuid.NewV7()).String(), "user_id": j.user, "anchor_key": anchor.key(),
		"name": anchor.Text("name"), "ttl_policy": v.ttl, "confidence": v.confidence,
		"created_at": j.now, "updated_at": j.now, "version": int64(1),
	}
	p.putVitality(v)
	p["natural_key"] = naturalKey(kind, p)
	n := &stored{kind: kind, Properties: p}
	n.putSearchScope(j.team)
	return n
}

func (j *storyJob) create(nodes ...*stored) error {
	rows := make([]map[string]any, len(nodes))
	for i, n := range nodes {
		rows[i] = map[string]any{"entity_key": n.key(), "label": n.kind.Label, "properties": map[string]any(n.Properties)}
	}
	return j.tx.writeRows(createNodes, j.team, rows)
}

// change stores the changed properties as a new version.
func (j *storyJob) change(old *stored, next Properties) error {
	changed := old.changesTo(next)
	if len(changed) == 0 {
		return nil
	}
	changed["version"], changed["updated_at"] = old.version()+1, j.now
	return j.tx.writeRows(updateNodes, j.team, []map[string]any{old.row(changed)})
}

// link adds provenance relationships, which have no properties except those of the link itself.
func (j *storyJob) link(from, kind string, to ...string) error {
	rows := make([]map[string]any, len(to))
	for i := range to {
		key := uuid.Must(uuid.NewV7()).String()
		rows[i] = relationshipRow(from, kind, to[i], key, Properties{"user_id": j.user})
	}
	return j.tx.writeRows(createRelationships, j.team, rows)
}

// period stores the time span of a story, and the description that contains it.
func (p Properties) period(text string, first, last time.Time) {
	p["first_source_at"], p["last_source_at"] = first, last
	p["description"] = text + " " + p.Text("name") + ", " + first.Format(time.DateOnly) + " to " + last.Format(time.DateOnly)
}
