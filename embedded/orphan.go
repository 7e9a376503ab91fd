package embedded

import (
	"context"
	"errors"
)

// takeOver makes what an earlier process left running the current instance when it is what this one would start;
// otherwise it stops it.
func (s *Server) takeOver(ctx context.Context) (bool, error) {
	orphan := findOrphan(ctx, s.folder, s.state)
	if orphan == nil {
		return false, nil
	}
	log := s.options.Log.With("pid", orphan.pid())
	if s.state.Fingerprint == s.engine.fingerprint() && orphan.identify(s.state) == s.state {
		err := s.adopt(ctx, orphan, false)
		if err == nil {
			log.InfoContext(ctx, "took over the Neo4j that an earlier process left running", "uri", s.state.URI)
			return true, nil
		}
		if ctx.Err() != nil || errors.Is(err, ErrPassword) {
			return false, err
		}
		log.WarnContext(ctx, "the Neo4j that an earlier process left running is of no use", "error", err)
		return false, nil
	}
	log.InfoContext(ctx, "stopping the Neo4j that an earlier process left running, as it has other settings")
	return false, end(ctx, orphan)
}

// findOrphan returns what s names when it still runs, else a Neo4j that runs on the folder though no state says so (its
// process was killed before it could write that), else nil.
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
