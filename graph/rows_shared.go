package graph

import (
	"time"

	"kith/neo"
	"kith/vector"
)

var (
	updateNodes         = neo.Load[neo.None]("node_update")
	createRelationships = neo.Load[neo.None]("relationship_create")
	findRelationships   = neo.Load[foundRelationship]("relationship_find")
	rankRelationships   = neo.Load[neo.None]("relationship_rank")
	updateRelationships = neo.Load[neo.None]("relationship_update")
	countMentions       = neo.Load[neo.None]("mention_count")
	addWorkspaceCounts  = neo.Load[neo.None]("workspace_count")
	findNextTeam        = neo.Load[string]("team_next")
	findRings           = neo.Load[string]("containment_cycle")
)

// foundRelationship is a relationship that the row at a position may mean.
type foundRelationship struct {
	Position   int
	Properties properties
}

// sourceRow is a stored source, in the order of source_find and conversation_list.
type sourceRow struct {
	EntityKey                         string
	UserID                            *string
	ContentType                       string
	ContextType                       *string
	SourceType, Sensitivity           string
	StartedAt                         time.Time
	EndedAt                           *time.Time
	Summary                           string
	Keywords, Tags, Participants      []string
	MessageCount                      int64
	FocusProjectID                    *string // nil: no focus
	FocusKind, FocusID                string
	ProcessingStatus, ProcessingError string
	ProcessedAt                       *time.Time
}

func (r *sourceRow) source() Source {
	s := Source{
		EntityKey: r.EntityKey, UserID: r.UserID, ContentType: r.ContentType, ContextType: r.ContextType,
		SourceType: r.SourceType, Sensitivity: r.Sensitivity, StartedAt: r.StartedAt, EndedAt: r.EndedAt,
		Summary: r.Summary, Keywords: r.Keywords, Tags: r.Tags, Participants: r.Participants, MessageCount: r.MessageCount,
		ProcessingStatus: r.ProcessingStatus, ProcessingError: r.ProcessingError, ProcessedAt: r.ProcessedAt,
	}
	if r.FocusProjectID != nil {
		s.Focus = &ConversationFocus{ProjectID: *r.FocusProjectID, FocusKind: r.FocusKind, FocusID: r.FocusID}
	}
	return s
}

func first(rows [][]any) any {
	if len(rows) == 0 {
		return nil
	}
	return rows[0][0]
}

func vectorRows(found []any) []vector.Row {
	rows := make([]vector.Row, len(found))
	for i := range found {
		l := items(found[i])
		bytes, _ := l[4].([]byte)
		rows[i] = vector.Row{
			Seq: integer(l[0]), Key: text(l[1]), Kind: KindNumber(kindFrom(l[2])), At: integer(l[3]), Vector: bytes, Parent: text(l[5]),
		}
	}
	return rows
}
