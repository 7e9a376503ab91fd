package graph

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"

	"github.com/google/uuid"

	"kith/graph/neo"
	"kith/internal/fault"
)

// Callers choose keys, and a key names one thing for each user and one that the team shares. Stored keys are unique in
// the team. So a key that somebody else's thing has already is stored with a mark: of the user, or of the team for what
// is shared. Callers neither see nor write marks. Whether a key has one depends on others, and is not shown.
const (
	keyMark       = "\uFDD0" // a noncharacter: no text that is exchanged has it
	keyMarkLength = 13       // of 8 bytes in base32, after keyMark
)

var keyMarks = base32.StdEncoding.WithPadding(base32.NoPadding)

var findOwnKeys = neo.Load[ownKeyRow]("own_keys")

// ownKeyRow is a key as a caller has it, and as it is stored.
type ownKeyRow struct{ Key, Stored string }

// OwnKey returns the stored form of a key of a user that somebody else's thing has; of an empty user, of what the team
// shares.
func OwnKey(user, key string) string {
	sum := sha256.Sum256([]byte(user))
	return key + keyMark + keyMarks.EncodeToString(sum[:keyMarkLength*5/8])
}

// TakenError is a key that a caller gives to something new, and that somebody else's thing has already. The caller does
// not see that one, so OwnKey is what to store. It unwraps to fault.ErrConflict.
type TakenError struct{ Key string }

// Error describes the error without the key.
func (*TakenError) Error() string { return "the key is already in use" }

// Unwrap makes errors.Is(err, fault.ErrConflict) true.
func (*TakenError) Unwrap() error { return fault.ErrConflict }

// ownForms returns the stored forms that a key may have for a user beside the key itself, the user's own first. A
// generated key has none: nobody else has it.
func ownForms(user, key string) []string {
	if key == "" || uuid.Validate(key) == nil || strings.Contains(key, keyMark) {
		return nil
	}
	if user == "" {
		return []string{OwnKey("", key)}
	}
	return []string{OwnKey(user, key), OwnKey("", key)}
}

// CutKeyMarks removes the marks of keys from an answer. It returns the answer itself if it has none.
func CutKeyMarks(answer []byte) []byte {
	at := bytes.Index(answer, []byte(keyMark))
	if at < 0 {
		return answer
	}
	cut := make([]byte, 0, len(answer))
	for ; at >= 0; at = bytes.Index(answer, []byte(keyMark)) {
		end := at + len(keyMark)
		if isKeyMark(answer[end:min(end+keyMarkLength, len(answer))]) {
			cut, answer = append(cut, answer[:at]...), answer[end+keyMarkLength:]
		} else {
			cut, answer = append(cut, answer[:end]...), answer[end:]
		}
	}
	return append(cut, answer...)
}

func isKeyMark(b []byte) bool {
	if len(b) != keyMarkLength {
		return false
	}
	for _, c := range b {
		if (c < 'A' || c > 'Z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}

// lookUpOwn adds the own forms of keys of a user.
func (l *lookups) lookUpOwn(user string, keys ...string) {
	for _, key := range keys {
		l.ownKeys = append(l.ownKeys, ownForms(user, key)...)
	}
}

// role says for what a write names a key.
type role struct {
	made    bool // of a thing that is made if it does not exist
	private bool // of a thing of the user, not of what the team shares
}

// storedKey returns the form of a key under which a user's thing is stored, or is to be stored. The user's own goes
// before what the team shares.
func (k known) storedKey(key, user string, r role) string {
	forms := ownForms(user, key)
	if forms == nil {
		return key
	}
	n := k.byKey[key]
	switch own := forms[0]; {
	case k.byKey[own] != nil:
		return own
	case n.visible(Scope{UserID: user}) && (n.user() != "" || user == "" || !r.private):
		return key
	case user != "" && !r.private && k.byKey[forms[1]] != nil:
		return forms[1]
	case r.made && (n != nil || k.isKept(key, user)):
		return own
	}
	return key
}

// eachKey calls visit with every key of a node that the write names, with the user for whom it is meant. Nodes that the
// write may make come first.
func (w *batch) eachKey(scope Scope, visit func(key *string, user string, r role)) {
	for i := range w.Nodes {
		visit(&w.Nodes[i].EntityKey, owner(&w.Nodes[i], scope), role{made: !w.existing, private: w.Nodes[i].UserID.Given})
	}
	for i := range w.Nodes {
		if n := &w.Nodes[i]; n.OwnFields != nil {
			visit(&n.SourceKey.Value, owner(n, scope), role{})
			visit(&n.ProjectID.Value, owner(n, scope), role{})
		}
	}
	for i := range w.DerivedFrom {
		visit(&w.DerivedFrom[i], scope.UserID, role{})
	}
	for i := range w.Relationships {
		visit(&w.Relationships[i].From, scope.UserID, role{})
		visit(&w.Relationships[i].To, scope.UserID, role{})
	}
}

// useStoredKeys replaces the keys of the write that have another stored form.
func (j *memoryJob) useStoredKeys() {
	made, other := map[string]bool{}, false // forms that the write makes
	stored := func(key, user string, r role) string {
		form := j.found.storedKey(key, user, r)
		if form == key && len(made) > 0 && made[OwnKey(user, key)] {
			form = OwnKey(user, key)
		}
		return form
	}
	j.write.eachKey(j.scope, func(key *string, user string, r role) {
		if form := stored(*key, user, r); form != *key {
			other, made[form] = true, true
		}
	})
	if !other {
		return
	}
	write := *j.write // the caller's is used again if the transaction is repeated
	write.DerivedFrom, write.Nodes, write.Relationships = slices.Clone(write.DerivedFrom), slices.Clone(write.Nodes), slices.Clone(write.Relationships)
	for i := range write.Nodes {
		if own := write.Nodes[i].OwnFields; own != nil {
			write.Nodes[i].OwnFields = new(*own)
		}
	}
	write.eachKey(j.scope, func(key *string, user string, r role) { *key = stored(*key, user, r) })
	j.write = &write
}

// OwnKeys returns the stored forms of keys that have another one for the scope, by the key.
func (s *Store) OwnKeys(ctx context.Context, scope Scope, keys []string) (map[string]string, error) {
	var rows []map[string]any
	for _, key := range keys {
		for _, form := range ownForms(scope.UserID, key) {
			rows = append(rows, map[string]any{"key": key, "stored": form})
		}
	}
	stored := map[string]string{}
	if len(rows) == 0 {
		return stored, nil
	}
	found, err := findOwnKeys.Read(ctx, s.db, map[string]any{"team_id": scope.TeamID, "rows": rows})
	for _, row := range found {
		if stored[row.Key] == "" || row.Stored == OwnKey(scope.UserID, row.Key) { // the user's own goes before what is shared
			stored[row.Key] = row.Stored
		}
	}
	return stored, err
}
