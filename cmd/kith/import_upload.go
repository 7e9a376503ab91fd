package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"kith/internal/terminal"
)

// upload sends a file to import and receives the report.
type upload struct {
	transfer
	path     string
	file     *os.File
	size     int64
	progress *terminal.Progress
	monitor  *storedMonitor // nil for a dry run, which shows the bytes sent
}

func (u *upload) send(ctx context.Context) (*importReport, error) {
	var report *importReport
	err := u.run(ctx, func(ctx context.Context, alive func()) (err error) {
		report, err = u.attempt(ctx, alive)
		return err
	})
	return report, err
}

func (u *upload) attempt(ctx context.Context, alive func()) (*importReport, error) {
	body := &sentFile{in: io.NewSectionReader(u.file, 0, u.size), alive: alive}
	defer func() { _ = body.Close() }()
	if u.monitor != nil {
		defer u.monitor.follow(ctx, alive)()
	} else {
		body.meter = terminal.NewMeter(u.progress, "sent", u.size)
	}
	request, err := u.api.request(ctx, http.MethodPost, u.path, body)
	if err != nil {
		return nil, err
	}
	if request.ContentLength = u.size; u.size == 0 {
		request.Body = http.NoBody
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("Expect", "100-continue") // so that a wrong API key is refused before the file is sent
	response, err := u.open(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	return readReport(response.Body, alive)
}

func readReport(in io.Reader, alive func()) (*importReport, error) {
	answer, err := io.ReadAll(io.LimitReader(in, maxResponse+1))
	alive()
	switch {
	case err != nil:
		return nil, connectionError{fmt.Errorf("read response: %w", err)}
	case len(answer) > maxResponse:
		return nil, fmt.Errorf("response exceeds %d bytes", maxResponse)
	}
	report := &importReport{}
	if err := json.Unmarshal(answer, report); err != nil {
		return nil, fmt.Errorf("read response: %w", err)
	}
	return report, nil
}

// sentFile is the request body of one attempt. The transport may still read it after the attempt. Close makes further
// reads fail, so that two attempts never update the meter at the same time.
type sentFile struct {
	lock   sync.Mutex
	in     io.Reader
	alive  func()
	meter  *terminal.Meter // nil: bytes are not counted
	closed bool
}

// Read reads the file and updates the meter.
func (s *sentFile) Read(p []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.closed {
		return 0, os.ErrClosed
	}
	n, err := s.in.Read(p)
	s.alive()
	if s.meter != nil {
		s.meter.Add(int64(n), int64(bytes.Count(p[:n], []byte("\n"))), time.Now())
	}
	return n, err
}

// Close makes further reads fail. The file stays open for another attempt.
func (s *sentFile) Close() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.closed = true
	return nil
}
