package graph

import "hash/maphash"

// RestorePlan is what a dry run would have stored: of each node its key, kind and user. It is not for concurrent use.
type RestorePlan struct {
	seed  maphash.Seed
	nodes map[uint64]plannedRestore
	users map[string]string // each text once
}

type plannedRestore struct {
	kind Kind
	user string
}

// NewRestorePlan begins a dry run.
func NewRestorePlan() *RestorePlan {
	return &RestorePlan{seed: maphash.MakeSeed(), nodes: map[uint64]plannedRestore{}, users: map[string]string{}}
}

// note remembers the nodes that a write would have made.
func (p *RestorePlan) note(j *memoryJob) {
	if p == nil {
		return
	}
	for _, r := range j.result.Nodes {
		n := j.found.byKey[r.EntityKey]
		if r.Status != Created || n == nil {
			continue
		}
		user, known := p.users[n.user()]
		if !known {
			user = n.user()
			p.users[user] = user
		}
		p.nodes[maphash.String(p.seed, r.EntityKey)] = plannedRestore{n.kind, user}
	}
}

// assume makes a write find the nodes that would be there.
func (p *RestorePlan) assume(j *memoryJob, keys []string) {
	if p == nil {
		return
	}
	for _, key := range keys {
		if n, ok := p.nodes[maphash.String(p.seed, key)]; ok && j.found.byKey[key] == nil {
			s := properties{"entity_key": key, "started_at": j.now}
			s.putUnless(n.user == "", "user_id", n.user)
			j.found.byKey[key] = &stored{kind: n.kind, properties: s}
		}
	}
}
