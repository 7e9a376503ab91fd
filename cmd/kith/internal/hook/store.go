package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"kith/exchange/transcript"
	"kith/graph"
	"kith/internal/bounds"
	"kith/text/clip"
)

// Limits of one request, well below the service's defaults.
const (
	chunkMessages = 200
	chunkBytes    = 512 << 10
)

// maxFaults is how many faults of a transcript are reported by their line.
const maxFaults = 3

// Store appends what was said in a session since it was last stored. It stores a chunk at a time, and remembers after each
// how far it got, so that it goes on there when it is called again. The caller holds the lock of the state. Report receives
// what is wrong with the transcript.
func (m *Memory) Store(ctx context.Context, in *Input, state *State, report func(string)) error {
	if in.AgentID != "" || in.TranscriptPath == "" { // a subagent's, or the agent keeps none
		return nil
	}
	file, err := openTranscript(in.TranscriptPath, state)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	faults := 0
	s := &storing{memory: m, in: in, state: state, reader: transcript.NewReader(&bounded{ctx, file}, state.Offset, func(f transcript.Fault) {
		if faults++; faults <= maxFaults {
			report(fmt.Sprintf("line %d of what is new in the transcript %s", f.Line, f.Message))
		}
	})}
	err = s.run(ctx)
	if faults > maxFaults {
		report(fmt.Sprintf("%d more lines of the transcript have faults", faults-maxFaults))
	}
	return err
}

// Errors of a transcript_path.
var (
	ErrTranscript   = errors.New("transcript_path cannot be read")
	ErrNoTranscript = errors.New("there is no file at transcript_path yet")
)

// openTranscript opens a transcript at the offset of the state, which it sets to 0 if the file has become shorter.
func openTranscript(path string, state *State) (*os.File, error) {
	info, err := os.Stat(path) // opening a pipe would wait for its writer
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, ErrNoTranscript
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: it is not a file", ErrTranscript)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrTranscript, err)
	}
	file, err := os.Open(path) //nolint:gosec // the agent's own
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTranscript, err)
	}
	if info.Size() < state.Offset {
		state.Offset, state.Created = 0, false
	}
	if _, err := file.Seek(state.Offset, io.SeekStart); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%w: %w", ErrTranscript, err)
	}
	return file, nil
}

// bounded is a file that is read until ctx is done.
type bounded struct {
	ctx  context.Context //nolint:containedctx // of one call of Store
	file io.Reader
}

// Read reads from the file.
func (b *bounded) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.file.Read(p)
}

// storing is one call of Store.
type storing struct {
	memory *Memory
	in     *Input
	state  *State
	reader *transcript.Reader
}

func (s *storing) run(ctx context.Context) error {
	for {
		chunk, err := s.read()
		if len(chunk) > 0 {
			if err := s.send(ctx, chunk); err != nil {
				return err
			}
		}
		if s.reader.Offset() != s.state.Offset {
			s.state.Offset = s.reader.Offset()
			if err := s.state.save(); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// read returns the messages of the next chunk, each key once, and the error that ended it.
func (s *storing) read() (chunk []graph.MessageWrite, err error) {
	keys := map[string]bool{}
	for size := 0; len(chunk) < chunkMessages && size < chunkBytes; {
		said, err := s.reader.Read()
		if err != nil {
			return chunk, err
		}
		if key := s.in.Conversation() + "/" + said.ID; !keys[key] {
			keys[key] = true
			chunk = append(chunk, message(key, &said, time.Now()))
			size += len(said.Text)
		}
	}
	return chunk, nil
}

// message returns what the memory stores of a message.
func message(key string, said *transcript.Message, now time.Time) graph.MessageWrite {
	text, _ := clip.Runes(said.Text, bounds.MessageLength)
	w := graph.MessageWrite{EntityKey: key, Role: said.Role, Text: text}
	switch {
	case said.At.After(now): // by a clock that is fast
		w.At = graph.Some(now)
	case !said.At.IsZero():
		w.At = graph.Some(said.At)
	}
	return w
}

// send stores messages in one transaction. The first ones create the conversation.
func (s *storing) send(ctx context.Context, messages []graph.MessageWrite) error {
	w := graph.SourceWrite{UserID: s.memory.User, EntityKey: s.in.Conversation(), Messages: messages}
	first := !s.state.Created
	if first {
		w.ContentType, w.ContextType = graph.Some(graph.Conversation), graph.Some("work-session")
		w.Tags, w.StartedAt = tags(s.in), messages[0].At
	}
	if err := s.memory.API.Call(ctx, http.MethodPost, "/v1/sources", &w, nil); err != nil {
		return err
	}
	if first {
		s.state.Created, s.state.Began = true, messages[0].At.Value
	}
	return nil
}

// tags returns the agent and the name of the project's folder.
func tags(in *Input) []string {
	all := []string{in.agent()}
	if name := filepath.Base(in.Project()); in.Project() != "" && len(name) > 1 && len(name) <= 100 {
		all = append(all, name)
	}
	return all
}
