package embedded

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	startTimeout = 5 * time.Minute // of one attempt without fetching; recovery after a crash may take long
	haltTimeout  = 5 * time.Second // to stop an instance that failed to start, before it is killed
)

// Server is a running embedded Neo4j. It is restarted on the same address when it dies. Safe for concurrent use.
type Server struct {
	options  Options
	folder   folder
	engine   engine
	lock     *flock.Flock
	password string

	stopWatch context.CancelFunc
	watched   chan struct{} // closed when the watch has ended
	closing   sync.Once
	closed    error

	mu      sync.Mutex // guards the fields below
	state   state
	current instance // nil while there is none
}

// Start runs Neo4j on the data folder and returns when it answers with its real password. It fetches what it needs
// first, and takes over a Neo4j left by an earlier process. It returns ErrLocked when another process uses the folder.
// ctx bounds only the start; an interrupted start leaves no process behind.
func Start(ctx context.Context, o Options) (*Server, error) {
	o = o.withDefaults()
	f, err := makeFolder(o.Dir)
	if err != nil {
		return nil, err
	}
	lock, err := take(ctx, f, o.Dir)
	if err != nil {
		return nil, err
	}
	if err := f.finishCompaction(ctx); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s := &Server{options: o, folder: f, lock: lock, watched: make(chan struct{})}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start Neo4j in %s: %w", o.Dir, err), lock.Close())
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stopWatch = stop
	go s.watch(watching)
	return s, nil
}

func (s *Server) start(ctx context.Context) (err error) {
	if s.state, err = readState(s.folder); err != nil {
		return err
	}
	s.state.Ready = false // it was set by the earlier process
	if err := s.state.write(s.folder); err != nil {
		return err
	}
	if s.engine, err = chooseEngine(ctx, s.options, s.folder); err != nil {
		return err
	}
	isNew := s.folder.isNew() // and no Neo4j runs that could be creating a database now
	if s.password, err = ensurePassword(s.folder); err != nil {
		return err
	}
	stop := showProgress(s.options.Progress, "starting Neo4j", nil)
	defer stop()
	if taken, err := s.takeOver(ctx); taken || err != nil {
		return err
	}
	port, err := choosePort(s.state.Port)
	if err != nil {
		return err
	}
	s.state = s.state.on(port)
	return s.launch(ctx, isNew)
}

// launch starts an instance on the port of the state and waits until it answers.
func (s *Server) launch(ctx context.Context, isNew bool) error {
	began := time.Now()
	if err := s.folder.dropEmptyServerID(); err != nil {
		return err
	}
	in, err := s.engine.start(ctx, s.state.Port)
	if err != nil {
		return err
	}
	if err := s.adopt(ctx, in, isNew); err != nil {
		return err
	}
	s.options.Log.InfoContext(ctx, "Neo4j runs", "pid", in.pid(), "uri", s.state.URI, "took", time.Since(began).Round(time.Millisecond))
	return nil
}

// adopt makes in the current instance, also on disk, and waits until it answers. It ends an instance that does not.
func (s *Server) adopt(ctx context.Context, in instance, isNew bool) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	err := s.record(in, func(st *state) { st.Fingerprint = s.engine.fingerprint() })
	if err == nil {
		p := probe{uri: s.state.URI, password: s.password, log: s.folder.logs(), isNew: isNew}
		err = p.await(ctx, in)
	}
	if err == nil {
		err = s.record(in, func(st *state) { st.Ready = true })
	}
	if err == nil {
		return nil
	}
	halting, cancelHalt := context.WithTimeout(context.WithoutCancel(ctx), haltTimeout)
	defer cancelHalt()
	_ = end(halting, in) // err has more detail
	return errors.Join(err, s.record(nil, func(*state) {}))
}

// record stores in as the current instance (nil: none), in memory and in the state file, with the changes by change.
func (s *Server) record(in instance, change func(*state)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = in
	s.state.PID, s.state.Started, s.state.Container = 0, "", ""
	if in != nil {
		s.state = in.identify(s.state)
	}
	change(&s.state)
	return s.state.write(s.folder)
}

// Endpoint returns the address and login of the database. They stay the same until Close.
func (s *Server) Endpoint() Endpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Endpoint{URI: s.state.URI, User: s.state.User, Password: s.password}
}

// PID returns the process id of Neo4j's Java at this moment, for diagnostics; 0 while there is none.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return 0
	}
	return s.current.pid()
}
