package graph

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/fault"
)

var listVersions = neo.Load[formerVersion]("history_list")

// formerVersion is a version that another one, or a delete, replaced.
type formerVersion struct {
	Kind, Type, From, To string
	Until                int64
	Deleted              bool
	Properties           Properties
}

// FieldChange is a field of which two versions differ. Was or Is is absent if that version does not have the field.
type FieldChange struct {
	Field string          `json:"field"`
	Was   json.RawMessage `json:"was,omitempty" contract:"any"`
	Is    json.RawMessage `json:"is,omitempty" contract:"any"`
}

// Version is a version of a node or relationship: from when until when it held, who wrote it, and how it differs from the one before.
type Version struct {
	Version      int64             `json:"version"`
	From         *time.Time        `json:"from" doc:"when it was written"`
	Until        *time.Time        `json:"until" doc:"when it was replaced or deleted; null: it is stored now"`
	Deleted      bool              `json:"deleted,omitempty" doc:"a delete ended it"`
	By           string            `json:"by,omitempty" doc:"id of the API key that wrote it; token: the caller had a token"`
	Through      string            `json:"through,omitempty" doc:"an operation of the API, mcp: and a tool, or import: and a format"`
	Source       string            `json:"source,omitempty" doc:"entity_key of the source from which a language model derived it"`
	Changes      []FieldChange     `json:"changes" doc:"from the version before, if that is kept; empty for the first"`
	Node         *NodeView         `json:"node,omitempty" doc:"of a node: the version itself, without its notes, which have a lifetime of their own"`
	Relationship *RelationshipView `json:"relationship,omitempty" doc:"of a relationship: the version itself"`
	Told         trust.Told        `json:"-"` // of it and the version before it, the less believed
}

// VersionPage is a page of versions, the newest first, and the cursor of the next one; empty after the last.
type VersionPage struct {
	Versions []Version
	Next     string
}

// record is a node or relationship whose versions are listed.
type record struct {
	key            string
	isRelationship bool
	stored         *formerVersion // the stored version; nil: it is deleted
}

// NodeVersions returns a page of the versions of a node that the scope may see, the newest first. It returns ErrNotFound for a node
// that is not stored and of which no former version is kept, and an InvalidError for a cursor that is not valid.
func (s *Store) NodeVersions(ctx context.Context, scope Scope, kind Kind, key, cursor string, limit int) (VersionPage, error) {
	r := record{key: key}
	row, err := s.nodeRow(ctx, scope, kind, key, NodeQuery{})
	switch {
	case err == nil:
		r.key = row.Properties.Text("entity_key")
		r.stored = &formerVersion{Kind: kind.Name, Until: math.MaxInt64, Properties: row.Properties}
	case !errors.Is(err, fault.ErrNotFound):
		return VersionPage{}, err
	}
	page, err := s.versions(ctx, scope, r, cursor, limit)
	page.Versions = slices.DeleteFunc(page.Versions, func(v Version) bool { return v.Node.Kind != kind.Name })
	if err == nil && cursor == "" && len(page.Versions) == 0 {
		err = fmt.Errorf("%s: %w", kind.Name, fault.ErrNotFound)
	}
	return page, err
}

// RelationshipVersions does the same as NodeVersions for a relationship.
func (s *Store) RelationshipVersions(ctx context.Context, scope Scope, key, cursor string, limit int) (VersionPage, error) {
	r := record{key: key, isRelationship: true}
	located, err := s.locate(ctx, scope, key)
	switch {
	case err == nil:
		r.stored = &formerVersion{
			Kind: RelationshipRecord, Type: located.kind, From: located.from, To: located.to, Until: math.MaxInt64, Properties: located.Properties,
		}
	case !errors.Is(err, fault.ErrNotFound):
		return VersionPage{}, err
	}
	page, err := s.versions(ctx, scope, r, cursor, limit)
	if err == nil && cursor == "" && len(page.Versions) == 0 {
		err = fmt.Errorf("relationship: %w", fault.ErrNotFound)
	}
	return page, err
}

// versionCursor begins the cursors of lists of versions.
const versionCursor = "version" + KeySeparator

func (s *Store) versions(ctx context.Context, scope Scope, r record, cursor string, limit int) (VersionPage, error) {
	page := VersionPage{Versions: []Version{}}
	until, version, err := versionPlace(cursor)
	if err != nil {
		return page, err
	}
	rows, err := listVersions.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "key": r.key, "is_relationship": r.isRelationship,
		"before": until, "before_version": version, "limit": limit + 1,
	})
	if err != nil {
		return page, err
	}
	if r.stored != nil && cursor == "" {
		rows = slices.Insert(rows, 0, *r.stored)
	}
	for i := range rows {
		if i == limit {
			last := rows[limit-1]
			page.Next = cursors.Encode(fmt.Sprintf("%s%d%s%d", versionCursor, last.Until, KeySeparator, last.Properties.integer("version")))
			break
		}
		var before *formerVersion
		if i+1 < len(rows) {
			before = &rows[i+1]
		}
		page.Versions = append(page.Versions, rows[i].view(before))
	}
	return page, nil
}

// versionPlace returns where a page of versions begins: before an end, or at it and before a version.
func versionPlace(cursor string) (until, version int64, err error) {
	after, err := cursors.Decode(cursor)
	if err != nil || after == "" {
		return math.MaxInt64, math.MaxInt64, err
	}
	place, ok := strings.CutPrefix(after, versionCursor)
	end, number, found := strings.Cut(place, KeySeparator)
	until, endErr := strconv.ParseInt(end, 10, 64)
	version, numberErr := strconv.ParseInt(number, 10, 64)
	if !ok || !found || endErr != nil || numberErr != nil {
		return 0, 0, cursors.Invalid()
	}
	return until, version, nil
}

// isRelationship reports whether it is a version of a relationship, of the memory or within a system.
func (v *formerVersion) isRelationship() bool {
	return v.Kind == RelationshipRecord || v.Kind == SystemRelationshipRecord
}

// began returns when the version was written: at the end of the one before, unless a delete ended that.
func (v *formerVersion) began(before *formerVersion) *time.Time {
	at := func(ms int64) *time.Time { t := time.UnixMilli(ms).UTC(); return &t }
	switch {
	case v.Properties["restored_at"] != nil:
		return at(v.Properties.integer("restored_at"))
	case v.follows(before):
		return at(before.Until)
	case version(v.Properties) == 1:
		if created := cmp.Or(v.Properties.Moment("recorded_at"), v.Properties.Moment("created_at")); created != nil {
			return created
		}
	}
	return v.Properties.Moment("updated_at")
}

// follows reports whether the version is the one right after another.
func (v *formerVersion) follows(before *formerVersion) bool {
	return before != nil && version(before.Properties) == version(v.Properties)-1
}

// view returns the version as callers see it.
func (v *formerVersion) view(before *formerVersion) Version {
	out := Version{Version: version(v.Properties), From: v.began(before), Deleted: v.Deleted, Changes: []FieldChange{}, Told: v.Properties.Told()}
	moment := time.UnixMilli(v.Until).UTC()
	if v.Until == math.MaxInt64 {
		moment = *v.began(before)
	} else {
		out.Until = &moment
	}
	if w := v.Properties.lastWrite(); w != nil {
		out.By, out.Through, out.Source = w.By, w.Through, w.Source
	}
	if before != nil {
		out.Changes = fieldChanges(before.fields(), v.fields())
		out.Told = toldOf(out.Changes, before.Properties, v.Properties)
	}
	if v.isRelationship() {
		view := NewRelationshipView(v.From, v.Type, v.To, v.Properties, moment)
		out.Relationship = &view
		return out
	}
	kind, _ := KindOf(v.Kind)
	view := NewNodeView(kind, v.Properties, moment)
	view.Notes = nil
	out.Node = &view
	return out
}

// fields returns the fields of the version by their names, without those that change with every use or by themselves.
func (v *formerVersion) fields() map[string]json.RawMessage {
	p := v.Properties
	moment := p.millis("salience_at") // when the stored state was the current one
	var raw []byte
	if v.isRelationship() {
		raw, _ = json.Marshal(NewRelationshipView("", v.Type, "", p, moment))
	} else {
		kind, _ := KindOf(v.Kind)
		raw, _ = json.Marshal(NewNodeView(kind, p, moment))
	}
	fields := map[string]json.RawMessage{}
	_ = json.Unmarshal(raw, &fields) //nolint:errcheck // written above
	for _, name := range passingFields {
		delete(fields, name)
	}
	if string(fields["properties"]) == noProperties {
		delete(fields, "properties")
	}
	return fields
}

// passingFields are the fields of views that every use or mention changes, that name the record, that follow from other fields, or that
// are not part of a version.
var passingFields = []string{ //nolint:gochecknoglobals // a constant list
	"entity_key", "key", "kind", "user_id", "version", "created_at", "updated_at", "recorded_at", "last_accessed_at", "access_count", "salience",
	"notes", "from", "to", "type_word", "message_count", "generated", "deleted_at", "title", "attitude_word", "proximity_word",
	"source_count", "first_mentioned_at", "last_mentioned_at",
}

// fieldChanges returns the fields of which two versions differ, by name.
func fieldChanges(was, is map[string]json.RawMessage) []FieldChange {
	names := make([]string, 0, len(was)+len(is))
	for _, fields := range []map[string]json.RawMessage{was, is} {
		for name := range fields {
			names = append(names, name)
		}
	}
	changes := []FieldChange{}
	for _, name := range Distinct(names) {
		a, b := was[name], is[name]
		if !reflect.DeepEqual(a, b) {
			changes = append(changes, FieldChange{name, a, b})
		}
	}
	return changes
}
