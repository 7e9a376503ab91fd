package embedded

import (
	"context"
	"errors"
)

// takeOver adopts a Neo4j of an earlier process if it has the current settings; otherwise it stops it.
func (s *Server) takeOver(ctx context.Context) (bool, error) {
	orphan := findOrphan(ctx, s.folder, s.state)
	if orphan == nil {
		return false, nil
	}
	log := s.options.Log.With("pid", orphan.pid())
	if s.state.Fingerprint == s.engine.fingerprint() && orphan.identify(s.state) == s.state {
		err := s.adopt(ctx, orphan, false)
		if err == nil {
			log.InfoContext(ctx, "took over the Neo4j of an earlier process", "uri", s.state.URI)
			return true, nil
		}
		if ctx.Err() != nil || errors.Is(err, ErrPassword) {
			return false, err
		}
		log.WarnContext(ctx, "stopping the Neo4j of an earlier process: it cannot be used", "error", err)
		return false, nil
	}
	log.InfoContext(ctx, "stopping the Neo4j of an earlier process: its settings differ")
	return false, end(ctx, orphan)
}

// findOrphan returns the instance that s names if it still runs, else a Neo4j that runs on the folder without a state
// (its process was killed before writing it), else nil.
func findOrphan(ctx context.Context, f folder, s state) instance {
	if s.Container != "" {
		return adoptContainer(ctx, s)
	}
	if in := adoptProcess(f, s); in != nil {
		return in
	}
	pid, started := findOn(f.home())
	return adoptProcess(f, state{PID: pid, Started: started})
}
