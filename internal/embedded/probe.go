package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
)

const (
	probeEvery   = 100 * time.Millisecond
	probeTimeout = 15 * time.Second // of one attempt
	authPause    = 6 * time.Second  // Neo4j locks a user for 5 s after three wrong passwords
	authRounds   = 2                // each tries both passwords once: four failures, with a pause between
)

const (
	codeUnauthorized = "Neo.ClientError.Security.Unauthorized"
	codeRateLimit    = "Neo.ClientError.Security.AuthenticationRateLimit"
)

// probe waits until a Neo4j answers with the real password, which it sets on a new database.
type probe struct {
	uri      string
	password string
	log      string // folder of Neo4j's own logs, for error messages
	isNew    bool   // a new database, which has the first password
	refusals int    // rounds in which both passwords were refused
}

// await returns nil when RETURN 1 answers, errEnded when the instance ends before, and otherwise why it never will
// answer.
func (p *probe) await(ctx context.Context, in instance) error {
	for {
		pause, err := p.try(ctx)
		if err == nil {
			return nil
		}
		if pause == 0 {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-in.ended():
			timer.Stop()
			return fmt.Errorf("%w; its output ends:\n%s", errEnded, in.output())
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("wait for Neo4j: %w; last: %w", ctx.Err(), err)
		case <-timer.C:
		}
	}
}

// try makes one attempt. An error comes with the pause before the next attempt; 0 when another one is pointless.
func (p *probe) try(ctx context.Context) (time.Duration, error) {
	if p.isNew {
		if err := p.setPassword(ctx); err != nil && code(err) != codeUnauthorized {
			return pauseAfter(err), err
		}
		p.isNew = false
	}
	err := p.ask(ctx, p.password, "neo4j", "RETURN 1", nil)
	switch code(err) {
	case codeUnauthorized:
		return p.recover(ctx)
	case "", codeRateLimit:
		return pauseAfter(err), err
	}
	if failed := p.databaseFailure(ctx); failed != nil {
		return 0, failed
	}
	return pauseAfter(err), err
}

// recover sets the real password of a database that still has the first one, as after a crash of an earlier process.
func (p *probe) recover(ctx context.Context) (time.Duration, error) {
	err := p.setPassword(ctx)
	if err == nil {
		return probeEvery, errors.New("the password has just been set")
	}
	if code(err) != codeUnauthorized {
		return pauseAfter(err), err
	}
	if p.refusals++; p.refusals >= authRounds {
		return 0, ErrPassword
	}
	return authPause, ErrPassword
}

func (p *probe) setPassword(ctx context.Context) error {
	return p.ask(ctx, firstPassword, "system", "ALTER CURRENT USER SET PASSWORD FROM $old TO $new",
		map[string]any{"old": firstPassword, "new": p.password})
}

// databaseFailure returns why the server could not open the database, such as a store in a newer format, or nil.
func (p *probe) databaseFailure(ctx context.Context) error {
	var message string
	err := p.read(ctx, p.password, "system", "SHOW DATABASE neo4j YIELD statusMessage", nil, func(r *neo4j.Record) {
		message, _ = r.Values[0].(string)
	})
	if err != nil || message == "" {
		return nil
	}
	return fmt.Errorf("open database: %s (debug.log in %s says more)", message, p.log)
}

func (p *probe) ask(ctx context.Context, password, database, statement string, params map[string]any) error {
	return p.read(ctx, password, database, statement, params, func(*neo4j.Record) {})
}

// read runs one statement on a separate driver.
func (p *probe) read(ctx context.Context, password, database, statement string, params map[string]any, each func(*neo4j.Record)) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	driver, err := neo4j.NewDriverWithContext(p.uri, neo4j.BasicAuth(user, password, ""), func(c *config.Config) {
		c.SocketConnectTimeout = probeTimeout
		c.ConnectionAcquisitionTimeout = probeTimeout
		c.TelemetryDisabled = true
	})
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(context.WithoutCancel(ctx)) }()
	session := driver.NewSession(ctx, neo4j.SessionConfig{DatabaseName: database})
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	result, err := session.Run(ctx, statement, params)
	if err != nil {
		return err
	}
	for result.Next(ctx) {
		each(result.Record())
	}
	return result.Err()
}

// code returns Neo4j's code for err; empty when err is nil or not from Neo4j.
func code(err error) string {
	var failed *neo4j.Neo4jError
	if errors.As(err, &failed) {
		return failed.Code
	}
	var token *neo4j.TokenExpiredError
	if errors.As(err, &token) {
		return token.Code
	}
	return ""
}

func pauseAfter(err error) time.Duration {
	if code(err) == codeRateLimit {
		return authPause
	}
	return probeEvery
}
