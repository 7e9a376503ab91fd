package bench

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// A store of any size consists of pieces. Each has 10,000 nodes and 40,000 relationships, and depends on nothing but its number: it
// can be imported again, and a smaller store is the beginning of a larger one.
const (
	pieceNodes = 10_000
	pieceLinks = 4 * pieceNodes

	profileNodes  = 25  // the user, beliefs and goals
	pieceTalks    = 100 // of 50 messages each
	talkMentions  = 10
	pieceConcepts = pieceNodes - profileNodes - pieceTalks*(talkLength+1)

	hubPieces = 91 // with 11,000 relationships of the hub each: more than a million

	hubTeam, hubUser = "hub", "hub"
)

// scalePiece is a part of the store that is imported at once: the memory of a user, or more of the one with the hub.
type scalePiece struct {
	number     int
	team, user string
	kind       string
}

const (
	userPiece = "user"
	hubPiece  = "hub"
)

// pieceOf returns a piece. The first is the memory of the user who is measured, the second begins that of the one with the hub.
func pieceOf(number int) scalePiece {
	switch {
	case number == 1:
		return scalePiece{number, hubTeam, hubUser, userPiece}
	case number > 1 && number%2 == 0 && number/2 <= hubPieces:
		return scalePiece{number, hubTeam, hubUser, hubPiece}
	}
	return scalePiece{number, fmt.Sprintf("team-%05d", number/20), fmt.Sprintf("u-%06d", number), userPiece}
}

func (p scalePiece) key(i int) string { return fmt.Sprintf("p%d-%d", p.number, i) }

// owner returns the key of the piece's user.
func (p scalePiece) owner() string {
	if p.team == hubTeam {
		return hubUser
	}
	return p.key(0)
}

// write writes the piece as lines of an import.
func (p scalePiece) write(out io.Writer, begun time.Time) error {
	w := &pieceWriter{scalePiece: p, Writer: bufio.NewWriterSize(out, 64<<10), said: newSpeech(uint64(p.number) + 100), random: rand.New(rand.NewPCG(9, uint64(p.number))), begun: begun} //nolint:gosec // a choice of the benchmark
	if p.kind == hubPiece {
		w.hub()
	} else {
		w.memory()
	}
	return w.Flush()
}

type pieceWriter struct {
	scalePiece
	*bufio.Writer
	said   speech
	random *rand.Rand
	begun  time.Time
}

func (w *pieceWriter) node(kind, key, more string) {
	_, _ = fmt.Fprintf(w, `{"node":{"kind":%q,"entity_key":%q,"user_id":%q,%s}}`+"\n", kind, key, w.user, more) // Flush returns the error
}

func (w *pieceWriter) link(from, to, kind string) {
	_, _ = fmt.Fprintf(w, `{"relationship":{"from":%q,"to":%q,"type":%q,"salience":%.3f,"description":%q}}`+"\n", from, to, kind, w.random.Float64(), w.said.words(10))
}

// others writes count nodes.
func (w *pieceWriter) others(count int) {
	for i := range count {
		w.node([]string{"person", "concept", "entity"}[i%3], w.key(profileNodes+i), fmt.Sprintf(`"name":"%s %d %d","description":%q,"salience":%.3f,"state":"active"`,
			w.said.words(2), w.number, i, w.said.words(15), w.random.Float64()))
	}
}

// other returns the key of another one of count nodes.
func (w *pieceWriter) other(i, count int) string {
	return w.key(profileNodes + (i+1+w.random.IntN(count-1))%count)
}

// memory writes a user with conversations, and the nodes that they mention.
func (w *pieceWriter) memory() {
	w.node("person", w.owner(), fmt.Sprintf(`"name":"Ada %d","is_owner":true`, w.number))
	for i := 1; i < profileNodes; i++ {
		name, more := "belief", `,"ttl_policy":"keep_forever"`
		if i%2 == 0 {
			name, more = "goal", ""
		}
		w.node("concept", w.key(i), fmt.Sprintf(`"name":"%s %d %d","description":%q,"state":"core","salience":0.5%s`, name, w.number, i, w.said.words(15), more))
	}
	w.others(pieceConcepts)
	nodes := profileNodes + pieceConcepts
	for t := range pieceTalks {
		source, at := w.key(nodes+t), w.begun.Add(-time.Duration(t+1)*6*time.Hour).UTC()
		w.node("source", source, fmt.Sprintf(`"content_type":"conversation","started_at":%q,"ended_at":%q,"summary":%q`,
			at.Format(time.RFC3339), at.Add(time.Hour).Format(time.RFC3339), w.said.words(20)))
		for m := range talkLength {
			w.node("message", fmt.Sprintf("%s-%d", source, m), fmt.Sprintf(`"source_key":%q,"role":"user","at":%q,"text":%q`,
				source, at.Add(time.Duration(m)*time.Minute).Format(time.RFC3339), w.said.words(25)))
		}
	}
	for i := range pieceConcepts {
		w.link(w.owner(), w.key(profileNodes+i), ownerTypes[i%len(ownerTypes)])
		for _, kind := range ownerTypes {
			w.link(w.key(profileNodes+i), w.other(i, pieceConcepts), kind)
		}
	}
	for t := range pieceTalks {
		for m := range talkMentions {
			w.link(w.key(nodes+t), w.key(profileNodes+(t*7+m)%pieceConcepts), "mentions")
		}
	}
}

// hub writes nodes that are linked with the hub: each once, and every tenth twice.
func (w *pieceWriter) hub() {
	w.others(pieceNodes)
	for i := range pieceNodes {
		kinds := ownerTypes[i%2*3:][:3]
		w.link(w.owner(), w.key(profileNodes+i), ownerTypes[i%len(ownerTypes)])
		if i%10 == 0 {
			w.link(w.owner(), w.key(profileNodes+i), ownerTypes[(i+1)%len(ownerTypes)])
			kinds = kinds[:2]
		}
		for _, kind := range kinds {
			w.link(w.key(profileNodes+i), w.other(i, pieceNodes), kind)
		}
	}
}
