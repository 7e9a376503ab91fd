package cache

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const epochKey = "kith:epoch"

// epochScript returns the epoch of the data. If they are not from this server (ARGV[1]), it begins one (ARGV[2]): then
// versions may be older than those that were raised elsewhere.
var epochScript = redis.NewScript(`
local known = redis.pcall('GET', KEYS[1])
if type(known) == 'string' and string.sub(known, 1, #ARGV[1]) == ARGV[1] then return known end
redis.call('SET', KEYS[1], ARGV[2])
return ARGV[2]`)

// serverState is what a heartbeat reads of Redis.
type serverState struct {
	now    time.Time
	server string // its process and the history of its data: both change when it restarts, and when a replica takes over
	epoch  string // of its data, with the server that they are from; empty if they have none
}

// continues reports whether the data go on from those of an epoch.
func (s serverState) continues(epoch string) bool {
	return s.server == "" || s.epoch == epoch && strings.HasPrefix(epoch, s.server+" ")
}

// readServer returns the state of Redis. The server is empty if Redis does not name it.
func (r *remote) readServer(ctx context.Context) (serverState, error) {
	var clock *redis.TimeCmd
	var process, history, epoch *redis.StringCmd
	_, _ = r.client.Pipelined(ctx, func(p redis.Pipeliner) error { // each command has its own error
		clock, process, history, epoch = p.Time(ctx), p.Info(ctx, "server"), p.Info(ctx, "replication"), p.Get(ctx, epochKey)
		return nil
	})
	now, err := clock.Result()
	state := serverState{now: now, epoch: epoch.Val()}
	run, replication := infoField(process.Val(), "run_id"), infoField(history.Val(), "master_replid")
	if run != "" && replication != "" {
		state.server = run + replication
	}
	return state, err
}

// infoField returns a field of an answer to INFO; empty if it is missing.
func infoField(info, name string) string {
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// beginEpoch returns the epoch of the data of a server, as serverState has it. Versions are only comparable within an
// epoch. A server that Redis does not name has an epoch for each connection of this process.
func (r *remote) beginEpoch(ctx context.Context, server string) (string, error) {
	epoch := server + " " + rand.Text()
	if server == "" {
		return epoch, nil
	}
	return epochScript.Run(ctx, r.client, []string{epochKey}, server+" ", epoch).Text()
}
