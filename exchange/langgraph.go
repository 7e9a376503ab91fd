package exchange

import (
	"encoding/json"
	"strings"
)

// langGraphReader reads the items of a store of LangGraph: item.dict() of each, or rows of the table store.
type langGraphReader struct {
	*Reader
	objects *objects
}

type langGraphItem struct {
	Namespace []string        `json:"namespace"`
	Prefix    string          `json:"prefix"` // of a row: the parts of the namespace, joined by dots
	Key       string          `json:"key"`
	Value     json.RawMessage `json:"value"`
	CreatedAt json.RawMessage `json:"created_at"`
	ExpiresAt json.RawMessage `json:"expires_at"`
}

func (r *langGraphReader) read() error {
	_, line, raw, err := r.nextObject(r.objects)
	var in langGraphItem
	if err == nil && raw != nil && r.decode(line, raw, &in) {
		r.addItemOf(line, &in)
	}
	return err
}

func (r *langGraphReader) addItemOf(line int64, in *langGraphItem) {
	if len(in.Namespace) == 0 && in.Prefix != "" {
		in.Namespace = strings.Split(in.Prefix, ".")
	}
	switch {
	case len(in.Namespace) == 0:
		r.addFault(line, "namespace", "must have at least one part")
		return
	case strings.TrimSpace(in.Key) == "":
		r.addFault(line, "key", "must not be blank")
		return
	case len(in.Value) == 0 || in.Value[0] != '{':
		r.addFault(line, "value", "must be an object")
		return
	}
	if !isEmpty(in.ExpiresAt) {
		r.warnOnce(line, "expires_at", "is not imported: the items of this import do not expire")
	}
	r.emitNode(line, &wireNode{
		Kind: "item", EntityKey: EntityKey(append([]string{string(LangGraph), r.UserID}, append(in.Namespace, in.Key)...)...),
		Name: in.Key, Namespace: in.Namespace, Value: in.Value,
		CreatedAt: formatTime(r.readTime(line, "created_at", in.CreatedAt)), Properties: r.newExtras(line, LangGraph).json(),
	})
}
